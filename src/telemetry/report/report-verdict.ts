// What held a run up, in words, and what would make it faster: a judgement from what the page shows. Pure.

import { counted, thousands } from '../../text/figures.ts'
import { figure, roundedSpan } from './report-figures.ts'
import type { ReportData, ReportRecord } from './report.ts'

/** Less says nothing about what a longer run would be held up by. */
const LEAST_ATTEMPTS = 10
const LEAST_MS = 1000

/** From which share of attempts, or of its time, something is what held a run up. */
const FAILED = 0.2
const THROTTLED = 0.05
const PAUSED = 0.1
const AT_RATE = 0.8
const REFUSED = 0.3
const PERMITS_USED = 0.7
/** Requests it takes, about, to find one refused point among a hundred. */
const SEARCH = 7

/** Sums over the time in which input was read: the end waits for other things. */
interface Reading {
  readonly ms: number
  readonly attempts: number
  readonly throttled: number
  readonly failed: number
  readonly pausedMs: number
  /** Means. */
  readonly inFlight: number
  readonly permits: number
}

/** One to three sentences; undefined: there is nothing to judge. */
export function verdictOf({ record, table, limits, noun, ended }: ReportData): string | undefined {
  if (record === undefined || ended.how === 'failed') return undefined
  const reading = readingOf(record)
  if (reading.attempts < LEAST_ATTEMPTS || reading.ms < LEAST_MS) return 'The run was too short to say what held it up.'
  const { attempts, ms, inFlight, permits } = reading
  const used = `On average ${figure(inFlight, 'count')} of ${counted(Math.round(permits), 'permitted request')} ${Math.round(permits) === 1 ? 'was' : 'were'} in flight.`
  if (reading.failed >= FAILED * attempts)
    return `Bottleneck: failures of the service. ${share(reading.failed, attempts)} failed and were sent again. See the causes under “Retries and waits”, and ask the operator of the service.`
  if (reading.throttled >= THROTTLED * attempts || reading.pausedMs >= PAUSED * ms)
    return `Bottleneck: the rate limit of the service. It answered 429 to ${share(reading.throttled, attempts)} and asked for pauses of ${roundedSpan(reading.pausedMs)} in all. More requests at once do not help: ask its operator for a higher limit.`
  const { concurrency, maxRequestsPerSecond: most } = limits ?? {}
  if (most !== undefined && (attempts * 1000) / ms >= AT_RATE * most)
    return `Bottleneck: max_requests_per_second, which is ${thousands(most)}. ${used} Raise it, or leave it out.`
  const refused = record.rejects.reduce((sum, { by, records }) => sum + (by === 'the service' ? records : 0), 0)
  if (refused * SEARCH >= REFUSED * attempts)
    return `Bottleneck: rejected records. The service refused ${counted(refused, 'record')}, and it takes several requests to find each. Mend them at the source: see the reasons under “Rejected records”.`
  if (inFlight >= PERMITS_USED * permits)
    return concurrency === undefined
      ? `Bottleneck: the service. ${used} Half of the requests took ${roundedSpan(record.latency?.p50 ?? 0)} or longer, and more at once were not answered faster. Only a faster service would help.`
      : `Bottleneck: concurrency, which is ${thousands(concurrency)}. ${used} Raise it, or leave it out: then the best number is found as the run goes.`
  if (noun === 'topic' && table?.total.lag === 0n)
    return `No bottleneck: everything in the topics was stored as it came. ${used}`
  return `Bottleneck: the source. ${used} The connector could have sent more than it was given, so only a faster source would help.`
}

function readingOf({ samples, readUntil = Infinity }: ReportRecord): Reading {
  const during = samples.filter(({ from }) => from < readUntil)
  const sum = (of: (sample: ReportRecord['samples'][number]) => number): number =>
    during.reduce((total, sample) => total + of(sample), 0)
  const ms = sum(({ from, to }) => to - from)
  return {
    ms,
    attempts: sum(({ attempts }) => attempts),
    throttled: sum(({ retries }) => retries.throttled),
    failed: sum(({ retries: { server, network, timeout } }) => server + network + timeout),
    pausedMs: sum(({ pausedMs }) => pausedMs),
    inFlight: sum(({ from, to, inFlight }) => inFlight * (to - from)) / Math.max(1, ms),
    permits: sum(({ from, to, permits }) => permits * (to - from)) / Math.max(1, ms),
  }
}

function share(count: number, attempts: number): string {
  return `${thousands(count)} of ${counted(attempts, 'request')}`
}
