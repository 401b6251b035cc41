// What a service that is not a plain one does, and what it saw: the words shared by server and runner.

export interface Shape {
  /** How long an upsert takes once it is being worked on. */
  readonly latencyMs: number
  /** Upserts worked on at once; the others queue. */
  readonly capacity: number
  /** Points a second, one upsert after another in the order they came; `latencyMs` is then the way there and back. */
  readonly pointsPerSecond: number
  /** Upserts a second; what is beyond is answered 429 at once. */
  readonly perSecond: number
  /** Upserts that may come at once after a pause. */
  readonly burst: number
  /** What a 429 says about when to come back. */
  readonly retryAfter: 'nothing' | { readonly seconds: number; readonly as: 'seconds' | 'date' }
  /** One 429 at this time, and what comes until its Retry-After is over is counted as early. */
  readonly oneThrottleAtMs?: number
  /** While it lasts connections are refused. */
  readonly outage?: { readonly fromMs: number; readonly forMs: number }
}

export const PLAIN: Shape = {
  latencyMs: 0,
  capacity: Infinity,
  pointsPerSecond: Infinity,
  perSecond: Infinity,
  burst: 1,
  retryAfter: 'nothing',
}

/** In one tenth of a second since the first upsert. */
export interface Tenth {
  delivered: number
  /** In those that were delivered, where `pointsPerSecond` is limited. */
  points: number
  /** Milliseconds that the delivered took, from their last byte to the answer, summed. */
  waitedMs: number
  throttled: number
  /** Upserts that came although a Retry-After was not over. */
  early: number
}
