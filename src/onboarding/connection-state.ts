// In what state a connection is, and which connections have a name, by the list of A7 (assumptions 35). Pure.

import type { JobState } from './state-words.ts'
import { stateOf } from './state-words.ts'

type Item = Readonly<Record<string, unknown>>

/** `word`: what the list says, undefined when it says nothing about a state. */
export interface ConnectionState {
  readonly state: JobState
  readonly word: string | undefined
}

/** A word for failed decides, wherever it stands; then a `status` that is done; then any word that says neither. Not listed
 *  is running. `properties.status` is no state. */
export function connectionState(list: readonly Item[], id: number): ConnectionState {
  const item = list.find((item) => idOf(item) === id)
  if (item === undefined) return { state: 'running', word: 'not listed' }
  const { status, integration_type: type } = item
  const own = wordsIn(status, memberOf(status, 'name'))
  const words = [...own, ...wordsIn(memberOf(type, 'pipeline_state'))]
  return said(words, 'failed') ?? said(own, 'done') ?? said(words, 'running') ?? { state: 'done', word: words[0] }
}

/** By the first word that means so. */
function said(words: readonly string[], state: JobState): ConnectionState | undefined {
  const word = words.find((word) => stateOf(word) === state)
  return word === undefined ? undefined : { state, word }
}

/** Their ids, each once. */
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
