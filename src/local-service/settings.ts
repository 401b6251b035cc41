// What the local service does to requests that have no script: latency, faults by chance, a rate limit. Changed while
// it runs (`/_local/settings`).

import { errorBody } from './answers.ts'
import type { Fault } from './types.ts'
import { isObject } from '../json/is-object.ts'

/** Milliseconds. */
export interface Spread {
  readonly from: number
  readonly to: number
}

/** Settings as the JSON has them. Null stands for none. Null: none. */
export interface SettingsJson {
  /** Each request of the import interface waits, evenly spread. */
  readonly latency_ms: Spread | null
  /** The share of upserts that end in a random fault. */
  readonly error_rate: number
  /** Requests a second and client. */
  readonly rate_limit: number | null
}

/** A change of settings; what is left out stays as it is. */
export type SettingsChange = Partial<SettingsJson>

const MEMBERS = ['latency_ms', 'error_rate', 'rate_limit']
/** Most milliseconds that a timer can wait. */
const MAX_MS = 2_147_483_647

export class Settings {
  rateLimit: RateLimit
  readonly #random: () => number
  readonly #first: SettingsJson
  #now: SettingsJson

  /** `random`: numbers from 0 to below 1. */
  constructor(first: SettingsJson, random: () => number) {
    this.#first = first
    this.#now = first
    this.#random = random
    this.rateLimit = new RateLimit(first.rate_limit ?? Infinity)
  }

  get json(): SettingsJson {
    return this.#now
  }

  /** For requests that arrive from now on. `change`: without faults. */
  change(change: SettingsChange): void {
    this.#now = { ...this.#now, ...change }
    if (change.rate_limit !== undefined) this.rateLimit = new RateLimit(change.rate_limit ?? Infinity)
  }

  /** Sets all to what it was when the service started. */
  reset(): void {
    this.change(this.#first)
  }

  /** How long the next request waits, in milliseconds. `undefined` when it does not. */
  latency(): number | undefined {
    const { latency_ms: spread } = this.#now
    return spread === null ? undefined : spread.from + (spread.to - spread.from) * this.#random()
  }

  /** That of the upsert that has just arrived, if chance gives it one. */
  randomFault(): Fault | undefined {
    const { error_rate: rate } = this.#now
    if (rate === 0 || this.#random() >= rate) return undefined
    return KINDS[Math.floor(this.#random() * KINDS.length)]
  }
}

/** Everything that is wrong with it; empty: it is a SettingsChange. */
export function settingsFaults(value: unknown): readonly string[] {
  if (!isObject(value)) return ['settings are a JSON object']
  const has = (name: string): boolean => Object.hasOwn(value, name)
  const unknown = Object.keys(value).filter((name) => !MEMBERS.includes(name))
  const faults = unknown.map((name) => `${JSON.stringify(name)} is unknown: there are ${MEMBERS.join(', ')}`)
  const { latency_ms: latency, error_rate: rate, rate_limit: limit } = value
  if (has('latency_ms') && latency !== null && !isSpread(latency)) {
    faults.push(`latency_ms must be null or {"from":…,"to":…}, milliseconds from 0 to ${MAX_MS}, the least first`)
  }
  if (has('error_rate') && !isWithin(rate, 0, 1)) faults.push('error_rate must be a number from 0 to 1')
  if (has('rate_limit') && limit !== null && !(isWithin(limit, 0, Number.MAX_VALUE) && limit !== 0)) {
    faults.push('rate_limit must be null or a number of requests a second above 0')
  }
  return faults
}

function isSpread(value: unknown): value is Spread {
  if (!isObject(value) || Object.keys(value).some((name) => name !== 'from' && name !== 'to')) return false
  const { from, to } = value
  return isWithin(from, 0, MAX_MS) && isWithin(to, from as number, MAX_MS)
}

function isWithin(value: unknown, from: number, to: number): boolean {
  return typeof value === 'number' && value >= from && value <= to
}

/** Faults, equally likely. After a reset a client cannot know whether the upsert was stored: once it was, once not. */
const KINDS: readonly Fault[] = [
  { answer: { status: 500, body: errorBody(500, ['a random fault; nothing was stored']) } },
  { answer: { status: 503, body: errorBody(503, ['a random fault; nothing was stored']) } },
  { reset: 'before' },
  { reset: 'after' },
]

interface Bucket {
  tokens: number
  at: number
}

/** A token bucket for each client, holding at most one second's worth. */
export class RateLimit {
  readonly #perSecond: number
  readonly #buckets = new Map<number, Bucket>()

  /** Infinity: no limit. */
  constructor(perSecond: number) {
    this.#perSecond = perSecond
  }

  /** Counts one request at `now` (milliseconds); answers 0 when it may pass, else the whole seconds to wait. */
  take(clientId: number, now: number): number {
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

/** Numbers from 0 to below 1, the same ones for the same `seed`, of which the lowest 32 bits count (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
