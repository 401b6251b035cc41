// Says the first things to know of a run, in a few sentences, from its summary: what changed, rejected records, outages, and then what
// limited its speed and what to do about it. Pure.

import { counted, thousands } from '../../text/figures.ts'
import type { Summary } from '../summary/summary-schema.ts'
import { figure, isOfTopics, nounOf, roundedSpan, secondsOf, total, type Stretch } from './report-figures.ts'
import { clock } from './report-tables.ts'
import { changeWords } from '../summary/compare-summaries.ts'
import { WAITS, type SpentState, type Wait } from '../../run/samples.ts'

/** The least time from which a limit is named: a shorter one says nothing about longer runs. */
const LEAST_SECONDS = 3
/** What takes more of the time than this share is the limit. */
const LIMITING_SHARE = 0.5
/** Failed attempts are the limit if they are this share of all or more. */
const FAILED_SHARE = 0.2
/** max_requests_per_second was the limit if the rate of requests was this share of it or more. */
const RATE_SHARE = 0.8
/** Roughly how many requests find one refused point among a hundred; such searches are the limit from this share of all attempts on. */
const REQUESTS_A_SEARCH = 7
const SEARCH_SHARE = 0.5

/** Returns paragraphs, the most important first. */
export function verdictOf(summary: Summary): string[] {
  const { result, samples } = summary
  const empty = isEmpty(summary)
    ? ['No record came, so nothing was stored: look whether its source still writes into the pipe.']
    : []
  const found = [...empty, ...changesOf(summary), ...rejectsOf(summary), ...outagesOf(summary)]
  if (result === 'failed' || samples.length === 0) return found
  const limit = limitOf(summary) ?? (found.length === 0 ? 'The run was too short to say what limits it.' : undefined)
  return limit === undefined ? found : [...found, limit]
}

/** Whether a run of `write` ended well and has stored nothing: its source may have failed. */
export function isEmpty({ command, result, total }: Pick<Summary, 'command' | 'result' | 'total'>): boolean {
  return command === 'write' && result === 'done' && (total.records ?? 0) + (total.rejected ?? 0) === 0
}

function changesOf({ command, changes }: Summary): string[] {
  const [first] = changeWords(changes ?? [], nounOf({ command }))
  if (first === undefined) return []
  const which = changes!.length > 1 ? '; the first' : ''
  return [`${counted(changes!.length, 'change')} since the run of --compare${which}: ${first}`]
}

function rejectsOf(summary: Summary): string[] {
  const { rejected, rejects_place: place } = summary
  const { rejected: count = 0, records = 0 } = summary.total
  if (count === 0) return []
  const share = records > 0 ? ` of ${counted(records, 'record')} (${percent(count / records)})` : ''
  const byReason = [...Map.groupBy(rejected, ({ reason }) => reason).values()]
  const sums = byReason.map((places) => {
    const { reason, first } = places[0]!
    return { reason, first, records: total(places, ({ records }) => records) }
  })
  const [most] = sums.toSorted((a, b) => b.records - a.records)
  const allBecause = count > 1 ? ', all because' : ':'
  const because = most && most.records < count ? `, ${thousands(most.records)} of them because` : allBecause
  const why = most === undefined ? '' : `${because} ${most.reason}, first at ${most.first}`
  const found = `${thousands(count)}${share} ${count === 1 ? 'was' : 'were'} rejected${why}.`
  if (place === undefined || place === null)
    return [`${found} The log names the record: correct it at the source, and run again from the last checkpoint.`]
  const how = isOfTopics(summary) ? ', by stream --config FILE --from-dead-letters' : ' (docs/tables-and-rows.md)'
  return [`${found} They are kept in ${place}: correct the cause and send them again${how}.`]
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
      ? `${host} was unreachable for ${which}.`
      : `${counted(outages.length, 'outage')}; in the longest ${host} was unreachable for ${which}.`,
  ]
}

type Spent = ReturnType<typeof spentOf>

/** Sums up how the time of a run was spent, from its stretches. `seconds` is all of it but outages. */
function spentOf({ samples, read_seconds: read }: Pick<Summary, 'samples' | 'read_seconds'>) {
  const sum = (numberOf: (stretch: Stretch) => number): number => total(samples, numberOf)
  const heldBy = (wait: Wait): number => sum(({ held_seconds }) => held_seconds[wait])
  const secondsIn = (state: SpentState): number => sum(({ spent_seconds }) => spent_seconds[state])
  /** A trial counts with the rate where one was learnt: it found out whether failures come of load. */
  const weight = (wait: Wait): number => heldBy(wait) + (wait === 'rate' && heldBy(wait) > 0 ? heldBy('trial') : 0)
  /** The seconds that a source which is always ahead would have saved: while reading went on, all idle time, and of the free time the share of
   *  permits that were not used. */
  const starvedSeconds = sum((one) => {
    const { idle, free } = one.spent_seconds
    const readingShare = Math.max(0, Math.min(1, ((read ?? Infinity) - one.from) / secondsOf(one)))
    const unusedShare = Math.max(0, 1 - one.in_flight / Math.max(1, one.permits))
    return readingShare * (idle + free * unusedShare)
  })
  /** The mean of a figure over the time in some states. */
  const mean = (numberOf: (stretch: Stretch) => number, states: readonly SpentState[]): number => {
    const secondsOfPart = ({ spent_seconds: spent }: Stretch): number => total(states, (state) => spent[state])
    return sum((one) => numberOf(one) * secondsOfPart(one)) / Math.max(0.001, sum(secondsOfPart))
  }
  return {
    seconds: total(STATE_WORDS, ([state]) => secondsIn(state)),
    hasOutages: secondsIn('outage') > 0,
    secondsIn,
    starvedSeconds,
    attempts: sum(({ attempts }) => attempts),
    throttled: sum(({ retries }) => retries.throttled),
    server: sum(({ retries }) => retries.server),
    failed: sum(({ retries: { server, network, timeout } }) => server + network + timeout),
    /** Says, for the time in some states, such as "2.5 of 8 permitted requests were in flight". */
    usedWords(states: readonly SpentState[]): string {
      const [inFlight, permits] = [mean((one) => one.in_flight, states), mean((one) => one.permits, states)]
      const were = Math.round(permits) === 1 ? 'was' : 'were'
      return `${figure(inFlight, 'count')} of ${counted(Math.round(permits), 'permitted request')} ${were} in flight`
    },
    heldBy,
    /** The wait that held requests back for longest, outages left out; `pause` when none did. */
    longestWait: WAITS.reduce((most, one) => (one !== 'outage' && weight(one) > weight(most) ? one : most), 'pause'),
    /** The newest rate that was learnt. `undefined` when none was. */
    rate: samples.findLast(({ rate_limit: rate }) => rate !== null)?.rate_limit ?? undefined,
  }
}

/** Says what limited a run (a stream that has caught up: while requests waited), and how its time was spent. `undefined` when too short. */
function limitOf(summary: Summary): string | undefined {
  const spent = spentOf(summary)
  if (spent.seconds <= LEAST_SECONDS) return undefined
  if (!isOfTopics(summary) || (summary.lag ?? 0) > 0)
    return `${sentence(whatLimits(summary, spent))} ${sharesIn(spent)}`
  const behind = spentOf({ ...summary, samples: summary.samples.filter(({ spent_seconds: { held } }) => held > 0) })
  if (behind.seconds <= LEAST_SECONDS) return 'Caught up: what was in the topics was stored as it came.'
  return `Caught up; while behind, ${spanOf(behind.seconds)}, ${whatLimits(summary, behind)} ${sharesIn(behind)}`
}

/** Words for the states of a run, outages left out. */
const STATE_WORDS = [
  ['held', 'with requests waiting'],
  ['idle', 'with nothing to send'],
  ['busy', 'with this process busy'],
  ['free', 'sending freely'],
] as const satisfies readonly (readonly [SpentState, string])[]

/** Says which share of the time was in which state. Running sums are rounded, not the shares, so that together they are 100 %. */
function sharesIn({ seconds, secondsIn, hasOutages }: Spent): string {
  let [secondsSoFar, percentSoFar] = [0, 0]
  const words = STATE_WORDS.flatMap(([state, words]) => {
    secondsSoFar += secondsIn(state)
    const share = Math.round((100 * secondsSoFar) / seconds) - percentSoFar
    percentSoFar += share
    return share > 0 ? [`${share} % ${words}`] : []
  })
  return `Of ${spanOf(seconds)}${hasOutages ? ' without outages' : ''}: ${words.join(', ')}.`
}

/** Says what limited the run: the first that is found, beginning with the limit that the user set. */
function whatLimits(summary: Summary, spent: Spent): string {
  const { attempts, seconds, secondsIn, starvedSeconds } = spent
  const most = optionOf(summary, 'max_requests_per_second')
  if (most !== undefined && attempts / seconds >= RATE_SHARE * Number.parseFloat(most.replaceAll(',', '')))
    return `max_requests_per_second was the limit: it is ${most}. Raise it, or leave it out.`
  const busyShare = secondsIn('busy') / seconds
  if (secondsIn('held') > LIMITING_SHARE * seconds) return whatHeld(summary, spent)
  if (busyShare > LIMITING_SHARE)
    return `this process was the limit: it was busy ${percent(busyShare)} of the time. Give it a faster processor${isOfTopics(summary) ? ', or start more members' : ''}.`
  // a file is read by this process itself, so what the source lacks and what makes the process busy are one limit
  const isFile = summary.input !== null
  if (starvedSeconds + (isFile ? secondsIn('busy') : 0) > LIMITING_SHARE * seconds)
    return isFile
      ? `this process was the limit: it read a file, and requests rarely waited (${spent.usedWords(['idle', 'free'])}).`
      : `the source was the limit: ${spent.usedWords(['idle', 'free'])}. The connector could have sent more than it was given: a source that is always ahead would have saved ${percent(starvedSeconds / seconds)} of the time.`
  return 'nothing was the limit for more than half of the time.'
}

/** The value of an option as a text for people, such as "1,000". `undefined` when it has its default. */
function optionOf({ limits }: Summary, name: string): string | undefined {
  return limits.find(({ option }) => option === name)?.value
}

/** Says what held requests back, for a run in which they waited for most of the time. */
function whatHeld(summary: Summary, spent: Spent): string {
  const { attempts, failed, throttled, heldBy, longestWait } = spent
  if (longestWait === 'guard')
    return `the late-write guard was the limit: when everything was read, the run waited ${spanOf(heldBy('guard'))} for unanswered requests that may still have arrived; newer values of their rows wait for that (late_write_guard_seconds). Find out why they were not answered.`
  if (longestWait === 'rate') return refusals(summary, spent)
  if (longestWait === 'pause' && heldBy('pause') > 0)
    return `the service was the limit by the pauses it asked for, ${spanOf(heldBy('pause'))} in all; it answered 429 to ${thousands(throttled)} of ${counted(attempts, 'request')}. Ask its operator for a higher limit.`
  if (failed >= FAILED_SHARE * attempts || longestWait === 'trial')
    return `failures of the service were the limit: ${thousands(failed)} of ${counted(attempts, 'request')} failed and were sent again. Ask its operator for the cause.`
  const refused = total(summary.rejected, ({ by, records }) => (by === 'refused' ? records : 0))
  if (refused * REQUESTS_A_SEARCH >= SEARCH_SHARE * attempts)
    return `rejected records were the limit: it takes several requests to find each of the ${counted(refused, 'record')} that the service refused.`
  const concurrency = optionOf(summary, 'concurrency')
  if (concurrency !== undefined)
    return `concurrency was the limit: it is ${concurrency}. Raise it, or leave it out: then the best number is found automatically.`
  const again = failed > 0 ? ` ${thousands(failed)} of ${counted(attempts, 'request')} had to be sent again.` : ''
  return `the service was the limit: ${spent.usedWords(['held'])}, and half of the requests took ${roundedSpan(summary.latency_ms?.p50 ?? 0)} or longer.${again} The number of parallel requests is tuned automatically, so only a faster service would help.`
}

/** Says what the service refused because of load, and the rate learnt from it. */
function refusals({ held }: Summary, { attempts, throttled, server, rate }: Spent): string {
  const cause = held?.rate_cause ?? '429 or 503'
  const since = typeof held?.rate_since === 'number' ? ` since ${spanOf(held.rate_since)} after the start` : ''
  const limit =
    rate === undefined
      ? 'fewer requests a second were sent'
      : `at most ${counted(Math.max(1, Math.round(rate)), 'request')} a second ${rate < 1.5 ? 'is' : 'are'} sent (learnt${since})`
  // "429 Too Many Requests", not words for a lost connection
  const isStatus = /^[45]/.test(cause)
  if (!isStatus) return `the service was the limit by its failures (${cause}): ${limit}, and more while they succeed.`
  const count = cause.startsWith('429') ? throttled : cause.startsWith('5') ? server : throttled + server
  if (held?.rate_suspected === true)
    return `failures that may be a limit held requests back: ${thousands(count)} of ${counted(attempts, 'answer')} ${count === 1 ? 'was' : 'were'} ${cause}, so ${limit}, and more as soon as fewer fail. A plain ${cause} does not say whether too much was sent: a 429 would.`
  return `the service was the limit by what it refused: ${thousands(count)} of ${counted(attempts, 'answer')} ${count === 1 ? 'was' : 'were'} ${cause}, so ${limit}. Ask its operator why, or for a higher limit.`
}

/** Makes a sentence of words that may begin with the name of an option, which stays as it is. */
function sentence(text: string): string {
  return `${text[0]!.toUpperCase()}${text.slice(1)}`.replace(/^Max_requests/, 'max_requests')
}

/** A duration in words, to a tenth of a second. */
function spanOf(seconds: number): string {
  return roundedSpan(Math.round(seconds * 10) * 100)
}

function percent(share: number): string {
  const value = share * 100
  return `${value > 0 && value < 1 ? '<1' : Math.round(value)} %`
}
