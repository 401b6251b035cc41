// The second picture shows what `write` draws today while the service is down.

import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { OUTAGE_PICTURE, outagePictureOf, outageScreen } from './outage-picture.ts'

/** Its words: without figures, and without what differs with them, the breaks of lines. */
function words(picture: string): string {
  const lines = [...picture.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([, text]) => text!)
  return lines
    .join(' ')
    .replaceAll(/[\s\u00a0]+/g, ' ')
    .replaceAll(/\d[\d,.:]*/g, '#')
    .replaceAll(/(# of # request|# batch|# record)(?:s|es)?\b/g, '$1')
}

it('is that of a real outage: if not, run `npm run picture`', { timeout: 60_000 }, async () => {
  const kept = words(await readFile(OUTAGE_PICTURE, 'utf8'))
  expect(kept).toBe(words(outagePictureOf(await outageScreen())))
  expect(kept).toContain('The service has been down for # s (connection refused)')
})
