// What may become of one attempt: of its body, and of its answer.

/** Retry-After, in seconds or as a date. */
export type Hint = 'seconds' | 'date'

/** `later`: after the attempt has ended, inside the late-write guard. */
export type Body = 'stored' | 'later' | 'lost'

/** An answer began; `cut`: it broke off in its body, `cut-silent`: it went silent there. */
export interface Answered {
  readonly end: 'answered' | 'cut' | 'cut-silent'
  readonly body: Body
  readonly status: number
  readonly hint?: Hint
  /** Somebody else's page in place of an answer of the service. */
  readonly page?: true
}

/** reset, silent: no answer, although the body left; refused, unreachable: no connection, nothing left. */
export interface Unanswered {
  readonly end: 'reset' | 'silent' | 'refused' | 'unreachable'
  readonly body: Body
  /** Over a connection that had been closed as it lay idle. */
  readonly stale?: true
}

export type ServiceOutcome = Answered | Unanswered

const answered = (status: number, body: Body = 'lost', hint?: Hint): ServiceOutcome =>
  hint ? { end: 'answered', status, body, hint } : { end: 'answered', status, body }

export const SERVICE_OUTCOMES = {
  ok: answered(200, 'stored'),
  /** Soon: while the body still leaves. */
  okSoon: answered(200, 'stored'),
  refusal: answered(400),
  refusalSoon: answered(400),
  tooLarge: answered(413),
  throttled: answered(429, 'lost', 'seconds'),
  throttledUntil: answered(429, 'lost', 'date'),
  throttledBare: answered(429),
  throttledCut: { end: 'cut', status: 429, body: 'lost', hint: 'seconds' },
  unavailable: answered(503, 'lost', 'seconds'),
  unavailableUntil: answered(503, 'lost', 'date'),
  unavailableBare: answered(503),
  tooSlow: answered(408),
  errorBefore: answered(500),
  errorAfter: answered(500, 'stored'),
  gatewayNow: answered(504, 'stored'),
  gatewayLater: answered(504, 'later'),
  gatewayNever: answered(502),
  lostNow: { end: 'reset', body: 'stored' },
  lostLater: { end: 'reset', body: 'later' },
  lostNever: { end: 'reset', body: 'lost' },
  staleLater: { end: 'reset', body: 'later', stale: true },
  staleNever: { end: 'reset', body: 'lost', stale: true },
  silentNow: { end: 'silent', body: 'stored' },
  silentLater: { end: 'silent', body: 'later' },
  silentNever: { end: 'silent', body: 'lost' },
  half: { end: 'cut', status: 200, body: 'stored' },
  halfLater: { end: 'cut', status: 201, body: 'later' },
  halfSilent: { end: 'cut-silent', status: 200, body: 'stored' },
  refused: { end: 'refused', body: 'lost' },
  unreachable: { end: 'unreachable', body: 'lost' },
  stop: answered(401),
  stranger: { end: 'answered', status: 200, body: 'lost', page: true },
  /** The transport itself breaks. */
  throws: { end: 'refused', body: 'lost' },
} as const satisfies Record<string, ServiceOutcome>

export type Way = keyof typeof SERVICE_OUTCOMES

/** Whether the body may have arrived although no answer says so: no status line, a success that broke off, a gateway that
 *  answered in the service's place. */
export function isAmbiguous(outcome: ServiceOutcome): boolean {
  if (!isAnswered(outcome)) return outcome.end === 'reset' || outcome.end === 'silent'
  return (outcome.end !== 'answered' && outcome.status < 300) || outcome.status === 502 || outcome.status === 504
}

export function isAnswered(outcome: ServiceOutcome): outcome is Answered {
  return 'status' in outcome
}
