// Colours, where a terminal shows them.

import { wrap } from '../text/printable.ts'
import type { Io } from './io.ts'

export type Tone = 'good' | 'odd' | 'bad' | 'dim'

/** The text as it is to be written. It is longer then: measure and wrap it before. */
export type Paint = (tone: Tone, text: string) => string

/** Codes that begin and end a colour: green, amber, red, faint. */
const COLOURS: Readonly<Record<Tone, readonly [number, number]>> = {
  good: [32, 39],
  odd: [33, 39],
  bad: [31, 39],
  dim: [2, 22],
}

export const unpainted: Paint = (_tone, text) => text

const painted: Paint = (tone, text) => `\u001b[${COLOURS[tone][0]}m${text}\u001b[${COLOURS[tone][1]}m`

/** @param isTerminal whether that is where the text goes */
export function paintFor({ env, isDumb }: Pick<Io, 'env' | 'isDumb'>, isTerminal: boolean): Paint {
  return isTerminal && isDumb !== true && !env['NO_COLOR'] ? painted : unpainted
}

/** A text for people with its code behind it. @param code `undefined` when it has none */
export function withCode(text: string, code: string | undefined): string {
  return code === undefined ? text : `${text} [${code}]`
}

/** The same wrapped, line by line. @param indent in front of every line but the first */
export function codedText(text: string, code: string | undefined, width: number, indent: string, paint: Paint): string {
  const lines = withCode(text, code).split(/\r\n|[\r\n]/)
  const wrapped = lines.map((line, index) => wrap(`${index === 0 ? '' : indent}${line}`, width, indent)).join('\n')
  const end = `[${code}]`
  return wrapped.endsWith(end) ? `${wrapped.slice(0, -end.length)}${paint('dim', end)}` : wrapped
}

/** With its first word in that tone. */
export function firstPainted(tone: Tone, text: string, paint: Paint): string {
  return text.replace(/^\w+/, (word) => paint(tone, word))
}
