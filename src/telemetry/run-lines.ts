// A stream's progress where there is no terminal: an entry of the log now and then, with the figures beside it.

import { counted, thousands } from '../text/figures.ts'
import type { Log, LogFields } from './log.ts'
import { stoppedWords, waits } from './run-words.ts'
import type { StreamFacts, StreamProgress } from './run-facts.ts'
import { lagWords, streamFigures, underWay } from './run-figures.ts'
import type { StreamRow } from './run-figures.ts'

export interface StreamLinesParts {
  readonly log: Log
  /** Between two entries. */
  readonly everyMs: number
}

/** An end that takes longer is told of, and again so often. */
const SILENT_END_MS = 2000
const END_EVERY_MS = 10_000

/** A line must not grow without bound: of more topics the total tells. */
const MAX_TOPICS = 20

/** The first entry comes after `everyMs`, the last on disposal. None is added while the one before has not left. */
export function streamLines({ log, everyMs }: StreamLinesParts): StreamProgress {
  let told: StreamFacts | undefined
  let newest: StreamFacts | undefined
  let isFull = false
  /** When the end was first seen, and last told of. */
  let endingSince: number | undefined
  let endTold = -Infinity

  function isDue(facts: StreamFacts, last: StreamFacts): boolean {
    if (!facts.stopping) return facts.at - last.at >= everyMs
    endingSince ??= facts.at
    return facts.at - endingSince >= SILENT_END_MS && facts.at - endTold >= END_EVERY_MS
  }

  async function tell(facts: StreamFacts, isLast = false): Promise<void> {
    const { message, fields } = progressEntry(facts, told, !isLast)
    told = facts
    if (facts.stopping) endTold = facts.at
    isFull = true
    await log('info', message, fields)
    isFull = false
  }

  return {
    log,
    show(facts) {
      told ??= facts
      newest = facts
      if (!isFull && isDue(facts, told)) void tell(facts)
    },
    [Symbol.dispose]() {
      if (newest === undefined) return
      void tell(newest, true)
      const end = stoppedWords(newest)
      if (end) void log('info', end.message, end.fields)
    },
  }
}

/** @param since earlier facts of the same stream, for rates
 *  @param isUnderWay whether it has not ended yet
 *  @returns a sentence for people and the same figures for machines */
export function progressEntry(
  facts: StreamFacts,
  since: StreamFacts | undefined,
  isUnderWay = true,
): { message: string; fields: LogFields } {
  const { topics, total } = streamFigures(facts, since)
  const { group, delivery } = facts
  const isLeaving = isUnderWay && facts.stopping && delivery.inFlight === 0
  const waiting = [
    ...waits(facts, facts.at),
    ...(isLeaving ? ['the last offsets are committed, the group is left'] : []),
  ]
  const message = [
    `stream: ${counted(total.records, 'record')}, ${counted(total.rows!, 'row')} sent, ${thousands(total.rejected)} rejected, ${thousands(total.ignored)} ignored, lag ${lagWords(total)}${total.perSecond === undefined ? '' : `, ${counted(total.perSecond, 'record')}/s`}`,
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
    topics: topics.slice(0, MAX_TOPICS).map((row) => Object.assign({ topic: row.topic }, figuresOf(row))),
    ...(topics.length > MAX_TOPICS ? { more_topics: topics.length - MAX_TOPICS } : {}),
  }
  return { message, fields }
}

function figuresOf({ records, rows, rejected, ignored, lag, perSecond }: StreamRow): Record<string, number | null> {
  return {
    records,
    ...(rows === undefined ? {} : { rows_sent: rows }),
    rejected,
    ignored,
    // a lag beyond 2^53 is not met
    lag: lag === undefined ? null : Number(lag),
    records_per_second: perSecond ?? null,
  }
}
