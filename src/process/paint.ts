// Colours, where a terminal shows them.

import { wrap } from '../text/printable.ts'
import type { Io } from './io.ts'

export type Tone = 'good' | 'odd' | 'bad' | 'dim'

/** The text as it is to be written. It is longer then: measure and wrap it before. */
export type Paint = (tone: Tone, text: string) => string

/** What begins it, and what ends it: green, amber, red, faint. */
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

/** A text for people with its code behind it. @param code undefined: it has none */
export function withCode(text: string, code: string | undefined): string {
  return code === undefined ? text : `${text} [${code}]`
}

/** The same once it is wrapped. */
export function codePainted(text: string, code: string | undefined, paint: Paint): string {
  const end = `[${code}]`
  return text.endsWith(end) ? `${text.slice(0, -end.length)}${paint('dim', end)}` : text
}

/** Both, wrapped. @param indent in front of every line but the first */
export function codedText(text: string, code: string | undefined, width: number, indent: string, paint: Paint): string {
  return codePainted(wrap(withCode(text, code), width, indent), code, paint)
}

/** With its first word in that tone. */
export function firstPainted(tone: Tone, text: string, paint: Paint): string {
  return text.replace(/^\w+/, (word) => paint(tone, word))
}
