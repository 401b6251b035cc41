// What to know of a run first, in a few sentences, from its summary: rejected records, then outages, then what limited it and what
// to do. Pure.

import { counted, thousands } from '../../text/figures.ts'
import type { Summary } from '../summary/summary-schema.ts'
import { figure, roundedSpan, secondsOf } from './report-figures.ts'
import { clock } from './report-tables.ts'
import { WAITS } from '../summary/samples.ts'
import type { Wait } from '../summary/samples.ts'

/** A smaller run says nothing about what limits a longer one. */
const LEAST_ATTEMPTS = 10
const LEAST_SECONDS = 1
/** From which share of the time on something was waited for, of attempts failures explain it, of time a process is busy. */
const WAITED = 0.3
const FAILED = 0.2
const BUSY = 0.85
const AT_RATE = 0.8
const GUARDED = 0.3
/** Roughly the requests it takes to find one refused point among a hundred, and from which share of attempts they matter. */
const SEARCH = 7
const REFUSED = 0.3

/** Each a paragraph, the most important first. */
export function verdictOf(summary: Summary): string[] {
  const { result, samples } = summary
  const limit = result === 'failed' || samples.length === 0 ? [] : [limitOf(summary)]
  return [...rejectsOf(summary), ...outagesOf(summary), ...limit]
}

function rejectsOf({ total, rejected, rejects_place: place }: Summary): string[] {
  const [{ rejected: count = 0, records = 0 }, most] = [total, rejected[0]]
  if (count === 0) return []
  const share = records > 0 ? ` of ${counted(records, 'record')} (${percent(count / records)})` : ''
  const why =
    most === undefined
      ? ''
      : `${rejected.length > 1 ? `, ${thousands(most.records)} of them because` : ':'} ${most.reason}, first at ${most.first}`
  const next =
    place === undefined || place === null
      ? 'The log names the record: correct it at the source, and run again from the last checkpoint.'
      : `They are kept in ${place}: correct the cause and send them again (docs/tables-and-rows.md).`
  return [`${thousands(count)}${share} ${count === 1 ? 'was' : 'were'} rejected${why}. ${next}`]
}

function outagesOf({ outages, written }: Summary): string[] {
  if (outages.length === 0) return []
  const msOf = ({ from, to }: Summary['outages'][number]): number => Date.parse(to ?? written) - Date.parse(from)
  const longest = outages.reduce((most, one) => (msOf(one) > msOf(most) ? one : most))
  const { from, to, cause, host } = longest
  const until = to === null ? `since ${clock(from)} UTC, not over` : `${clock(from)} to ${clock(to)} UTC`
  const which = `${roundedSpan(msOf(longest))}, ${until}: ${cause}`
  return [
    outages.length === 1
      ? `${host} was away for ${which}.`
      : `${counted(outages.length, 'outage')}; in the longest ${host} was away for ${which}.`,
  ]
}

/** What requests waited for while input was read; the end waits for other things, and outages are told before. */
const READING_WAITS = WAITS.filter((wait) => wait !== 'outage' && wait !== 'guard')
type Stretch = Summary['samples'][number]
type Reading = ReturnType<typeof readingOf>

function hasWaits({ held_seconds: held }: Stretch): boolean {
  return READING_WAITS.some((wait) => held[wait] > 0)
}

/** Sums and means over the time in which input was read, in seconds without outages. */
function readingOf({ samples, read_seconds: read }: Summary) {
  const until = read ?? Infinity
  const during = samples.filter(({ from }) => from < until)
  const sum = (of: (stretch: Stretch) => number, all = during): number => all.reduce((total, one) => total + of(one), 0)
  const held = (wait: Wait): number => sum(({ held_seconds }) => held_seconds[wait])
  /** Whether failures come of load is tried out where a rate was learnt, or to learn one. */
  const weight = (wait: Wait): number => held(wait) + (wait === 'rate' && held(wait) > 0 ? held('trial') : 0)
  const waiting = during.filter(hasWaits)
  const judged = waiting.length > 0 ? waiting : during
  /** Of the stretches in which something waited, or of all where nothing did. */
  const mean = (of: (stretch: Stretch) => number): number =>
    sum((one) => of(one) * secondsOf(one), judged) / Math.max(0.001, sum(secondsOf, judged))
  return {
    seconds: Math.max(0, sum(({ from, to }) => Math.min(to, until) - from) - held('outage')),
    attempts: sum(({ attempts }) => attempts),
    throttled: sum(({ retries }) => retries.throttled),
    server: sum(({ retries }) => retries.server),
    failed: sum(({ retries: { server, network, timeout } }) => server + network + timeout),
    busy: sum(({ busy_seconds }) => busy_seconds),
    inFlight: mean(({ in_flight }) => in_flight),
    permits: mean(({ permits }) => permits),
    held,
    waited: READING_WAITS.reduce((total, wait) => total + held(wait), 0),
    longest: READING_WAITS.reduce((most, wait) => (weight(wait) > weight(most) ? wait : most)),
    rate: during.findLast(({ rate_limit: rate }) => rate !== null)?.rate_limit ?? undefined,
  }
}

function limitOf(summary: Summary): string {
  const { held, seconds, lag, command } = summary
  const guard = held?.seconds.guard ?? 0
  if (guard >= LEAST_SECONDS && guard >= GUARDED * seconds)
    return `The late-write guard decided how long it took. When everything was read, the run waited ${span(guard)} for unanswered requests that may still have arrived; newer values of their rows wait for that (late_write_guard_seconds). Find out why they were not answered.`
  const reading = readingOf(summary)
  if (reading.attempts < LEAST_ATTEMPTS || reading.seconds < LEAST_SECONDS)
    return 'The run was too short to say what limits it.'
  if (!command.startsWith('stream') || (lag ?? 0) > 0) return sentence(whatLimits(summary, reading))
  if (reading.waited < LEAST_SECONDS) return 'Caught up: what was in the topics was stored as it came.'
  const behind = readingOf({ ...summary, samples: summary.samples.filter(hasWaits) })
  return `Caught up; while behind, ${span(behind.waited)}, ${whatLimits(summary, behind)}`
}

function whatLimits(summary: Summary, reading: Reading): string {
  const { attempts, seconds, busy, permits, inFlight, waited, failed, throttled } = reading
  const { limits, input, latency_ms: latency, rejected, command } = summary
  const optionOf = (name: string): string | undefined => limits.find(({ option }) => option === name)?.value
  const used = `${figure(inFlight, 'count')} of ${counted(Math.round(permits), 'permitted request')} ${Math.round(permits) === 1 ? 'was' : 'were'} in flight`
  const hasWaited = waited >= WAITED * seconds
  const most = optionOf('max_requests_per_second')
  if (most !== undefined && attempts / seconds >= AT_RATE * Number.parseFloat(most.replaceAll(',', '')))
    return `max_requests_per_second was the limit: it is ${most}. Raise it, or leave it out.`
  if (hasWaited && reading.longest === 'rate') return refusals(summary, reading)
  if (hasWaited && reading.longest === 'pause')
    return `the service was the limit by the pauses it asked for, ${span(reading.held('pause'))} in all; it answered 429 to ${thousands(throttled)} of ${counted(attempts, 'request')}. Ask its operator for a higher limit.`
  if (failed >= FAILED * attempts || (hasWaited && reading.longest === 'trial'))
    return `failures of the service were the limit: ${thousands(failed)} of ${counted(attempts, 'request')} failed and were sent again. Ask its operator for the cause.`
  const refused = rejected.reduce((sum, { by, records }) => sum + (by === 'refused' ? records : 0), 0)
  if (refused * SEARCH >= REFUSED * attempts)
    return `rejected records were the limit: it takes several requests to find each of the ${counted(refused, 'record')} that the service refused.`
  if (busy >= BUSY * seconds)
    return `this process was the limit: it was busy ${percent(busy / seconds)} of the time. Give it a faster processor${command.startsWith('stream') ? ', or start more members' : ''}.`
  const concurrency = optionOf('concurrency')
  if (hasWaited && concurrency !== undefined)
    return `concurrency was the limit: it is ${concurrency}. Raise it, or leave it out: then the best number is found automatically.`
  const some = failed > 0 ? ` ${thousands(failed)} of ${counted(attempts, 'request')} had to be sent again.` : ''
  if (hasWaited)
    return `the service was the limit: ${used}, and half of the requests took ${roundedSpan(latency?.p50 ?? 0)} or longer.${some} The number of parallel requests is tuned automatically, so only a faster service would help.`
  if (input !== null)
    return `this process was the limit: it read a file, and requests rarely waited (${used}). It was busy ${percent(Math.min(1, busy / seconds))} of the time.`
  return `the source was the limit: ${used}, and nothing waited. The connector could have sent more than it was given, so only a faster source would help.`
}

/** What the service refused because of load, and the rate learnt from it. */
function refusals({ held }: Summary, { attempts, throttled, server, rate }: Reading): string {
  const cause = held?.rate_cause ?? '429 or 503'
  const limit =
    rate === undefined
      ? 'fewer requests a second were sent'
      : `at most ${counted(Math.max(1, Math.round(rate)), 'request')} a second ${rate < 1.5 ? 'is' : 'are'} sent (learnt)`
  if (!/^[45]/.test(cause))
    return `the service was the limit by its failures (${cause}): ${limit}, and more while they succeed.`
  const count = cause.startsWith('429') ? throttled : cause.startsWith('5') ? server : throttled + server
  return `the service was the limit by what it refused: ${thousands(count)} of ${counted(attempts, 'answer')} ${count === 1 ? 'was' : 'were'} ${cause}, so ${limit}. Ask its operator why, or for a higher limit.`
}

function sentence(text: string): string {
  return `${text[0]!.toUpperCase()}${text.slice(1)}`.replace(/^Max_requests/, 'max_requests')
}

function span(seconds: number): string {
  return roundedSpan(Math.round(seconds * 10) * 100)
}

function percent(share: number): string {
  const value = share * 100
  return `${value > 0 && value < 1 ? '<1' : Math.round(value)} %`
}
