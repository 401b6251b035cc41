// Answers and failures as the client's HTTP library reports them. Knows nothing of what they mean to the engine.

import type { HttpAnswer } from '../../src/service/http/answer.ts'
import type { Failure } from '../../src/service/http/failure.ts'
import type { Hint } from './service-outcomes.ts'

/** The wall clock at virtual time 0: a whole second. */
export const EPOCH = 1_700_000_000_000

/** Retry-After as it stands in the answer, and until when it pauses one who receives it at a time. */
export interface Hinted {
  readonly text: string
  readonly until: (received: number) => number
}

export type Exchange =
  | ({ readonly kind: 'answer'; readonly pausedUntil: ((received: number) => number) | undefined } & HttpAnswer)
  | Failure

const BODIES: Record<number, string> = {
  200: '{"code":200,"message":"done","status":"complete","created_at":"2024-01-01 00:00:00"}',
  201: '{"code":201,"message":"done","status":"complete","created_at":"2024-01-01 00:00:00"}',
  400: '{"code":400,"message":"a point is poisoned"}',
  401: '{"code":401,"message":"the service wants no more"}',
}
const PAGE = '<html><title>Sign in</title></html>'

/** @param now virtual time of the answer */
export function hinted(hint: Hint, seconds: number, now: number): Hinted {
  if (hint === 'seconds') return { text: String(seconds), until: (received) => received + seconds * 1000 }
  const date = new Date(Math.floor((EPOCH + now) / 1000 + seconds) * 1000)
  return { text: date.toUTCString(), until: () => date.getTime() - EPOCH }
}

export function answer(status: number, end: HttpAnswer['end'], hint?: Hinted, isPage?: true): Exchange {
  const whole = Buffer.from(isPage ? PAGE : (BODIES[status] ?? `{"code":${status},"message":"no"}`))
  const body = end === 'whole' ? whole : whole.subarray(0, whole.length / 2)
  return {
    kind: 'answer',
    status,
    headers: hint ? { 'retry-after': hint.text } : {},
    body,
    length: body.length,
    json: undefined,
    end,
    pausedUntil: hint?.until,
  }
}

const CODES = { refused: 'ECONNREFUSED', reset: 'ECONNRESET' }

/** @param begun whether bytes of the request may have left
 *  @param stale over a connection that had been closed as it lay idle */
export function failure(why: 'aborted' | 'timeout' | 'refused' | 'reset', begun: boolean, stale?: true): Exchange {
  if (why === 'aborted' || why === 'timeout') return { kind: 'failure', why, begun }
  return { kind: 'failure', why: 'error', begun, error: { code: CODES[why] }, ...(stale ? { stale } : {}) }
}
