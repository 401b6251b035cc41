// Colours for texts that a terminal shows, and the codes behind their errors, which are faint.

import { styleText } from 'node:util'
import { wrap } from '../text/printable.ts'
import type { Io } from './io.ts'

/** The colour of each tone. odd: a warning, or something to look at. */
const COLOURS = { good: 'green', odd: 'yellow', bad: 'red', dim: 'dim' } as const

export type Tone = keyof typeof COLOURS

/** Colours a text by control characters around it. It is longer then, so measure and wrap it before. */
export type Paint = (tone: Tone, text: string) => string

export const unpainted: Paint = (_tone, text) => text

// `paintFor` decides whether there are colours, so styleText need not look at the stream
const painted: Paint = (tone, text) => styleText(COLOURS[tone], text, { validateStream: false })

/** The paint for a text that is written for people. @param isTerminal whether it goes to a terminal */
export function paintFor({ env, isDumb }: Pick<Io, 'env' | 'isDumb'>, isTerminal: boolean): Paint {
  return isTerminal && isDumb !== true && !env['NO_COLOR'] ? painted : unpainted
}

/** A text for people with the code of an error or event behind it. @param code `undefined` when it has none */
export function withCode(text: string, code: string | undefined): string {
  return code === undefined ? text : `${text} [${code}]`
}

/** A text with its code, wrapped line by line, the code faint. @param indent in front of every line but the first */
export function codedText(text: string, code: string | undefined, width: number, indent: string, paint: Paint): string {
  const lines = withCode(text, code).split(/\r\n|[\r\n]/)
  const wrapped = lines.map((line, index) => wrap(`${index === 0 ? '' : indent}${line}`, width, indent)).join('\n')
  const end = `[${code}]`
  return wrapped.endsWith(end) ? `${wrapped.slice(0, -end.length)}${paint('dim', end)}` : wrapped
}

/** Paints the first word of a text. */
export function firstPainted(tone: Tone, text: string, paint: Paint): string {
  return text.replace(/^\w+/, (word) => paint(tone, word))
}
