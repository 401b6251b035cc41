// The README's picture: what `npm run demo` prints, as a terminal window in SVG. `npm run picture` makes both pictures again.

import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { OUTAGE_PICTURE, outagePictureOf, outageScreen } from './outage-picture.ts'
import { ROOT } from './readme-commands.ts'
import { COLOURS, terminalPicture } from './terminal-picture.ts'

/** Where it is kept. */
export const PICTURE = new URL('docs/demo.svg', ROOT)

/** @returns what `demo` prints, as somebody sees it who pipes it */
export async function demoOutput(): Promise<string> {
  const args = ['src/start.js', 'demo']
  return (await promisify(execFile)(process.execPath, args, { cwd: ROOT })).stdout
}

/** @param output of `demo` */
export function pictureOf(output: string): string {
  const lines = ['$ npm run -s demo', '', ...shownOf(output)]
  return terminalPicture('What npm run demo prints', lines, colorOf)
}

/** Every step's last word; what comes while it waits and the advice at the end are left out. */
function shownOf(output: string): string[] {
  const [steps = ''] = output.split('\nNext, try it yourself')
  const parts = steps.replace(/\nNext:\n[^]*?(?=\n3\. )/, '').trimEnd()
  return parts.split('\n').filter((line) => !/^\d\/\d .* …$/.test(line))
}

function colorOf(line: string): string {
  if (line.startsWith('$')) return COLOURS.faint
  if (/^\d\. /.test(line)) return COLOURS.step
  if (/^\d\/\d .*: done/.test(line) || line.startsWith('The client is onboarded')) return COLOURS.good
  return COLOURS.plain
}

if (import.meta.main) {
  await writeFile(PICTURE, pictureOf(await demoOutput()))
  await writeFile(OUTAGE_PICTURE, outagePictureOf(await outageScreen()))
}
