// Waits for what a creating request started, and notes in the journal how it ended.

import { ConnectorError } from '../core/errors.ts'
import type { Creating } from './journal-entries.ts'
import type { Polling } from './poll.ts'
import { poll } from './poll.ts'
import { questionAbout } from './questions.ts'
import type { Got, Halt, Run } from './types.ts'

/** Throws a ConnectorError when the job fails, `problem` says what to do then, or when its time is over.
 *  @param learnt what the journal keeps of a job that ended well */
export async function follow<T, V>(
  run: Run,
  creating: Creating,
  polling: Omit<Polling<T, V>, 'onOverdue'>,
  problem: (word: string) => string,
  learnt: (value: V) => { client_id?: number; pubkey?: string } = () => ({}),
): Promise<Got<V>> {
  const { journal } = run
  const over = await poll(run, {
    ...polling,
    onOverdue: (word) => journal.append({ event: 'waited', endpoint: creating, word }),
  })
  if (over.status !== 'got') return over
  const { state, word, value } = over.value
  if (state === 'failed') {
    journal.append({ event: 'failed', endpoint: creating, word })
    throw new ConnectorError('config', problem(word))
  }
  journal.append({ event: 'done', endpoint: creating, ...learnt(value) })
  run.track.tell('done', word)
  return { status: 'got', value }
}

/** Nobody knows whether it was made. @param found what a list of the service says, as a sentence */
export function ask(run: Run, creating: Creating, found?: string): Halt {
  const { known } = run.journal
  return {
    status: 'asks',
    question: questionAbout(creating, known.made[creating], run.plan, known.clientId, found),
  }
}
