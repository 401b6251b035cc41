// How long to wait before a retry: one formula, and its figures for each use. Pauses begin short, because most faults are over soon.
// They grow, to spare a service in trouble. They are random wherever many clients might retry at the same moment. Pure: chance
// is a parameter.

export interface Backoff {
  /** Milliseconds: the step before the second try, and the longest step. */
  readonly firstMs: number
  readonly longestMs: number
  /** Factor from one step to the next. */
  readonly factor: number
  /** A pause is its step times a random number between these two. */
  readonly jitter: readonly [least: number, most: number]
}

/** Without chance, where no other clients retry at the same moment. */
const NO_JITTER = [1, 1] as const
const FULL_JITTER = [0, 1] as const

/** An upsert, and a request of onboarding: of many clients, and within a budget of time. */
export const REQUEST: Backoff = { firstMs: 200, longestMs: 30_000, factor: 2, jitter: FULL_JITTER }
/** An upsert after 429. */
export const THROTTLED: Backoff = { ...REQUEST, firstMs: 1000 }
/** A job of onboarding that is asked for again; its first and longest step are options. */
export const POLL: Omit<Backoff, 'firstMs' | 'longestMs'> = { factor: 1.5, jitter: [0.75, 1.25] }
/** A question of `check`: a person may be waiting before a screen. */
export const CHECK: Backoff = { firstMs: 300, longestMs: 1000, factor: 4, jitter: NO_JITTER }
/** A question to a schema registry, which is asked for as long as it takes. */
export const REGISTRY: Backoff = { firstMs: 100, longestMs: 5000, factor: 2, jitter: [0.5, 1] }
/** A schema that a registry does not know, before its records are rejected: within three seconds. */
export const SCHEMA_DOUBTED: Backoff = { firstMs: 400, longestMs: 2000, factor: 2, jitter: NO_JITTER }
/** The same schema, while its records are rejected. */
export const SCHEMA_AGAIN: Backoff = { firstMs: 2000, longestMs: 60_000, factor: 2, jitter: NO_JITTER }
/** A token of a token server that is away: one that is back gives it within seconds. */
export const TOKEN: Backoff = { firstMs: 500, longestMs: 5000, factor: 2, jitter: [0.5, 1] }
/** A Kafka client that crashed. The first try after an outage comes soon, however long that was. */
export const KAFKA_CLIENT: Backoff = { firstMs: 200, longestMs: 2000, factor: 2, jitter: NO_JITTER }
/** Dead letters for brokers that are away. */
export const DEAD_LETTERS: Backoff = { firstMs: 100, longestMs: 2000, factor: 2, jitter: [0.75, 1] }

/** Larger exponents change nothing, and might be infinite. */
const MOST_STEPS = 64

/** @param tries made so far, from 1
 *  @param random [0, 1)
 *  @returns milliseconds */
export function backoffMs(
  { firstMs, longestMs, factor, jitter: [least, most] }: Backoff,
  tries: number,
  random: number,
): number {
  const step = Math.min(longestMs, firstMs * factor ** Math.min(tries - 1, MOST_STEPS))
  return step * (least + (most - least) * random)
}
