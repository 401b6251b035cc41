// The connection to the client's store: A6 adds it, A7 is asked until it is there. A7 also finds one again, by its name,
// that nobody noted the id of.

import { create } from './create.ts'
import { identityOf } from './identity.ts'
import { ask, follow, stateOf } from './poll.ts'
import type { JobState, Judged } from './poll.ts'
import { confirmationOf } from './questions.ts'
import { pollPause, safely } from './safely.ts'
import { attemptWithToken } from './sessions.ts'
import type { Got, Run } from './types.ts'

/** The list may lag behind. */
const LOOKS = 3

/** The id of the connection. */
export async function connectionStep(run: Run, clientId: number): Promise<Got<number>> {
  const { journal, track } = run
  const { made } = journal.known
  const { state, id, confirmations } = made.A6
  if (state === 'done' && typeof id === 'number') {
    track.skip('connection', `connection ${id}`)
    return { status: 'got', value: id }
  }
  track.begin('connection')
  const isOpen = state === 'sent' || state === 'unknown'
  // nobody has made a connection of a client this onboarding made, unless it was here before
  const mayBeThere = isOpen || (state === 'none' && (made.A2.adopted || confirmations > 0))
  const found = mayBeThere ? await find(run, clientId, isOpen ? LOOKS : 1) : NOT_FOUND
  if (found.status !== 'got') return found
  if (isOpen && !found.value) return ask(run, 'A6', NONE)
  if (journal.known.made.A6.state === 'none') {
    const added = await add(run, clientId)
    if (added.status !== 'got') return added
  }
  return await awaitConnection(run, clientId, Number(journal.known.made.A6.id))
}

const NONE = 'The list of connections shows none of that name.'
const NOT_FOUND = { status: 'got', value: false } as const

async function add(run: Run, clientId: number): Promise<Got<unknown>> {
  const { plan, api } = run
  const created = await create(run, {
    endpoint: 'A6',
    of: identityOf('A6', plan),
    request: (limit, session) => api.addConnection(limit, session, clientId, plan.connection),
    kept: ({ id }) => ({ id }),
  })
  if (created.status !== 'unknown') return created
  const found = await find(run, clientId, LOOKS)
  return found.status !== 'got' || found.value ? found : ask(run, 'A6', NONE)
}

/** Enters exactly one connection of that name into the journal; several are asked about. */
async function find(run: Run, clientId: number, looks: number): Promise<Got<boolean>> {
  const { plan, api, journal, clock, signal } = run
  for (let look = 1; ; look++) {
    const listed = await safely(run, 'A7', (limit) =>
      attemptWithToken(run, (limit, session) => api.listConnections(limit, session, clientId), limit),
    )
    if (listed.status !== 'got') return listed
    const [id, ...more] = connectionsNamed(listed.value, plan.connection.name)
    if (more.length > 0)
      return ask(run, 'A6', `The list of connections shows several of that name: ${[id, ...more].join(', ')}.`)
    if (id !== undefined) {
      journal.append({ event: 'adopted', endpoint: 'A6', id, of: identityOf('A6', plan) })
      run.track.note(`The connection ${JSON.stringify(plan.connection.name)} is there already, by the list: ${id}.`)
      return { status: 'got', value: true }
    }
    if (look >= looks || clock.now() >= run.deadline) return NOT_FOUND
    await clock.wait(pollPause(run, look), signal)
    if (signal.aborted) return { status: 'stopped' }
  }
}

async function awaitConnection(run: Run, clientId: number, id: number): Promise<Got<number>> {
  const { plan, api } = run
  let saysNothing = false
  const polling = {
    endpoint: 'A7',
    forMs: plan.timing.stepMs.connection,
    limit: 'timeouts.connection_seconds',
    attempt: (limit: Parameters<typeof attemptWithToken>[2]) =>
      attemptWithToken(run, (limit, session) => api.listConnections(limit, session, clientId), limit),
    judge: (list: Parameters<typeof connectionState>[0]): Judged<number> => {
      const { state, word } = connectionState(list, id)
      saysNothing = word === undefined
      return state === 'running' ? { state, word: word ?? 'running' } : { state, word: word ?? 'listed', value: id }
    },
  } as const
  const over = await follow(run, 'A6', polling, (word) => problem(run, id, word))
  if (over.status === 'got' && saysNothing) {
    run.track.note('The list of connections says nothing about their states; that this one is listed counts as done.')
  }
  return over
}

function problem({ journal, plan }: Run, id: number, word: string): string {
  return (
    `A7: the connection ${JSON.stringify(plan.connection.name)} (${id}) is ${JSON.stringify(word)}. ` +
    `Correct it in the product and run the same command again; or delete it there, correct the config, and run again with ` +
    `--not-created ${confirmationOf('A6', journal.known.made.A6)}.`
  )
}

// In what state a connection is, and which connections have a name, by the list of A7
// (decisions.md#a-listed-connection-is-done).

type Item = Readonly<Record<string, unknown>>

/** `word`: what the list says, undefined when it says nothing about a state. */
interface ConnectionState {
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
