// The bottleneck of a run, and what would make it faster, judged from what the page shows. Pure.

import { counted, thousands } from '../../text/figures.ts'
import { figure, roundedSpan } from './report-figures.ts'
import type { ReportData, ReportRecord } from './report.ts'

/** A smaller run says nothing about the bottleneck of a longer one. */
const LEAST_ATTEMPTS = 10
const LEAST_MS = 1000

/** From which share of attempts, or of the time, something is the bottleneck. */
const FAILED = 0.2
/** If nothing else explains unused permits: a failed request waits before it is sent again. */
const SOME_FAILED = 0.03
const SOME_IN_FLIGHT = 0.3
const THROTTLED = 0.05
const PAUSED = 0.1
const GUARDED = 0.3
const AT_RATE = 0.8
const REFUSED = 0.3
const PERMITS_USED = 0.7
/** Roughly the requests it takes to find one refused point among a hundred. */
const SEARCH = 7

/** Sums over the time in which input was read; the end waits for other things. */
interface Reading {
  /** Of its samples; the last one may extend beyond it. */
  readonly ms: number
  /** Of reading itself. */
  readonly readMs: number
  readonly attempts: number
  readonly throttled: number
  readonly failed: number
  readonly pausedMs: number
  /** Means. */
  readonly inFlight: number
  readonly permits: number
}

/** A few sentences; undefined: there is nothing to judge. */
export function verdictOf({ record, rejects, table, limits, noun, ended, elapsedMs }: ReportData): string | undefined {
  if (record === undefined || ended.how === 'failed') return undefined
  const reading = readingOf(record)
  const guarded = record.endWaits.guard
  if (guarded >= LEAST_MS && guarded >= GUARDED * elapsedMs)
    return `Bottleneck: the late-write guard. When everything was read, the run waited ${roundedSpan(guarded)} for unanswered requests that may still have arrived; newer values of their rows have to wait for that (late_write_guard_seconds). Find out why they were not answered.`
  if (reading.attempts < LEAST_ATTEMPTS || reading.readMs < LEAST_MS) return tooLittle(record)
  const { attempts, ms, inFlight, permits } = reading
  const used = `On average ${figure(inFlight, 'count')} of ${counted(Math.round(permits), 'permitted request')} ${Math.round(permits) === 1 ? 'was' : 'were'} in flight.`
  const someFailed = reading.failed >= SOME_FAILED * attempts && inFlight >= SOME_IN_FLIGHT * permits
  if (reading.failed >= FAILED * attempts)
    return `Bottleneck: failures of the service. While input was read, ${share(reading.failed, attempts)} failed and were sent again. See the causes under “Retries and waits”, and ask the operator of the service.`
  if (reading.throttled >= THROTTLED * attempts || reading.pausedMs >= PAUSED * ms)
    return `Bottleneck: the rate limit of the service. While input was read, it answered 429 to ${share(reading.throttled, attempts)} and asked for pauses of ${roundedSpan(reading.pausedMs)}. More requests at once do not help: ask its operator for a higher limit.`
  const { concurrency, maxRequestsPerSecond: most } = limits ?? {}
  if (most !== undefined && (attempts * 1000) / ms >= AT_RATE * most)
    return `Bottleneck: max_requests_per_second, which is ${thousands(most)}. ${used} Raise it, or leave it out.`
  const refused = rejects.reduce((sum, { by, records }) => sum + (by === 'refused' ? records : 0), 0)
  if (refused * SEARCH >= REFUSED * attempts)
    return `Bottleneck: rejected records. The service refused ${counted(refused, 'record')}, and it takes several requests to find each. Correct them at the source: see the reasons under “Rejected records”.`
  if (inFlight >= PERMITS_USED * permits)
    return concurrency === undefined
      ? `Bottleneck: the service. ${used} Half of the requests took ${roundedSpan(record.latency?.p50 ?? 0)} or longer, and the number of parallel requests is tuned automatically. Only a faster service would help.`
      : `Bottleneck: concurrency, which is ${thousands(concurrency)}. ${used} Raise it, or leave it out: then the best number is found automatically.`
  if (someFailed)
    return `Bottleneck: failures of the service. ${used} ${share(reading.failed, attempts)} failed and were sent again, and a pause before each new try leaves permits unused. See the causes under “Retries and waits”, and ask the operator of the service.`
  if (noun === 'topic' && table?.total.lag === 0n)
    return `No bottleneck: everything in the topics was stored as it came. ${used}`
  return `Bottleneck: the source. ${used} The connector could have sent more than it was given, so only a faster source would help.`
}

/** A run that read only briefly may have lasted long: the page has a table of what its end waited for. */
function tooLittle({ samples, readUntil = Infinity }: ReportRecord): string {
  const ms = samples.reduce((total, { from, to }) => total + (to - from), 0)
  const attempts = samples.reduce((total, sample) => total + sample.attempts, 0)
  const hasEnoughSent = attempts >= LEAST_ATTEMPTS
  const endMs = (samples.at(-1)?.to ?? 0) - readUntil
  if (ms < LEAST_MS || (hasEnoughSent && endMs < LEAST_MS)) return 'The run was too short to say what held it up.'
  return hasEnoughSent
    ? 'Everything was read before the run could be judged. What its end then waited for is under “Retries and waits”.'
    : 'The run sent too few requests to say what held it up.'
}

function readingOf({ samples, readUntil = Infinity }: ReportRecord): Reading {
  const during = samples.filter(({ from }) => from < readUntil)
  const sum = (of: (sample: ReportRecord['samples'][number]) => number): number =>
    during.reduce((total, sample) => total + of(sample), 0)
  const ms = sum(({ from, to }) => to - from)
  return {
    ms,
    readMs: sum(({ from, to }) => Math.min(to, readUntil) - from),
    attempts: sum(({ attempts }) => attempts),
    throttled: sum(({ retries }) => retries.throttled),
    failed: sum(({ retries: { server, network, timeout } }) => server + network + timeout),
    pausedMs: sum(({ pausedMs }) => pausedMs),
    inFlight: sum(({ inFlightMs }) => inFlightMs) / Math.max(1, ms),
    permits: sum(({ permitMs }) => permitMs) / Math.max(1, ms),
  }
}

function share(count: number, attempts: number): string {
  return `${thousands(count)} of ${counted(attempts, 'request')}`
}
