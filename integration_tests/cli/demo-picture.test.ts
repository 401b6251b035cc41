// The README's picture shows what the demo prints today.

import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { demoOutput, PICTURE, pictureOf } from './demo-picture.ts'

/** Without what differs from run to run: ports, ids, times, and the widths that follow from them. */
function steady(picture: string): string {
  return picture
    .replaceAll(/textLength="[^"]*"/g, '')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID')
    .replaceAll(/ polls?\b/g, ' polls')
    .replaceAll(/\d+(?:\.\d+)?/g, '#')
}

it('is that of the demo: if not, run `npm run picture`', async () => {
  expect(steady(await readFile(PICTURE, 'utf8'))).toBe(steady(pictureOf(await demoOutput())))
})
