// The token of one client, for all that log in with it: fetched once, renewed before it expires. Decides when a token is fetched, who
// waits for it, and when the run is given up. Times are milliseconds of one monotonic clock.

import { backoffMs, TOKEN } from '../core/backoff.ts'
import type { Code } from '../core/codes.ts'
import { ConnectorError } from '../core/errors.ts'
import type { OutageEvents } from '../core/network.ts'
import type { Secret } from '../core/secret.ts'
import type { Clock } from '../core/types.ts'
import { within } from '../process/waiting.ts'
import { span } from '../text/figures.ts'
import type { FetchedToken, TokenSource } from './token-source.ts'

/** Part of its life after which a token is renewed, and how much later by chance: many processes begin at once. */
const [RENEWED_AT, JITTER] = [0.5, 0.1]
/** For how long a login waits: connections wait for it, and heartbeats for them. */
const LOGIN_MS = 2_000
/** Between renewals that logins ask for. */
const ASKED_APART_MS = 10_000
/** Of a pause that the server asked for. */
const MOST_AFTER_MS = 60_000
/** A session that is shorter is ended by the next login: brokers refuse two within a second. */
const SHORTEST_MS = 3_000

export interface HeldTokenOptions {
  readonly source: TokenSource
  /** host:port, for messages. */
  readonly place: string
  readonly clock: Clock
  /** For how long there may be no token before the run is given up. */
  readonly deadlineMs: number
  /** Learns how each fetch ends. */
  readonly outage?: OutageEvents | undefined
}

/** There is no token to log in with. */
class NoToken extends Error {
  readonly code = 'NO_TOKEN'
}

interface Held {
  readonly token: Secret
  readonly from: number
  readonly lifeMs: number
  readonly serverDate: number | undefined
}

export class HeldToken {
  readonly #options: HeldTokenOptions
  #held: Held | undefined
  /** A server did not accept the token in hand. */
  #isRefused = false
  #fetchedCount = 0
  #failures = 0
  #failingSince: number | undefined
  #cause: string | undefined
  /** Settles with the fetch that is under way, or else the next one. */
  #fetch = Promise.withResolvers<void>()
  #isFetching = false
  #askedAt = -Infinity
  /** Aborts to fetch at once. */
  #early = new AbortController()
  readonly #first = Promise.withResolvers<void>()
  #failed: ConnectorError | undefined

  constructor(options: HeldTokenOptions) {
    this.#options = options
    // it may fail before anybody waits
    this.#first.promise.catch(() => {})
  }

  /** Why the run has to end; undefined: it has not. */
  get failed(): ConnectorError | undefined {
    return this.#failed
  }

  /** For metrics and readiness. */
  get facts() {
    const expiresAt = this.#held && this.#held.from + this.#held.lifeMs
    const counts = { fetched: this.#fetchedCount, failed: this.#failures }
    return { place: this.#options.place, expiresAt, ...counts, failingSince: this.#failingSince, cause: this.#cause }
  }

  /** The token in hand as it was given, for `stream --check`. */
  get last(): Pick<Held, 'token' | 'lifeMs' | 'serverDate'> | undefined {
    return this.#held
  }

  /** Fetches and renews until `signal`, or until it has failed. Never throws. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options
    for (let tries = 1; !signal.aborted && !this.#failed;) {
      const fetched = await this.#fetched(signal)
      if (signal.aborted) return
      tries = 'token' in fetched ? 1 : tries + 1
      const waitMs = 'token' in fetched ? this.#taken(fetched) : this.#missed(fetched, tries)
      const { resolve } = this.#fetch
      this.#fetch = Promise.withResolvers()
      resolve()
      this.#early = new AbortController()
      if (!this.#failed) await clock.wait(waitMs, AbortSignal.any([signal, this.#early.signal]))
    }
  }

  /** Resolves when there was a token. @throws ConnectorError when none can be had */
  ready(): Promise<void> {
    return this.#first.promise
  }

  /** A token for one login: that in hand as long as half of its life is left, else a renewed one if it comes in time.
   *  @param refused one that a server did not accept: another one is wanted
   *  @throws Error where there is none that lives */
  async take(refused?: Secret): Promise<Secret> {
    const { clock, place } = this.#options
    if (refused !== undefined && refused === this.#held?.token) this.#isRefused = true
    if (this.#isRefused || this.#leftMs < (this.#held?.lifeMs ?? Infinity) * RENEWED_AT) {
      this.#hurry()
      await within(this.#fetch.promise, LOGIN_MS, clock)
    }
    if (this.#held && this.#leftMs >= Math.min(SHORTEST_MS, this.#held.lifeMs / 2)) return this.#held.token
    throw new NoToken(`the token server ${place} gives no token: ${this.#cause ?? 'no answer in time'}`)
  }

  get #leftMs(): number {
    return this.#held ? this.#held.from + this.#held.lifeMs - this.#options.clock.now() : 0
  }

  #hurry(): void {
    const now = this.#options.clock.now()
    if (this.#isFetching || now - this.#askedAt < ASKED_APART_MS) return
    this.#askedAt = now
    this.#early.abort()
  }

  async #fetched(signal: AbortSignal): Promise<FetchedToken & { readonly from: number }> {
    const { source, clock, outage } = this.#options
    const from = clock.now()
    outage?.began()
    this.#isFetching = true
    const fetched = await source(signal)
    this.#isFetching = false
    if ('failed' in fetched) outage?.failed(fetched.failed, fetched.remedy)
    else if ('refused' in fetched) outage?.failed({ words: fetched.refused }, `${fetched.remedy}.`)
    else outage?.answered()
    return { ...fetched, from }
  }

  /** @returns how long to wait */
  #taken({ token, from, lifeMs, serverDate }: Extract<FetchedToken, { token: Secret }> & { from: number }): number {
    this.#held = { token, from, lifeMs, serverDate }
    this.#isRefused = false
    this.#fetchedCount++
    this.#failingSince = this.#cause = undefined
    this.#first.resolve()
    return lifeMs * (RENEWED_AT + JITTER * this.#options.clock.random())
  }

  /** @returns how long to wait */
  #missed(fetched: Exclude<FetchedToken, { token: Secret }>, tries: number): number {
    const { clock, deadlineMs } = this.#options
    const now = clock.now()
    this.#failures++
    this.#failingSince ??= now
    const isRefused = 'refused' in fetched
    this.#cause = isRefused ? fetched.refused : fetched.failed.words
    const since = Math.max(this.#failingSince, this.#held ? this.#held.from + this.#held.lifeMs : 0)
    if (isRefused && !this.#held) this.#fail('config', fetched.code, `${fetched.refused}. ${fetched.remedy}.`)
    else if (now - since >= deadlineMs) {
      const words = `no token could be fetched for ${span(deadlineMs)} (kafka.broker_deadline_seconds): ${this.#cause}`
      const code = isRefused ? fetched.code : 'identity.unreachable'
      this.#fail('transient', code, `${words}. Start again when it gives tokens.`)
    }
    const afterMs = isRefused ? undefined : fetched.afterMs
    return Math.max(
      afterMs === undefined ? 0 : Math.min(afterMs, MOST_AFTER_MS),
      backoffMs(TOKEN, tries, clock.random()),
    )
  }

  #fail(kind: 'config' | 'transient', code: Code, words: string): void {
    this.#failed = new ConnectorError(kind, code, `The token server ${this.#options.place}: ${words}`)
    this.#first.reject(this.#failed)
  }
}
