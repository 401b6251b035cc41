// The connection to the client's store: A6 adds it, A7 is polled until it is ready. A7 also finds a connection by its name when
// its id is not in the journal.

import type { ListedConnection } from '../service/onboarding/onboarding-answers.ts'
import { create } from './create.ts'
import { isOpen, type MadeThing } from './journal-entries.ts'
import { findOnce, findOrAsk, type LookUp } from './look-up.ts'
import { follow, stateOf, type JobState } from './poll.ts'
import { confirmationOf } from './halt.ts'
import { withToken, type CallAttempt } from './sessions.ts'
import type { Run } from './types.ts'

/** Adds the connection unless it is there, and waits until it is ready.
 *  @returns its id */
export async function connectionStep(run: Run, clientId: number): Promise<number> {
  const { journal, steps, plan, api } = run
  const { A2: client, A6: connection } = journal.known.made
  const { state, id, confirmations } = connection
  if (state === 'done' && typeof id === 'number') {
    steps.skip('connection', `connection ${id}`)
    return id
  }
  steps.begin('connection')
  const list = withToken(run, (limit, session) => api.listConnections(limit, session, clientId))
  const lookUp = lookUpByName(run, list)
  if (isOpen(state)) await findOrAsk(run, lookUp)
  // a client that this onboarding created has no other connection, unless one was created here before
  else if (state === 'none' && (client.adopted || confirmations > 0)) await findOnce(run, lookUp)
  if (addition(run).state === 'none') {
    const isNoted = await create(run, 'A6', (limit, session) =>
      api.addConnection(limit, session, clientId, plan.connection),
    )
    if (!isNoted) await findOrAsk(run, lookUp)
  }
  return await awaitConnection(run, list, Number(addition(run).id))
}

/** Knowledge of A6 as it is now: each function above may add to it. */
function addition({ journal }: Run): MadeThing {
  return journal.known.made.A6
}

type List = CallAttempt<ListedConnection[]>

function lookUpByName({ plan }: Run, list: List): LookUp<ListedConnection[]> {
  const { name } = plan.connection
  return {
    creating: 'A6',
    list,
    candidates: (listed) => connectionsNamed(listed, name),
    words: {
      several: (ids) => `The list of connections shows several of that name: ${ids.join(', ')}.`,
      none: 'The list of connections shows none of that name.',
      found: (id) => `The connection ${JSON.stringify(name)} is there already, by the list: ${id}.`,
    },
  }
}

async function awaitConnection(run: Run, list: List, id: number): Promise<number> {
  let saysNothing = false
  await follow(run, 'A6', {
    attempt: list,
    judge: (items) => {
      const { state, word } = connectionState(items, id)
      saysNothing = word === undefined
      return { state, word: word ?? 'listed' }
    },
    problem: (word) => problem(run, id, word),
  })
  if (saysNothing) {
    run.steps.note('The list of connections says nothing about their states; that this one is listed counts as done.')
  }
  return id
}

function problem(run: Run, id: number, word: string): string {
  const { name } = run.plan.connection
  return (
    `A7: the connection ${JSON.stringify(name)} (${id}) is ${JSON.stringify(word)}. ` +
    `Correct it in the product and run the same command again; or delete it there, correct the config, and run again with ` +
    `--not-created ${confirmationOf('A6', addition(run))}.`
  )
}

type Item = Readonly<Record<string, unknown>>

/** `word` is the state as listed. `undefined` when the list has none. */
interface ConnectionState {
  readonly state: JobState
  readonly word: string | undefined
}

/** Reads the state of a connection from the list of A7. A failed state in any field decides; then a `status` that is done; then any
 *  running state; one without any is done (decisions.md#a-listed-connection-is-done). `properties.status` is no state. */
export function connectionState(list: readonly Item[], id: number): ConnectionState {
  const item = list.find((item) => idOf(item) === id)
  if (item === undefined) return { state: 'running', word: 'not listed' }
  const { status, integration_type: type } = item
  const own = wordsIn(status, memberOf(status, 'name'))
  const words = [...own, ...wordsIn(memberOf(type, 'pipeline_state'))]
  return saying(words, 'failed') ?? saying(own, 'done') ?? saying(words, 'running') ?? { state: 'done', word: words[0] }
}

/** The state, with the first word that means it. `undefined` when no word does. */
function saying(words: readonly string[], state: JobState): ConnectionState | undefined {
  const word = words.find((word) => stateOf(word) === state)
  return word === undefined ? undefined : { state, word }
}

/** Ids of the connections of a name, each once. */
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
