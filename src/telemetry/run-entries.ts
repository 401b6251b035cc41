// Makes what the log says of a run, and decides when: entries of its progress; once it is to end, why it has not ended yet; and the lines at
// the end of `write`. It has counts, never a record's data.

import type { Log, LogFields } from '../process/io.ts'
import { COUNT_NAMES, countPhrases, COUNTS, type RunRow } from '../run/counts.ts'
import type { GroupFacts, RunDisplay, RunFacts } from '../run/run-facts.ts'
import { runFigures, sinceStart, type RunFigure } from '../run/run-figures.ts'
import { counted, elapsedText, secondsText, thousands } from '../text/figures.ts'
import { lagWords, rateWords, stoppedWords, underWay } from './run-words.ts'
import { deliveryWaits, heldWords, troubles } from './wait-words.ts'

export interface Entry {
  readonly message: string
  readonly fields?: LogFields
}

/** Returns what `write` logs while it runs: its progress, or, once reading is over, why it has not ended.
 *  @param since earlier facts of the same run, for the rate */
export function writeEntry(facts: RunFacts, since: RunFacts): Entry {
  const { delivery, at } = facts
  const { outstanding, inFlight, permits, heldCheckpoints, settledAt, ending } = delivery
  const requests = `${thousands(inFlight)} of ${counted(permits ?? 0, 'request')} in flight`
  const waits = deliveryWaits(delivery, at)
  if (ending?.isReadingOver === true) {
    const head = ending.stopsAt === undefined ? 'Nothing more is read' : 'Stopping, nothing more is sent'
    const unread = ending.isCommitting ? ['a STATE waits until standard output is read'] : []
    const phrases = [`${head}: ${counted(outstanding, 'record')} unsettled, ${requests}`, ...waits, ...unread]
    return { message: phrases.join('; ') }
  }
  const { total } = runFigures(facts, since, [])
  const [records, ...counts] = countPhrases(total.counts, { atEnd: false })
  const message = [
    `Under way: ${[`${records} (${thousands(total.perSecond ?? 0)}/s)`, ...counts].join(', ')}, ${thousands(outstanding)} unsettled`,
    requests,
    ...rateWords(delivery),
    ...(heldCheckpoints > 0 ? [`${counted(heldCheckpoints, 'checkpoint')} held`] : []),
    ...waits,
    ...(at - settledAt >= 1000 ? [`nothing settled for ${secondsText(at - settledAt)}`] : []),
  ].join('; ')
  return { message }
}

/** The most topics in the fields of an entry, which must not grow without bound. Further ones are only in the total. */
const MAX_TOPICS = 20

/** Returns what `stream` logs while it runs, and at its end: a sentence for people, and the same figures for machines.
 *  @param since earlier facts of the same run, for rates
 *  @param isUnderWay false when the run has ended */
export function progressEntry(facts: RunFacts, since: RunFacts | undefined, isUnderWay = true): Required<Entry> {
  const { rows: all } = facts
  const { rows, total } = runFigures(facts, since, all.slice(0, MAX_TOPICS))
  const { group, delivery } = facts
  const isLeaving = isUnderWay && group !== undefined && facts.stopping && delivery.inFlight === 0
  const waiting = [
    ...troubles(facts, facts.at),
    ...heldWords(facts),
    ...(isLeaving ? ['the last offsets are committed, the group is left'] : []),
  ]
  const message = [
    [
      `stream: ${countPhrases(total.counts, { atEnd: !isUnderWay }).join(', ')}`,
      ...(group === undefined ? [] : [`lag ${lagWords(total)}`]),
      ...(total.perSecond === undefined ? [] : [`${counted(total.perSecond, 'record')}/s`]),
    ].join(', '),
    ...underWay(facts),
    ...waiting,
  ].join('; ')
  const fields = {
    ...figuresOf(total),
    uptime_seconds: Math.round((facts.at - facts.startedAt) / 1000),
    ...(group ? { ...groupFields(group), rebalances: group.rebalances } : {}),
    in_flight: delivery.inFlight,
    permits: delivery.permits ?? null,
    rate_limit: Number.isFinite(delivery.rate?.perSecond) ? delivery.rate!.perSecond : null,
    held_by: delivery.heldBy ?? null,
    outstanding_records: delivery.outstanding,
    oldest_unsettled_seconds: group?.oldestAt === undefined ? null : (facts.at - group.oldestAt) / 1000,
    buffered_bytes: delivery.bufferedBytes,
    waits: waiting,
    topics: rows.map((row) => Object.assign({ topic: row.name, table: row.table ?? null }, figuresOf(row))),
    ...(all.length > MAX_TOPICS ? { more_topics: all.length - MAX_TOPICS } : {}),
  }
  return { message, fields }
}

/** Returns the state of a member as log lines and /readyz have it. */
export function groupFields({ joined, generation, partitions }: GroupFacts) {
  const held = partitions.filter((one) => one.held !== undefined)
  return { joined, generation: generation ?? null, partitions: partitions.length, partitions_held: held.length }
}

function figuresOf({ counts, lag, perSecond }: RunFigure): Record<string, number | null> {
  const countFields = COUNT_NAMES.flatMap((name) => {
    const [field, count] = [COUNTS[name].field, counts[name]]
    return field === undefined || count === undefined ? [] : [[field, count] as const]
  })
  return {
    ...Object.fromEntries(countFields),
    // a bigint, but no lag exceeds 2^53 in practice
    lag: lag === undefined ? null : Number(lag),
    records_per_second: perSecond ?? null,
  }
}

/** Returns what `write` says at its end: a line per stream with records, a total, and where rejected records are kept. */
export function summaryLines({ rows, total, at, startedAt, rejectsPlace }: RunFacts): string[] {
  const { records = 0, rejected = 0 } = total.counts
  const tookMs = at - startedAt
  const rate = tookMs > 0 ? Math.round((1000 * records) / tookMs) : records
  return [
    ...rows.filter(({ counts }) => (counts.records ?? 0) > 0).map(summaryLine),
    `${summaryLine(total)}, ${elapsedText(tookMs)}, ${counted(rate, 'record')}/s`,
    ...(rejected > 0 && rejectsPlace !== undefined
      ? [`Rejected: ${thousands(rejected)} (older versions of their rows included), kept in ${rejectsPlace}`]
      : []),
  ]
}

function summaryLine({ name, counts }: RunRow): string {
  return `${name}: ${countPhrases(counts, { atEnd: true }).join(', ')}`
}

/** The time between two entries. */
const EVERY_MS = 60_000
/** An end that takes longer is logged, and again every END_EVERY_MS. */
const SILENT_END_MS = 2000
const END_EVERY_MS = 10_000

/** Logs the progress of a run: first after a minute. No entry is added while the previous one is still being written. Sets no timer.
 *  @param entry makes an entry of the current facts, and those of the previous entry or the first ones */
export function runLines(log: Log, entry: (facts: RunFacts, since: RunFacts) => Entry) {
  /** The facts of the previous entry; before one, the first facts. */
  let previous: RunFacts | undefined
  let isWriting = false
  /** When the end was first seen to have begun, and when it was last logged. */
  let endingSince: number | undefined
  let endLoggedAt = -Infinity

  function isDue({ at, stopping, delivery }: RunFacts, previousAt: number): boolean {
    if (!stopping && delivery.ending?.isReadingOver !== true) return at - previousAt >= EVERY_MS
    endingSince ??= at
    if (at - endingSince < SILENT_END_MS || at - endLoggedAt < END_EVERY_MS) return false
    endLoggedAt = at
    return true
  }

  return {
    /** Logs an entry where one is due. To be called once a second. */
    show(facts: RunFacts): void {
      previous ??= facts
      if (isWriting || !isDue(facts, previous.at)) return
      const { message, fields } = entry(facts, previous)
      previous = facts
      isWriting = true
      void log('info', message, { event: 'run.progress', ...fields }).finally(() => (isWriting = false))
    },
  }
}

/** Logs the progress of `stream`. Disposing it logs the last entry. */
export function streamLines(log: Log): RunDisplay {
  const lines = runLines(log, progressEntry)
  let newest: RunFacts | undefined
  return {
    log,
    show(facts) {
      newest = facts
      lines.show(facts)
    },
    [Symbol.dispose]() {
      if (newest === undefined) return
      const { message, fields } = progressEntry(newest, sinceStart(newest), false)
      void log('info', message, { event: 'run.progress', ...fields })
      const end = stoppedWords(newest)
      if (end) void log('info', end.message, end.fields)
    },
  }
}
