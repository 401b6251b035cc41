// Detects that a server has stopped answering, and logs when the outage begins, when its cause changes, and when the server answers again.
// A watch has no timer: `look` must be called twice a second. For each attempt, `began` must be called, and at its end one of `answered`,
// `throttled`, `failed`, or `ended` if the attempt proves nothing. Makers of watches for the servers of a run stand last.

import type { LimitsConfig } from '../config/write/write-load.ts'
import type { NetworkCause, OutageEvents } from '../core/network.ts'
import type { Clock } from '../core/types.ts'
import type { ListedOutage } from '../run/run-facts.ts'
import { counted, secondsText, span } from '../text/figures.ts'
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
  /** A list to which each outage that is logged is appended; the oldest ones are dropped. */
  readonly outages?: ListedOutage[] | undefined
}

/** An outage, even one too recent to be logged. */
export interface OutageState {
  readonly since: number
  /** The cause, for people. */
  readonly cause: string
  readonly isLogged: boolean
}

/** Why the server counts as unavailable. */
interface Why {
  readonly cause: NetworkCause
  /** Whether no attempt ends at all; else the newest one has failed. */
  readonly isSilence: boolean
  readonly remedy?: string | undefined
}

interface Outage {
  /** When the first attempt failed since the last answer, or the silence began. */
  since: number
  why: Why
  /** When the cause last changed. */
  causeSince: number
  /** Attempts that failed: each is followed by a retry. */
  failures: number
  /** Causes that were logged, the newest last. */
  readonly logged: Set<string>
  /** The outage in the list of the run. `undefined` until it is logged. */
  entry: ListedOutage | undefined
}

/** An outage that is shorter is not logged: a single 503, a single reset connection. */
const FAILING_MS = 2_000
/** After this long without any answer or failure, the server is unavailable. */
const SILENT_MS = 10_000
/** A cause already logged in this outage is logged again if it has lasted this long. */
const STEADY_MS = 10_000
/** If `look` was not called for longer than this, the process itself was suspended. */
const ASLEEP_MS = 5_000
/** The most warnings at once, and the time after which one more may be logged. A warning beyond is logged later, if it is still true. */
const BURST = 6
const REFILL_MS = 30_000

/** The most outages that a run lists, of all its servers. */
const MOST_LISTED = 100

/** The cause while a server is silent, even before its requests time out. */
const TIMEOUT = 'timeout'

export class OutageWatch implements OutageEvents {
  readonly #parts: OutageParts
  /** Attempts under way. */
  #attempts = 0
  /** Since when no request has ended although some are in flight. */
  #silentSince: number | undefined
  /** `undefined` when the last attempt was answered. */
  #outage: Outage | undefined
  #failedAt = -Infinity
  #throttledAt = -Infinity
  #lookedAt: number
  /** How many warnings may be logged now. */
  #warningsLeft = BURST
  /** When `#warningsLeft` last grew, by whole times of REFILL_MS. */
  #refilledAt: number

  constructor(parts: OutageParts) {
    this.#parts = parts
    this.#lookedAt = this.#refilledAt = parts.clock.now()
  }

  /** The outage under way. `undefined` when there is none. */
  get state(): OutageState | undefined {
    if (this.#outage === undefined) return undefined
    const { since, why, logged } = this.#outage
    return { since, cause: why.cause.words, isLogged: logged.size > 0 }
  }

  began(): void {
    if (this.#attempts++ === 0) this.#silentSince = this.#parts.clock.now()
  }

  ended(): void {
    this.#attempts = Math.max(0, this.#attempts - 1)
    if (this.#attempts === 0) this.#silentSince = undefined
  }

  answered(): void {
    const now = this.#parts.clock.now()
    this.#attemptIsBack(now)
    if (this.#outage && this.#outage.logged.size > 0) this.#logRecovery(this.#outage, now)
    this.#outage = undefined
  }

  throttled(): void {
    const now = this.#parts.clock.now()
    this.#throttledAt = now
    // a 429 is an answer, but it does not end an outage in which attempts fail as well
    if (now - this.#failedAt >= FAILING_MS) this.answered()
    else this.#attemptIsBack(now)
  }

  failed(cause: NetworkCause, remedy?: string): void {
    const now = this.#parts.clock.now()
    this.#attemptIsBack(now)
    this.#failedAt = now
    this.#blame({ cause, isSilence: false, remedy }, now, now).failures++
  }

  /** Notices a silence, and logs a warning if one is due. */
  look(): void {
    const now = this.#parts.clock.now()
    if (now - this.#lookedAt > ASLEEP_MS) this.#wasSuspended(now)
    this.#lookedAt = now
    if (this.#silentSince !== undefined && now - this.#silentSince >= SILENT_MS)
      this.#blame({ cause: { words: TIMEOUT }, isSilence: true }, this.#silentSince, now)
    const outage = this.#outage
    if (outage && this.#isWarningDue(outage, now) && this.#mayWarn(now)) this.#logWarning(outage, now)
  }

  /** Notes why the server is unavailable now. @param since the beginning of the outage, if there is none yet */
  #blame(why: Why, since: number, now: number): Outage {
    const outage = (this.#outage ??= { since, why, causeSince: now, failures: 0, logged: new Set(), entry: undefined })
    if (namedCause(why) !== namedCause(outage.why)) outage.causeSince = now
    outage.why = why
    return outage
  }

  /** An attempt has ended, with whatever outcome; others may still be silent. */
  #attemptIsBack(now: number): void {
    this.ended()
    if (this.#silentSince !== undefined) this.#silentSince = now
  }

  /** The process was suspended and could not receive answers. */
  #wasSuspended(now: number): void {
    if (this.#silentSince !== undefined) this.#silentSince = now
    if (this.#outage?.logged.size === 0) this.#outage.since = now
  }

  /** The first warning is due when no attempt ends, or when attempts fail for FAILING_MS and 429 is not the newest answer. Another one is due
   *  for another cause: at once if that was never logged, else when it has lasted for STEADY_MS. */
  #isWarningDue({ since, why, causeSince, logged }: Outage, now: number): boolean {
    if (logged.size === 0) return why.isSilence || (now - since >= FAILING_MS && this.#failedAt >= this.#throttledAt)
    const name = namedCause(why)
    const isLastLogged = [...logged].at(-1) === name
    return !logged.has(name) || (!isLastLogged && now - causeSince >= STEADY_MS)
  }

  /** Takes one of the warnings that are left; false when none is. */
  #mayWarn(now: number): boolean {
    const refills = Math.floor((now - this.#refilledAt) / REFILL_MS)
    this.#refilledAt += refills * REFILL_MS
    this.#warningsLeft = Math.min(BURST, this.#warningsLeft + refills)
    if (this.#warningsLeft === 0) return false
    this.#warningsLeft--
    return true
  }

  #logWarning(outage: Outage, now: number): void {
    const { who, place, patience, log, outages } = this.#parts
    const { since, why, logged } = outage
    const { cause, isSilence, remedy } = why
    const name = namedCause(why)
    const forMs = now - since
    const isFirst = logged.size === 0
    if (isFirst) {
      outage.entry = { from: since, to: undefined, cause: name, host: place }
      if (outages && outages.push(outage.entry) > MOST_LISTED) outages.shift()
    }
    // deleted first, so that it is the newest
    logged.delete(name)
    logged.add(name)
    const whom = isSilence ? who : `${who} at ${place}`
    const what = isFirst ? 'is unavailable' : `has been unavailable for ${secondsText(forMs)}, now for another reason`
    const reason = isSilence ? this.#silence(now) : name
    void log('warn', `${whom} ${what}: ${reason}. ${patience}${remedy === undefined ? '' : ` ${remedy}`}`, {
      ...whereOf(place),
      event: 'outage.began',
      cause: cause.words,
      ...(cause.code === undefined ? {} : { cause_code: cause.code }),
      outage_seconds: Math.floor(forMs / 1000),
      requests_under_way: this.#attempts,
    })
  }

  #silence(now: number): string {
    const silent = secondsText(now - (this.#silentSince ?? now))
    return `no answer from ${this.#parts.place} for ${silent}, ${counted(this.#attempts, 'request')} under way`
  }

  #logRecovery({ since, failures, entry }: Outage, now: number): void {
    if (entry) entry.to = now
    const { who, place, log } = this.#parts
    const forMs = now - since
    const retries = counted(failures, 'retry', 'retries')
    void log('info', `${who} at ${place} answers again, after ${secondsText(forMs)} and ${retries}.`, {
      event: 'outage.ended',
      ...whereOf(place),
      outage_seconds: Math.floor(forMs / 1000),
      retries: failures,
    })
  }
}

/** The cause with its code: "connection refused (ECONNREFUSED)". */
function namedCause({ cause: { words, code } }: Why): string {
  return code === undefined ? words : `${words} (${code})`
}

/** The host and port of "127.0.0.1:443" or "[::1]:443". */
function whereOf(place: string): { host: string; port: number } {
  const colon = place.lastIndexOf(':')
  return { host: place.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(place.slice(colon + 1)) }
}

const LOOK_MS = 500

/** Makes the watch of the service. @param limits two times that end the run, of which the log tells the shorter one */
export function serviceOutage(
  baseUrl: string,
  limits: Pick<LimitsConfig, 'retryForMs'> & { readonly stallDeadlineMs?: number | undefined },
  parts: Pick<OutageParts, 'log' | 'clock' | 'outages'>,
): OutageWatch {
  const { retryForMs, stallDeadlineMs = Infinity } = limits
  const limit =
    stallDeadlineMs < retryForMs
      ? `${span(stallDeadlineMs)} (stall_deadline_seconds)`
      : `${span(retryForMs)} (retry_for_seconds)`
  const patience = `Requests are retried for up to ${limit}.`
  return new OutageWatch({ who: 'The service', place: hostAndPort(baseUrl), patience, ...parts })
}

export function registryOutage(
  url: string,
  { stallDeadlineMs }: { readonly stallDeadlineMs: number },
  parts: Pick<OutageParts, 'log' | 'clock' | 'outages'>,
): OutageWatch {
  const patience = `Records that need its schemas wait for up to ${span(stallDeadlineMs)} (stall_deadline_seconds).`
  return new OutageWatch({ who: 'The schema registry', place: hostAndPort(url), patience, ...parts })
}

/** The part of an address that may be logged: "import.example.com:443". */
export function hostAndPort(url: string): string {
  const { hostname, port, protocol } = new URL(url)
  return `${hostname}:${port === '' ? (protocol === 'http:' ? 80 : 443) : port}`
}

/** Calls `look` of each watch twice a second, until `signal` aborts. Never throws. */
export async function lookForOutages(
  watches: readonly { look(): void }[],
  clock: Pick<Clock, 'wait'>,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    await clock.wait(LOOK_MS, signal)
    if (signal.aborted) return
    for (const watch of watches) watch.look()
  }
}
