// The connection to the client's store: A6 adds it, A7 is polled until it is ready. A7 also finds a connection by its name when
// its id is not in the journal.

import type { ListedConnection } from '../service/onboarding/onboarding-answers.ts'
import { connectionsNamed, connectionState } from './connection-list.ts'
import { create, isOpen } from './create.ts'
import { identityOf } from './identity.ts'
import type { MadeThing } from './journal-entries.ts'
import { askUser, lookUp } from './look-up.ts'
import { follow } from './poll.ts'
import { confirmationOf } from './questions.ts'
import { withToken } from './sessions.ts'
import type { CallAttempt } from './sessions.ts'
import type { Run } from './types.ts'

/** @returns the id of the connection */
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
  if (isOpen(state)) await findOrAsk(run, list)
  // a client that this onboarding created has no other connection, unless one was created here before
  else if (state === 'none' && (client.adopted || confirmations > 0)) await find(run, list, { attempts: 1 })
  if (addition(run).state === 'none') {
    const isNoted = await create(run, 'A6', (limit, session) =>
      api.addConnection(limit, session, clientId, plan.connection),
    )
    if (!isNoted) await findOrAsk(run, list)
  }
  return await awaitConnection(run, list, Number(addition(run).id))
}

/** Knowledge of A6, which the steps above have added to. */
function addition({ journal }: Run): MadeThing {
  return journal.known.made.A6
}

type List = CallAttempt<ListedConnection[]>

async function findOrAsk(run: Run, list: List): Promise<void> {
  if (!(await find(run, list))) askUser(run, 'A6', 'The list of connections shows none of that name.')
}

/** Writes the one connection of that name to the journal; if there are several, the user is asked.
 *  @param how how often the list is asked for
 *  @returns whether it was found */
function find(run: Run, list: List, how?: { readonly attempts: number }): Promise<boolean> {
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
  return lookUp(run, 'A7', list, isThere, how)
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
