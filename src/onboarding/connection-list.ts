// The state of a connection, and the connections of a name, from the list of A7
// (decisions.md#a-listed-connection-is-done).

import { stateOf } from './job-state.ts'
import type { JobState } from './job-state.ts'

type Item = Readonly<Record<string, unknown>>

/** `word` is the state as listed. `undefined` when the list has none. */
interface ConnectionState {
  readonly state: JobState
  readonly word: string | undefined
}

/** A failed state in any field decides; then a `status` that is done; then any running state. A connection that is not listed is
 *  running. `properties.status` is no state. */
export function connectionState(list: readonly Item[], id: number): ConnectionState {
  const item = list.find((item) => idOf(item) === id)
  if (item === undefined) return { state: 'running', word: 'not listed' }
  const { status, integration_type: type } = item
  const own = wordsIn(status, memberOf(status, 'name'))
  const words = [...own, ...wordsIn(memberOf(type, 'pipeline_state'))]
  return first(words, 'failed') ?? first(own, 'done') ?? first(words, 'running') ?? { state: 'done', word: words[0] }
}

/** From the first word that means this state. */
function first(words: readonly string[], state: JobState): ConnectionState | undefined {
  const word = words.find((word) => stateOf(word) === state)
  return word === undefined ? undefined : { state, word }
}

/** Distinct ids. */
export function connectionsNamed(list: readonly Item[], name: string): number[] {
  const ids = list.filter((item) => item['name'] === name).map(idOf)
  return [...new Set(ids.filter((id) => id !== undefined))]
}

function wordsIn(...values: readonly unknown[]): string[] {
  return values.filter((value) => typeof value === 'string').filter((word) => word.trim() !== '')
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Item)[name] : undefined
}

function idOf({ id }: Item): number | undefined {
  const number = typeof id === 'string' && /^\d+$/.test(id) ? Number(id) : id
  return Number.isSafeInteger(number) ? (number as number) : undefined
}
