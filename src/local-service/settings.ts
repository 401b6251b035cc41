// The settings of the local service: latency, a share of random faults, a rate limit. They can be changed while it runs
// (`/_local/settings`), for requests that arrive afterwards.

import { z } from 'zod'
import { errorBody } from './answers.ts'
import type { Fault } from './types.ts'
import { mustBe } from './json-body.ts'

/** Milliseconds; the most that a timer can wait. */
export const LONGEST_WAIT_MS = 2_147_483_647

/** Errors of the members: each "must be …". */
const SPREAD = mustBe(`null or {"from":…,"to":…}, milliseconds from 0 to ${LONGEST_WAIT_MS}, the least first`)
const SHARE = mustBe('a number from 0 to 1')
const RATE = mustBe('null or a number of requests a second above 0')
const wait = z.number(SPREAD).min(0, SPREAD).max(LONGEST_WAIT_MS, SPREAD)

/** The body of `POST /_local/settings`; what is left out stays as it is. */
export const settingsSchema = z.strictObject(
  {
    /** How long each request of the import interface waits: a random time between the two. */
    latency_ms: z
      .strictObject({ from: wait, to: wait }, SPREAD)
      .refine(({ from, to }) => from <= to, SPREAD)
      .nullable()
      .exactOptional(),
    /** The share of upserts that end in a random fault. */
    error_rate: z.number(SHARE).min(0, SHARE).max(1, SHARE).exactOptional(),
    /** Requests a second and client. */
    rate_limit: z.number(RATE).positive(RATE).nullable().exactOptional(),
  },
  mustBe('a JSON object'),
)

export type SettingsChange = z.output<typeof settingsSchema>
export type SettingsJson = Required<SettingsChange>

/** The random faults, equally likely. After a reset a client cannot know whether the upsert was stored: `after` it was, `before` not. */
const RANDOM_FAULTS: readonly Fault[] = [
  { answer: { status: 500, body: errorBody(500, ['a random fault; nothing was stored']) } },
  { answer: { status: 503, body: errorBody(503, ['a random fault; nothing was stored']) } },
  { reset: 'before' },
  { reset: 'after' },
]

export class Settings {
  /** Another one after each change of the rate: do not keep it. */
  rateLimit: RateLimit
  readonly #random: () => number
  readonly #initial: SettingsJson
  #current: SettingsJson

  /** @param random gives numbers from 0 to below 1 (seededRandom, or Math.random) */
  constructor(initial: SettingsJson, random: () => number) {
    this.#initial = initial
    this.#current = initial
    this.#random = random
    this.rateLimit = new RateLimit(initial.rate_limit ?? Infinity)
  }

  get json(): SettingsJson {
    return this.#current
  }

  change(change: SettingsChange): void {
    this.#current = { ...this.#current, ...change }
    if (change.rate_limit !== undefined) this.rateLimit = new RateLimit(change.rate_limit ?? Infinity)
  }

  /** Sets all to what it was when the service started. */
  reset(): void {
    this.change(this.#initial)
  }

  /** How long the next request waits, in milliseconds. `undefined` when it does not. */
  latency(): number | undefined {
    const { latency_ms: spread } = this.#current
    return spread === null ? undefined : spread.from + (spread.to - spread.from) * this.#random()
  }

  /** The fault of the upsert that has just arrived. `undefined` when chance gives it none. */
  randomFault(): Fault | undefined {
    const { error_rate: rate } = this.#current
    if (rate === 0 || this.#random() >= rate) return undefined
    return RANDOM_FAULTS[Math.floor(this.#random() * RANDOM_FAULTS.length)]
  }
}

interface Bucket {
  /** How many requests may pass at once; may be a fraction. */
  tokens: number
  /** When `tokens` were counted, by the clock of `secondsToWait`. */
  at: number
}

/** A token bucket for each client. It holds at most as many tokens as are added in a second, and at least one. */
export class RateLimit {
  readonly #perSecond: number
  readonly #buckets = new Map<number, Bucket>()

  /** @param perSecond Infinity for no limit */
  constructor(perSecond: number) {
    this.#perSecond = perSecond
  }

  /** Takes a token for a request that may pass.
   *  @param now milliseconds since any moment
   *  @returns 0 when it may pass, else whole seconds after which to try again */
  secondsToWait(clientId: number, now: number): number {
    if (this.#perSecond === Infinity) return 0
    const capacity = Math.max(1, this.#perSecond)
    const bucket = this.#buckets.get(clientId) ?? { tokens: capacity, at: now }
    this.#buckets.set(clientId, bucket)
    bucket.tokens = Math.min(capacity, bucket.tokens + (Math.max(0, now - bucket.at) / 1000) * this.#perSecond)
    bucket.at = now
    if (bucket.tokens < 1) return Math.max(1, Math.ceil((1 - bucket.tokens) / this.#perSecond))
    bucket.tokens -= 1
    return 0
  }
}

/** Makes numbers from 0 to below 1 by mulberry32, always the same ones for one `seed` (serve --seed), whose lowest 32 bits count. */
export function seededRandom(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
