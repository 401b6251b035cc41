// What is said of a seed that breaks a law: its history, what happened, and how to play it again.

import { engine, loadEngine, type Engine } from './engine.ts'
import { explain, historyOf } from './seeds.ts'
import type { Failure } from './simulation.ts'

/** @param directory of a copy of the engine, when it was not the one that is */
export async function describeFailure({ seed, law, how }: Failure, directory: string | undefined): Promise<string> {
  const command = `npm run simulate -- --seed ${seed}${directory === undefined ? '' : ` --engine ${directory}`}`
  const verdict = `Seed ${seed} breaks a law: ${law}: ${how}`
  const replay = `Play it alone:         ${command}\nFind a smaller one:    ${command} --smallest`
  // what never ends cannot be told
  if (law === 'it ends') return `${verdict}\n${replay}`
  return `${await explain(await engineOf(directory), historyOf(seed))}\n\n${verdict}\n${replay}`
}

export async function engineOf(directory: string | undefined): Promise<Engine> {
  return directory === undefined ? engine : await loadEngine(directory)
}
