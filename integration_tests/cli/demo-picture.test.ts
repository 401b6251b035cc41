// The README's picture shows what the demo prints today.

import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { demoOutput, PICTURE, pictureOf } from './demo-picture.ts'

/** Its lines without what differs from run to run: ports, ids, times, how often a step was polled, which of three streams'
 *  STATEs comes last, and the order of lines. */
function steady(picture: string): string[] {
  return picture
    .replaceAll(/textLength="[^"]*"/g, '')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID')
    .replaceAll(/:\s+done\b[^<]*/g, ': done')
    .replaceAll(/("stream_descriptor":\{"name":)[^<]*/g, '$1…')
    .replaceAll(/\d+(?:\.\d+)?/g, '#')
    .split('\n')
    .toSorted()
}

it('is that of the demo: if not, run `npm run picture`', async () => {
  expect(steady(await readFile(PICTURE, 'utf8'))).toEqual(steady(pictureOf(await demoOutput())))
})
