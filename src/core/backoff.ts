// How long to wait before a retry: one formula (`backoffMs`), and its figures for each use. Pauses begin short, as most faults end soon.
// They grow, to spare a service in trouble. They are random where many clients might retry at one moment. Pure: chance is a parameter.

/** Figures of the formula. A pause is a step times a random number; steps grow from one retry to the next. */
export interface Backoff {
  /** Milliseconds: the step before the first retry, and the longest step. */
  readonly firstMs: number
  readonly longestMs: number
  /** Factor from one step to the next. */
  readonly factor: number
  /** The bounds of the random number. */
  readonly jitter: readonly [least: number, most: number]
}

/** Chance for figures without jitter: any number gives the same. */
export const ANY_CHANCE = 0
/** No chance, where no other clients retry at the same moment; and the most that spreads them, where many do. */
const NO_JITTER = [1, 1] as const
const FULL_JITTER = [0, 1] as const

/** Retries of an upsert (a request that sends rows), and of a request of onboarding. */
export const REQUEST: Backoff = { firstMs: 200, longestMs: 30_000, factor: 2, jitter: FULL_JITTER }
/** Retries of an upsert that was answered 429. */
export const THROTTLED: Backoff = { ...REQUEST, firstMs: 1000 }
/** Questions whether a job of onboarding is done. The first and the longest step are options. */
export const POLL: Omit<Backoff, 'firstMs' | 'longestMs'> = { factor: 1.5, jitter: [0.75, 1.25] }
/** Retries of a request of the command `check`, whose user may be waiting at the screen. */
export const CHECK: Backoff = { firstMs: 300, longestMs: 1000, factor: 4, jitter: NO_JITTER }
/** Retries of a request to a schema registry, which is asked until it answers. */
export const REGISTRY: Backoff = { firstMs: 100, longestMs: 5000, factor: 2, jitter: [0.5, 1] }
/** Three more questions for a schema that the registry does not know, within three seconds; then records that need it are rejected. */
export const SCHEMA_DOUBTED: Backoff = { firstMs: 400, longestMs: 2000, factor: 2, jitter: NO_JITTER }
/** Questions for such a schema after that, because it may still be registered. */
export const SCHEMA_AGAIN: Backoff = { firstMs: 2000, longestMs: 60_000, factor: 2, jitter: NO_JITTER }
/** Retries at a token server that gives no token. They stay close together, so that a token comes within seconds once it is back. */
export const TOKEN: Backoff = { firstMs: 500, longestMs: 5000, factor: 2, jitter: [0.5, 1] }
/** New starts of a Kafka client that crashed. They stay close together, so that one comes soon after an outage, however long that was. */
export const KAFKA_CLIENT: Backoff = { firstMs: 200, longestMs: 2000, factor: 2, jitter: NO_JITTER }
/** Retries of dead letters while brokers are away. */
export const DEAD_LETTERS: Backoff = { firstMs: 100, longestMs: 2000, factor: 2, jitter: [0.75, 1] }

/** The largest exponent. Steps are at their longest long before it, and a power far beyond it would be infinite. */
const LARGEST_EXPONENT = 64

/** The pause before the next retry.
 *  @param tries made so far, from 1
 *  @param random chance, in [0, 1)
 *  @returns milliseconds */
export function backoffMs(
  { firstMs, longestMs, factor, jitter: [least, most] }: Backoff,
  tries: number,
  random: number,
): number {
  const step = Math.min(longestMs, firstMs * factor ** Math.min(tries - 1, LARGEST_EXPONENT))
  return step * (least + (most - least) * random)
}
