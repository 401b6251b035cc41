// Detects that a server has stopped answering, and logs it: when the outage begins, when its cause changes, and when the server
// answers again. It has no timer: it is notified of every attempt, and `look` is called regularly.

import type { NetworkCause, OutageEvents } from '../core/network.ts'
import type { ListedOutage, OutageList } from '../run/outage-list.ts'
import { counted, secondsText } from '../text/figures.ts'
import type { Log } from '../process/io.ts'

export interface OutageParts {
  /** The server, as at the start of a sentence: "The service". */
  readonly who: string
  /** host:port. Nothing else of an address is logged. */
  readonly place: string
  /** How long attempts go on, and what happens to waiting records: full sentences. */
  readonly patience: string
  /** Milliseconds, monotonic. */
  readonly clock: { now(): number }
  readonly log: Log
  /** Takes the outages that are logged. */
  readonly outages?: OutageList | undefined
}

/** An outage, even one too recent to be logged. */
export interface OutageState {
  readonly since: number
  /** The cause, for people. */
  readonly cause: string
  readonly isLogged: boolean
}

/** Shorter failures are not logged: a single 503, a single reset connection. */
const FAILING_MS = 2_000
/** After this long without any answer or failure, the server is unavailable. */
const SILENT_MS = 10_000
/** A cause already logged in this outage is logged again if it has lasted this long. */
const STEADY_MS = 10_000
/** If `look` was not called for longer than this, the process itself was suspended. */
const ASLEEP_MS = 5_000
/** Warnings at once are at most BURST, and one more every REFILL_MS. A suppressed one is logged later, if it is still true. */
const BURST = 6
const REFILL_MS = 30_000

/** The cause while a server is silent, even before its requests time out. */
const TIMEOUT = 'timeout'

export class OutageWatch implements OutageEvents {
  readonly #parts: OutageParts
  #listed: ListedOutage | undefined
  #underWay = 0
  /** Since when no request has ended although some are in flight. */
  #silentSince: number | undefined
  /** When the first attempt failed since the last answer, or the silence began. */
  #since: number | undefined
  #failedAt = -Infinity
  #throttledAt = -Infinity
  #retries = 0
  #cause: NetworkCause | undefined
  #causeSince = 0
  #isSilent = false
  #remedy: string | undefined
  /** Causes logged in this outage. */
  readonly #logged = new Set<string>()
  #lastLogged = ''
  #lookedAt: number
  #tokens = BURST
  #refilledAt: number

  constructor(parts: OutageParts) {
    this.#parts = parts
    this.#lookedAt = this.#refilledAt = parts.clock.now()
  }

  /** The outage under way. `undefined` when there is none. */
  get state(): OutageState | undefined {
    if (this.#since === undefined || this.#cause === undefined) return undefined
    return { since: this.#since, cause: this.#cause.words, isLogged: this.#logged.size > 0 }
  }

  began(): void {
    if (this.#underWay++ === 0) this.#silentSince = this.#parts.clock.now()
  }

  ended(): void {
    this.#underWay = Math.max(0, this.#underWay - 1)
    if (this.#underWay === 0) this.#silentSince = undefined
  }

  answered(): void {
    this.#heard(this.#parts.clock.now())
  }

  throttled(): void {
    const now = this.#parts.clock.now()
    this.#throttledAt = now
    // right after a failure it proves nothing; alone it proves that the server answers
    if (now - this.#failedAt >= FAILING_MS) this.#heard(now)
    else this.#back(now)
  }

  failed(cause: NetworkCause, remedy?: string): void {
    const now = this.#parts.clock.now()
    this.#back(now)
    this.#since ??= now
    this.#failedAt = now
    this.#retries++
    this.#remedy = remedy
    this.#because(cause, false, now)
  }

  /** Logs what is due. To be called at least once a second. */
  look(): void {
    const now = this.#parts.clock.now()
    if (now - this.#lookedAt > ASLEEP_MS) this.#slept(now)
    this.#lookedAt = now
    if (this.#silentSince !== undefined && now - this.#silentSince >= SILENT_MS) {
      this.#since ??= this.#silentSince
      this.#because({ words: TIMEOUT }, true, now)
    }
    if (this.#isDue(now) && this.#mayLog(now)) this.#warn(now)
  }

  #because(cause: NetworkCause, isSilent: boolean, now: number): void {
    if (this.#cause === undefined || causeWords(cause) !== causeWords(this.#cause)) this.#causeSince = now
    this.#cause = cause
    this.#isSilent = isSilent
  }

  /** An attempt has ended, with whatever outcome; others may still be silent. */
  #back(now: number): void {
    this.ended()
    if (this.#silentSince !== undefined) this.#silentSince = now
  }

  #heard(now: number): void {
    this.#back(now)
    if (this.#logged.size > 0) this.#recovered(now)
    this.#logged.clear()
    this.#lastLogged = ''
    this.#since = this.#cause = this.#remedy = undefined
    this.#retries = 0
  }

  /** The process was suspended and could not receive answers. */
  #slept(now: number): void {
    if (this.#silentSince !== undefined) this.#silentSince = now
    if (this.#since !== undefined && this.#logged.size === 0) this.#since = now
  }

  #isDue(now: number): boolean {
    if (this.#cause === undefined || this.#since === undefined) return false
    const key = causeWords(this.#cause)
    if (this.#logged.size > 0) {
      return !this.#logged.has(key) || (key !== this.#lastLogged && now - this.#causeSince >= STEADY_MS)
    }
    return this.#isSilent || (now - this.#since >= FAILING_MS && this.#failedAt >= this.#throttledAt)
  }

  #mayLog(now: number): boolean {
    const more = Math.floor((now - this.#refilledAt) / REFILL_MS)
    this.#refilledAt += more * REFILL_MS
    this.#tokens = Math.min(BURST, this.#tokens + more)
    if (this.#tokens === 0) return false
    this.#tokens--
    return true
  }

  #warn(now: number): void {
    const { who, place, patience, log, outages } = this.#parts
    const cause = this.#cause!
    const isFirst = this.#logged.size === 0
    if (isFirst) this.#listed = outages?.began(place, causeWords(cause), this.#since!)
    const forMs = now - this.#since!
    this.#logged.add(causeWords(cause))
    this.#lastLogged = causeWords(cause)
    const whom = this.#isSilent ? who : `${who} at ${place}`
    const what = isFirst ? 'is unavailable' : `has been unavailable for ${secondsText(forMs)}, now for another reason`
    const remedy = this.#isSilent || this.#remedy === undefined ? '' : ` ${this.#remedy}`
    void log('warn', `${whom} ${what}: ${this.#why(cause, now)}. ${patience}${remedy}`, {
      ...whereOf(place),
      event: 'outage.began',
      cause: cause.words,
      ...(cause.code === undefined ? {} : { cause_code: cause.code }),
      outage_seconds: Math.floor(forMs / 1000),
      requests_under_way: this.#underWay,
    })
  }

  #why(cause: NetworkCause, now: number): string {
    if (!this.#isSilent) return causeWords(cause)
    const silent = secondsText(now - (this.#silentSince ?? now))
    return `no answer from ${this.#parts.place} for ${silent}, ${counted(this.#underWay, 'request')} under way`
  }

  #recovered(now: number): void {
    if (this.#listed) this.#listed.to = now
    const { who, place, log } = this.#parts
    const forMs = now - this.#since!
    const retries = counted(this.#retries, 'retry', 'retries')
    void log('info', `${who} at ${place} answers again, after ${secondsText(forMs)} and ${retries}.`, {
      event: 'outage.ended',
      ...whereOf(place),
      outage_seconds: Math.floor(forMs / 1000),
      retries: this.#retries,
    })
  }
}

/** "connection refused (ECONNREFUSED)". */
function causeWords({ words, code }: NetworkCause): string {
  return code === undefined ? words : `${words} (${code})`
}

function whereOf(place: string): { host: string; port: number } {
  const colon = place.lastIndexOf(':')
  return { host: place.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(place.slice(colon + 1)) }
}
