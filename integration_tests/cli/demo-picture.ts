// The README's picture: what `npm run demo` prints, as a terminal window in SVG. `npm run picture` makes it again.

import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { ROOT } from './readme-commands.ts'

/** Where it is kept. */
export const PICTURE = new URL('docs/demo.svg', ROOT)

const CHARACTER = { width: 7.6, height: 19 }
const COLUMNS = 110
const BAR = 34
const PADDING = 18
const BACKGROUND = '#0d1117'
const PLAIN = '#c9d1d9'
const FAINT = '#7d8590'
const STEP = '#58a6ff'
const GOOD = '#3fb950'

/** @returns what `demo` prints, as somebody sees it who pipes it */
export async function demoOutput(): Promise<string> {
  const args = ['src/start.js', 'demo']
  return (await promisify(execFile)(process.execPath, args, { cwd: ROOT })).stdout
}

/** @param output of `demo` */
export function pictureOf(output: string): string {
  const lines = ['$ npm run -s demo', '', ...shownOf(output)]
  const width = Math.round(COLUMNS * CHARACTER.width + 2 * PADDING)
  const height = BAR + lines.length * CHARACTER.height + PADDING
  const buttons = ['#ff5f57', '#febc2e', '#28c840'].map(
    (color, index) => `<circle cx="${PADDING + 6 + index * 20}" cy="17" r="6" fill="${color}"/>`,
  )
  const texts = lines.flatMap((line, index) => (line === '' ? [] : [textOf(line, index)]))
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<title>What npm run demo prints</title>`,
    `<rect width="${width}" height="${height}" rx="10" fill="${BACKGROUND}"/>`,
    ...buttons,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="12.5">`,
    ...texts,
    '</g>',
    '</svg>\n',
  ].join('\n')
}

/** Every step's last word; what comes while it waits and the advice at the end are left out. */
function shownOf(output: string): string[] {
  const [steps = ''] = output.split('\nNext, try it yourself')
  const parts = steps.replace(/\nNext:\n[^]*?(?=\n3\. )/, '').trimEnd()
  return parts.split('\n').filter((line) => !/^\d\/\d .* …$/.test(line))
}

function textOf(line: string, index: number): string {
  const shown = line.length > COLUMNS ? `${line.slice(0, COLUMNS - 1)}…` : line
  const y = BAR + (index + 1) * CHARACTER.height - 6
  const width = Math.round(shown.length * CHARACTER.width * 10) / 10
  // blanks in a row would be drawn as one
  const escaped = shown.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll(' ', '\u00a0')
  return `<text x="${PADDING}" y="${y}" fill="${colorOf(line)}" textLength="${width}" lengthAdjust="spacingAndGlyphs">${escaped}</text>`
}

function colorOf(line: string): string {
  if (line.startsWith('$')) return FAINT
  if (/^\d\. /.test(line)) return STEP
  if (/^\d\/\d .*: done/.test(line) || line.startsWith('The client is onboarded')) return GOOD
  return PLAIN
}

if (import.meta.main) await writeFile(PICTURE, pictureOf(await demoOutput()))
