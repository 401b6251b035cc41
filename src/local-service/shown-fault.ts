// A scripted fault that waits, as it is shown: no body of an answer, and names of bounded length.

import type { WaitingFault } from './faults.ts'
import type { Fault } from './types.ts'

/** Characters of a name that is shown. */
const MAX_NAME = 300

/** Of an answer only the status and when to come back: what else it holds is its maker's affair. `left`: null, for ever. */
export function shownFault({ id, fault, left }: WaitingFault): object {
  const { table, endpoint, path, every, delay_ms, reset, answer } = fault
  return {
    id,
    table: table?.slice(0, MAX_NAME),
    endpoint,
    path: path?.slice(0, MAX_NAME),
    every,
    left: left === Infinity ? null : left,
    delay_ms,
    reset,
    answer: shownAnswer(answer),
  }
}

function shownAnswer(answer: Fault['answer']): object | string | undefined {
  if (answer === undefined || typeof answer === 'function') return answer && 'a function'
  const [, after] = Object.entries(answer.headers ?? {}).find(([name]) => name.toLowerCase() === 'retry-after') ?? []
  return { status: answer.status, retry_after: after === undefined ? undefined : String(after).slice(0, 40) }
}
