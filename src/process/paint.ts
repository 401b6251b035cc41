// Colours, where a terminal shows them.

import type { Io } from './io.ts'

export type Tone = 'good' | 'odd' | 'bad'

/** The text as it is to be written. It is longer then: measure and wrap it before. */
export type Paint = (tone: Tone, text: string) => string

/** Green, amber, red. */
const COLOURS: Readonly<Record<Tone, number>> = { good: 32, odd: 33, bad: 31 }

export const unpainted: Paint = (_tone, text) => text

const painted: Paint = (tone, text) => `\u001b[${COLOURS[tone]}m${text}\u001b[39m`

/** @param isTerminal whether that is where the text goes */
export function paintFor({ env, isDumb }: Pick<Io, 'env' | 'isDumb'>, isTerminal: boolean): Paint {
  return isTerminal && isDumb !== true && !env['NO_COLOR'] ? painted : unpainted
}
