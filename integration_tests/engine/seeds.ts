// From a number to a history, the same on any machine, and, when it breaks a law, to a smaller one that does.

import * as fc from 'fast-check'
import type { Engine } from './engine.ts'
import { histories } from './histories.ts'
import { describeHistory, type History } from './history.ts'
import { play } from './play.ts'

/** What fast-check makes of a seed; half of them with its bias to small and extreme values. */
const parametersOf = (seed: number): { seed: number; numRuns: 1; unbiased: boolean } => ({
  seed: scramble(seed),
  numRuns: 1,
  unbiased: seed % 2 === 0,
})

export function historyOf(seed: number): History {
  return fc.sample(histories, parametersOf(seed))[0]!
}

/** A history as small as can be found that breaks a law, starting from a seed that does. */
export async function smallest(engine: Engine, seed: number): Promise<History> {
  const isLawful = fc.asyncProperty(histories, async (history) => (await play(engine, history)).broken === undefined)
  const { counterexample } = await fc.check<[History]>(isLawful, parametersOf(seed))
  return counterexample?.[0] ?? historyOf(seed)
}

/** For a reader: what was to happen, what did, and what was wrong with it. */
export async function explain(engine: Engine, history: History): Promise<string> {
  const { broken, trace } = await play(engine, history, true)
  return [
    broken ? `Broken: ${broken.law}: ${broken.how}` : 'Every law holds.',
    'The history:',
    describeHistory(history),
    'What happened (virtual ms):',
    ...trace,
  ].join('\n')
}

/** A bijection of 32 bits (the end of murmur3): neighbours become strangers. */
function scramble(seed: number): number {
  let mixed = seed | 0
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}
