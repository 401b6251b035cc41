// The connection to the client's store: A6 adds it, A7 is polled until it is ready. A7 also finds a connection by its name when
// its id is not in the journal.

import type { ListedConnection } from '../service/onboarding/onboarding-answers.ts'
import { create, isOpen } from './create.ts'
import { identityOf } from './identity.ts'
import { askUser, follow, lookUp, stateOf } from './poll.ts'
import type { JobState } from './poll.ts'
import { confirmationOf } from './questions.ts'
import { withToken } from './sessions.ts'
import type { CallAttempt } from './sessions.ts'
import type { Run } from './types.ts'

/** @returns the id of the connection */
export async function connectionStep(run: Run, clientId: number): Promise<number> {
  const { journal, steps, plan, api } = run
  const { made } = journal.known
  const { state, id, confirmations } = made.A6
  if (state === 'done' && typeof id === 'number') {
    steps.skip('connection', `connection ${id}`)
    return id
  }
  steps.begin('connection')
  const list = withToken(run, (limit, session) => api.listConnections(limit, session, clientId))
  if (isOpen(state)) await findOrAsk(run, list)
  // a client that this onboarding created has no other connection, unless one was created here before
  else if (state === 'none' && (made.A2.adopted || confirmations > 0)) await find(run, list, 1)
  if (journal.known.made.A6.state === 'none') {
    const isNoted = await create(run, 'A6', (limit, session) =>
      api.addConnection(limit, session, clientId, plan.connection),
    )
    if (!isNoted) await findOrAsk(run, list)
  }
  return await awaitConnection(run, list, Number(journal.known.made.A6.id))
}

type List = CallAttempt<ListedConnection[]>

async function findOrAsk(run: Run, list: List): Promise<void> {
  if (!(await find(run, list))) askUser(run, 'A6', 'The list of connections shows none of that name.')
}

/** Writes the one connection of that name to the journal; if there are several, the user is asked. */
function find(run: Run, list: List, looks?: number): Promise<boolean> {
  const { plan, journal, steps } = run
  const { name } = plan.connection
  const isThere = (listed: ListedConnection[]): boolean => {
    const [id, ...more] = connectionsNamed(listed, name)
    if (more.length > 0)
      askUser(run, 'A6', `The list of connections shows several of that name: ${[id, ...more].join(', ')}.`)
    if (id === undefined) return false
    journal.append({ event: 'adopted', endpoint: 'A6', id, of: identityOf('A6', plan) })
    steps.note(`The connection ${JSON.stringify(name)} is there already, by the list: ${id}.`)
    return true
  }
  return lookUp(run, 'A7', list, isThere, looks)
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

function problem({ journal, plan }: Run, id: number, word: string): string {
  return (
    `A7: the connection ${JSON.stringify(plan.connection.name)} (${id}) is ${JSON.stringify(word)}. ` +
    `Correct it in the product and run the same command again; or delete it there, correct the config, and run again with ` +
    `--not-created ${confirmationOf('A6', journal.known.made.A6)}.`
  )
}

// The state of a connection, and the connections of a name, from the list of A7
// (decisions.md#a-listed-connection-is-done).

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
