// In what state a connection is, and which connections have a name, by the list of A7 (assumptions 35). Pure.

import type { JobState } from './state-words.ts'
import { stateOf } from './state-words.ts'

type Item = Readonly<Record<string, unknown>>

/** `word`: what the list says, undefined when it says nothing about a state. */
export interface ConnectionState {
  readonly state: JobState
  readonly word: string | undefined
}

/** Not listed is running. `properties.status` is no state. */
export function connectionState(list: readonly Item[], id: number): ConnectionState {
  const item = list.find((item) => idOf(item) === id)
  if (item === undefined) return { state: 'running', word: 'not listed' }
  const words = wordsOf(item)
  const otherwise = ['failed', 'running'] as const
  for (const state of otherwise) {
    const word = words.find((word) => stateOf(word) === state)
    if (word !== undefined) return { state, word }
  }
  return { state: 'done', word: words[0] }
}

/** Their ids, each once. */
export function connectionsNamed(list: readonly Item[], name: string): number[] {
  const ids = list.filter((item) => item['name'] === name).map(idOf)
  return [...new Set(ids.filter((id) => id !== undefined))]
}

function wordsOf(item: Item): string[] {
  const { status, integration_type: type } = item
  const words = [status, memberOf(status, 'name'), memberOf(type, 'pipeline_state')]
  return words.filter((word) => typeof word === 'string').filter((word) => word.trim() !== '')
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Item)[name] : undefined
}

function idOf({ id }: Item): number | undefined {
  const number = typeof id === 'string' && /^\d+$/.test(id) ? Number(id) : id
  return Number.isSafeInteger(number) ? (number as number) : undefined
}
