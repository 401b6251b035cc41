// The step for the connection to the client's store: A6 adds it, and A7, the list of connections, is polled until it is ready. The
// list also finds it by its name when the journal does not have its id.

import type { ListedConnection } from '../service/onboarding/onboarding-answers.ts'
import { create } from './create.ts'
import { isOpen, type MadeThing } from './journal-entries.ts'
import { findOnce, findOrAsk, type LookUp } from './look-up.ts'
import { follow, stateOf, type JobState } from './poll.ts'
import { confirmationOf } from './halt.ts'
import { withToken, type CallAttempt } from './sessions.ts'
import type { Run } from './types.ts'

/** Adds the connection, unless an earlier run has or the list shows it, and waits until it is ready. @returns its id */
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
  // a client that this onboarding created has no connection yet, unless A6 was sent before (and the user confirmed that there is none)
  else if (state === 'none' && (client.adopted || confirmations > 0)) await findOnce(run, lookUp)
  if (addition(run).state === 'none') {
    const isRecorded = await create(run, 'A6', (limit, session) =>
      api.addConnection(limit, session, clientId, plan.connection),
    )
    if (!isRecorded) await findOrAsk(run, lookUp)
  }
  return await awaitConnection(run, list, Number(addition(run).id))
}

/** The journal's knowledge of A6 now: `create` and the look-ups write to it. */
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
  let hasNoState = false
  await follow(run, 'A6', {
    attempt: list,
    judge: (items) => {
      const { state, word } = connectionState(items, id)
      hasNoState = word === undefined
      return { state, word: word ?? 'listed' }
    },
    problem: (word) => failedConnection(run, id, word),
  })
  if (hasNoState) {
    run.steps.note('The list of connections says nothing about their states; that this one is listed counts as done.')
  }
  return id
}

function failedConnection(run: Run, id: number, word: string): string {
  const { name } = run.plan.connection
  return (
    `A7: the connection ${JSON.stringify(name)} (${id}) is ${JSON.stringify(word)}. ` +
    `Correct it in the product and run the same command again; or delete it there, correct the config, and run again with ` +
    `--not-created ${confirmationOf('A6', addition(run))}.`
  )
}

/** A connection as A7 lists it; any member may be missing. */
type Item = Readonly<Record<string, unknown>>

/** How far a connection is. `word` is the service's word for that, or `not listed`. `undefined` when the list has no word for it. */
interface ConnectionState {
  readonly state: JobState
  readonly word: string | undefined
}

/** Reads the state of a connection from the list of A7. Three members may have a word for it: `status`, `status.name` and
 *  `integration_type.pipeline_state`. A failed word in any of them decides; then a done one in the first two; then a running one in any.
 *  A connection without any is done (decisions.md#a-listed-connection-is-done). */
export function connectionState(list: readonly Item[], id: number): ConnectionState {
  const item = list.find((item) => idOf(item) === id)
  if (item === undefined) return { state: 'running', word: 'not listed' }
  const { status, integration_type: type } = item
  const ofStatus = wordsIn(status, memberOf(status, 'name'))
  const all = [...ofStatus, ...wordsIn(memberOf(type, 'pipeline_state'))]
  return saying(all, 'failed') ?? saying(ofStatus, 'done') ?? saying(all, 'running') ?? { state: 'done', word: all[0] }
}

/** A state, with the first of the words that means it. `undefined` when none does. */
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

/** The id of a connection, which may be listed as a text. `undefined` when it is no whole number. */
function idOf({ id }: Item): number | undefined {
  const number = typeof id === 'string' && /^\d+$/.test(id) ? Number(id) : id
  return Number.isSafeInteger(number) ? (number as number) : undefined
}
