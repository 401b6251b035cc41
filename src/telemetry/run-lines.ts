// A run in lines of a log: how it comes along, what its end waits for, and what it did in all. Counts only, never data.

import { counted, secondsText, thousands } from '../text/figures.ts'
import { ALL_COUNTS, countPhrases } from './counts.ts'
import type { RunRow } from './counts.ts'
import type { Log, LogFields } from '../process/io.ts'
import type { RunFacts, StreamFacts, StreamProgress } from './run-facts.ts'
import { lagWords, runFigures, underWay } from './run-figures.ts'
import type { RunFigure } from './run-figures.ts'
import { deliveryWaits, stoppedWords, waits } from './run-words.ts'

/** Of `write`: one a stream that had records (or none, when none had), a total, and where rejected records are.
 *  @param rejectsPlace where rejected records are kept, for people; undefined: they are not */
export function summaryLines({ rows, total, at, startedAt }: RunFacts, rejectsPlace?: string): string[] {
  const { records = 0, rejected = 0 } = total.counts
  const took = (at - startedAt) / 1000
  const rate = took > 0 ? Math.round(records / took) : records
  return [
    ...rows.filter(({ counts }) => (counts.records ?? 0) > 0).map(summaryLine),
    `${summaryLine(total)}, ${took.toFixed(1)} s, ${counted(rate, 'record')}/s`,
    ...(rejected > 0 && rejectsPlace !== undefined
      ? [`Rejected: ${thousands(rejected)} (older versions of their rows included), kept in ${rejectsPlace}`]
      : []),
  ]
}

function summaryLine({ name, counts }: RunRow): string {
  return `${name}: ${countPhrases(counts, true).join(', ')}`
}

/** The lines of `write` while it runs. */
export class WriteProgress {
  readonly #source: { take(at: number): RunFacts }
  #since: RunFacts | undefined

  constructor(source: { take(at: number): RunFacts }) {
    this.#source = source
  }

  /** How it comes along; its rate is that since the line before. */
  line(now: number): string {
    const facts = this.#source.take(now)
    const { total } = runFigures(facts, this.#since ?? beginningOf(facts))
    this.#since = facts
    const { outstanding, inFlight, permits, heldCheckpoints, settledAt } = facts.delivery
    const [records, ...counts] = countPhrases(total.counts)
    return [
      `Under way: ${[`${records} (${thousands(total.perSecond ?? 0)}/s)`, ...counts].join(', ')}, ${thousands(outstanding)} unsettled`,
      `${thousands(inFlight)} of ${counted(permits ?? 0, 'request')} in flight`,
      ...(heldCheckpoints > 0 ? [`${counted(heldCheckpoints, 'checkpoint')} held`] : []),
      ...deliveryWaits(facts.delivery, now),
      ...(settledAt < now ? [`nothing settled for ${secondsText(now - settledAt)}`] : []),
    ].join('; ')
  }

  /** Why a run that reads no more has not ended; undefined: it still reads. */
  ending(now: number): string | undefined {
    const { delivery } = this.#source.take(now)
    const { outstanding, inFlight, permits, ending } = delivery
    if (ending?.isReadingOver !== true) return undefined
    const head = ending.stopsAt === undefined ? 'Nothing more is read' : 'Stopping, nothing more is sent'
    return [
      `${head}: ${counted(outstanding, 'record')} unsettled, ${thousands(inFlight)} of ${counted(permits ?? 0, 'request')} in flight`,
      ...deliveryWaits(delivery, now),
      ...(ending.isCommitting ? ['a STATE waits until standard output is read'] : []),
    ].join('; ')
  }
}

export interface StreamLinesParts {
  readonly log: Log
  /** Between two entries. */
  readonly everyMs: number
}

/** An end that takes longer is logged, and again every END_EVERY_MS. */
const SILENT_END_MS = 2000
const END_EVERY_MS = 10_000

/** A line must not grow without bound: more topics are in the total only. */
const MAX_TOPICS = 20

/** The first entry comes after `everyMs`, the last on disposal. None is added while the one before has not left. */
export function streamLines({ log, everyMs }: StreamLinesParts): StreamProgress {
  let last: StreamFacts | undefined
  let newest: StreamFacts | undefined
  let isFull = false
  /** When the end was first seen, and last logged. */
  let endingSince: number | undefined
  let endLoggedAt = -Infinity

  function isDue(facts: StreamFacts, before: StreamFacts): boolean {
    if (!facts.stopping) return facts.at - before.at >= everyMs
    endingSince ??= facts.at
    return facts.at - endingSince >= SILENT_END_MS && facts.at - endLoggedAt >= END_EVERY_MS
  }

  async function add(facts: StreamFacts, isLast = false): Promise<void> {
    const { message, fields } = progressEntry(facts, last, !isLast)
    last = facts
    if (facts.stopping) endLoggedAt = facts.at
    isFull = true
    await log('info', message, fields)
    isFull = false
  }

  return {
    log,
    show(facts) {
      last ??= facts
      newest = facts
      if (!isFull && isDue(facts, last)) void add(facts)
    },
    [Symbol.dispose]() {
      if (newest === undefined) return
      void add(newest, true)
      const end = stoppedWords(newest)
      if (end) void log('info', end.message, end.fields)
    },
  }
}

function beginningOf(facts: RunFacts): RunFacts {
  return { ...facts, at: facts.startedAt, rows: [], total: { ...facts.total, counts: {} } }
}

/** @param since earlier facts of the same stream, for rates
 *  @param isUnderWay whether it has not ended yet
 *  @returns a sentence for people and the same figures for machines */
export function progressEntry(
  facts: StreamFacts,
  since: StreamFacts | undefined,
  isUnderWay = true,
): { message: string; fields: LogFields } {
  const { rows, total } = runFigures(facts, since)
  const { group, delivery } = facts
  const isLeaving = isUnderWay && facts.stopping && delivery.inFlight === 0
  const waiting = [
    ...waits(facts, facts.at),
    ...(isLeaving ? ['the last offsets are committed, the group is left'] : []),
  ]
  const message = [
    `stream: ${countPhrases(total.counts).join(', ')}, lag ${lagWords(total)}${total.perSecond === undefined ? '' : `, ${counted(total.perSecond, 'record')}/s`}`,
    ...underWay(facts),
    ...waiting,
  ].join('; ')
  const fields = {
    ...figuresOf(total),
    uptime_seconds: Math.round((facts.at - facts.startedAt) / 1000),
    joined: group.joined,
    generation: group.generation ?? null,
    rebalances: group.rebalances,
    partitions: group.partitions.length,
    partitions_held: group.partitions.filter(({ held }) => held !== undefined).length,
    in_flight: delivery.inFlight,
    permits: delivery.permits ?? null,
    outstanding_records: delivery.outstanding,
    oldest_unsettled_seconds: delivery.oldestAt === undefined ? null : (facts.at - delivery.oldestAt) / 1000,
    buffered_bytes: delivery.bufferedBytes,
    waits: waiting,
    topics: rows.slice(0, MAX_TOPICS).map((row) => Object.assign({ topic: row.name }, figuresOf(row))),
    ...(rows.length > MAX_TOPICS ? { more_topics: rows.length - MAX_TOPICS } : {}),
  }
  return { message, fields }
}

function figuresOf({ counts, lag, perSecond }: RunFigure): Record<string, number | null> {
  const known = ALL_COUNTS.flatMap(([name, { field }]) => {
    const count = counts[name]
    return field === undefined || count === undefined ? [] : [[field, count] as const]
  })
  // a lag beyond 2^53 is not met
  return {
    ...Object.fromEntries(known),
    lag: lag === undefined ? null : Number(lag),
    records_per_second: perSecond ?? null,
  }
}
