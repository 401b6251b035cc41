// The token of one client of a token server, for all logins that need it. `run`, called once, fetches it and renews it before it expires;
// `ready` waits for the first one; `take` gives it to one login. Decides when a token is fetched, which logins wait for it, and when the
// run is given up. Times are milliseconds of one monotonic clock.

import { backoffMs, TOKEN } from '../core/backoff.ts'
import { ConnectorError, asConnectorError } from '../core/errors.ts'
import type { OutageEvents } from '../core/network.ts'
import { NoSecretError, type Secret } from '../core/secret.ts'
import type { Clock } from '../core/types.ts'
import { within } from '../process/waiting.ts'
import { span } from '../text/figures.ts'
import type { Miss, Token, TokenSource } from './token-source.ts'

/** Share of its life after which a token is renewed, and the greatest share that chance adds, because many processes begin at once. */
const [RENEWED_AT, JITTER] = [0.5, 0.1]
/** Longest wait of a login for a renewed token: a connection waits for its login, and heartbeats wait for the connection. */
const LOGIN_MS = 2_000
/** Shortest time between two fetches that logins bring forward. */
const HURRIED_APART_MS = 10_000
/** Longest pause that the server may ask for; longer ones are cut to it. */
const MOST_AFTER_MS = 60_000
/** Least life that a token has left when it is given to a login: the next must come before its end, but brokers refuse two in a second. */
const SHORTEST_MS = 3_000

export interface HeldTokenOptions {
  readonly source: TokenSource
  /** host:port, for messages. */
  readonly place: string
  readonly clock: Clock
  /** Time without a valid token after which the run is given up. */
  readonly deadlineMs: number
  /** Is told how each fetch ends. */
  readonly outage?: OutageEvents | undefined
}

export class HeldToken {
  readonly #options: HeldTokenOptions
  /** The newest token, and when it was asked for (`from`). `undefined` before the first one. */
  #held: (Token & { readonly from: number }) | undefined
  /** Whether a server did not accept the newest token. */
  #isRefused = false
  readonly #counts = { fetched: 0, failed: 0 }
  /** Since when fetches have failed, and the last failure. `undefined` when the last one succeeded, or there was none. */
  #failing: { readonly since: number; readonly cause: string; readonly remedy: string | undefined } | undefined
  /** Settles when the fetch that is under way ends, or else the next one, whether it succeeds or not. */
  #fetch = Promise.withResolvers<void>()
  /** Ends the pause before the next fetch. `undefined` while a fetch is under way. */
  #pause: AbortController | undefined
  #hurriedAt = -Infinity
  /** Settles with the first token, or with `failed` if that comes before. */
  readonly #first = Promise.withResolvers<void>()
  /** Error that ends the run; `undefined` while there is none. */
  failed: ConnectorError | undefined

  constructor(options: HeldTokenOptions) {
    this.#options = options
    // it may fail before it is waited for
    this.#first.promise.catch(() => {})
  }

  /** Facts for metrics and readiness. `expiresAt` is that of the newest token; `failingSince` and `cause` are of fetches that fail now. */
  get facts() {
    const { place } = this.#options
    const { since, cause } = this.#failing ?? {}
    return { place, expiresAt: this.#held && this.#expiresAt, ...this.#counts, failingSince: since, cause }
  }

  /** The newest token, for `stream --check`. `undefined` when there was none yet. */
  get last(): Token | undefined {
    return this.#held
  }

  /** Fetches and renews until `signal`, or until it has failed. Never throws. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      await this.#fetchAgainAndAgain(signal)
    } catch (error) {
      this.#end(asConnectorError(error))
    }
  }

  async #fetchAgainAndAgain(signal: AbortSignal): Promise<void> {
    const { source, clock, outage } = this.#options
    for (let misses = 0; !this.failed;) {
      const from = clock.now()
      outage?.began()
      const fetched = await source(signal)
      if ('token' in fetched) outage?.answered()
      else outage?.failed(fetched.cause, fetched.remedy)
      if (signal.aborted) return
      misses = 'token' in fetched ? 0 : misses + 1
      const waitMs = 'token' in fetched ? this.#keep({ ...fetched, from }) : this.#noteMiss(fetched, misses)
      this.#fetch.resolve()
      this.#fetch = Promise.withResolvers()
      this.#pause = new AbortController()
      if (!this.failed) await clock.wait(waitMs, AbortSignal.any([signal, this.#pause.signal]))
      this.#pause = undefined
      if (signal.aborted) return
    }
  }

  /** Resolves when there was a token. @throws ConnectorError when none can be had */
  ready(): Promise<void> {
    return this.#first.promise
  }

  /** Gives a token to one login: the newest while half of its life is left, else a renewed one if that comes in time, else the old one.
   *  @param refused a token that a server did not accept, so that another one is wanted
   *  @throws NoSecretError with the code NO_TOKEN (kafka-problem.ts) when there is none that lives long enough */
  async take(refused?: Secret): Promise<Secret> {
    const { clock, place } = this.#options
    if (refused !== undefined && refused === this.#held?.token) this.#isRefused = true
    if (this.#isRefused || this.#leftMs < (this.#held?.lifeMs ?? Infinity) * RENEWED_AT) {
      this.#hurry()
      await within(this.#fetch.promise, LOGIN_MS, clock)
    }
    if (this.#held && this.#leftMs >= Math.min(SHORTEST_MS, this.#held.lifeMs / 2)) return this.#held.token
    const { cause = 'no answer in time', remedy } = this.#failing ?? {}
    const error = new NoSecretError(`the token server ${place} gives no token: ${cause}`)
    throw Object.assign(error, { code: 'NO_TOKEN', remedy })
  }

  /** Time at which the newest token expires; 0 when there is none, which is past. */
  get #expiresAt(): number {
    return this.#held ? this.#held.from + this.#held.lifeMs : 0
  }

  get #leftMs(): number {
    return this.#expiresAt - this.#options.clock.now()
  }

  /** Ends the pause before the next fetch, but no more than once in HURRIED_APART_MS. */
  #hurry(): void {
    const now = this.#options.clock.now()
    if (!this.#pause || now - this.#hurriedAt < HURRIED_APART_MS) return
    this.#hurriedAt = now
    this.#pause.abort()
  }

  /** Keeps a token that was fetched. @returns the pause before it is renewed */
  #keep(held: Token & { readonly from: number }): number {
    this.#held = held
    this.#isRefused = false
    this.#counts.fetched++
    this.#failing = undefined
    this.#first.resolve()
    return held.lifeMs * (RENEWED_AT + JITTER * this.#options.clock.random())
  }

  /** Notes a fetch that failed. Gives the run up if no other attempt would help, or there has been no valid token for too long.
   *  @returns the pause before the next attempt */
  #noteMiss({ cause, remedy, code, afterMs = 0 }: Miss, misses: number): number {
    const { clock, deadlineMs, place } = this.#options
    const since = this.#failing?.since ?? clock.now()
    this.#failing = { since, cause: cause.words, remedy }
    this.#counts.failed++
    const isGivenUp = clock.now() - Math.max(since, this.#expiresAt) >= deadlineMs
    // once there was a token, a refusal is not final: the server may be corrected before the run is given up
    const isFinal = code !== undefined && !this.#held
    if (isFinal || isGivenUp) {
      const words = isFinal
        ? `${cause.words}. ${remedy}`
        : `no token could be fetched for ${span(deadlineMs)} (kafka.broker_deadline_seconds): ${cause.words}. ${remedy ?? 'Start again when it gives tokens.'}`
      const kind = isFinal ? 'config' : 'transient'
      this.#end(new ConnectorError(kind, code ?? 'identity.unreachable', `The token server ${place}: ${words}`))
    }
    return Math.max(Math.min(afterMs, MOST_AFTER_MS), backoffMs(TOKEN, misses, clock.random()))
  }

  #end(error: ConnectorError): void {
    this.failed = error
    this.#first.reject(error)
  }
}
