// Where a run would go on in each topic, and what would stop it there, in words for the user. Knows no client.

import { outOfRange, outOfRangeWarning } from '../client/decide-positions.ts'
import type { OffsetQuestions } from '../client/decide-positions.ts'
import { startPosition } from '../client/start-position.ts'
import type { OffsetRange, StartPosition } from '../client/start-position.ts'
import type { CheckFinding } from './check-finding.ts'
import { fail, warn } from './check-finding.ts'
import type { CheckedTopic } from './check-topics.ts'

export interface CheckedPartition {
  readonly partition: number
  readonly range: OffsetRange
  /** undefined: none, or not known. */
  readonly committed: bigint | undefined
  readonly found: StartPosition
}

/** @param group undefined: its offsets cannot be asked for
 *  @throws whatever the questions throw */
export async function askPositions(
  { name, entry }: CheckedTopic,
  group: string | undefined,
  questions: OffsetQuestions,
): Promise<readonly CheckedPartition[]> {
  // the committed offset first: a range that is asked for later is not behind it
  const committed = group === undefined ? [] : await questions.committed(group, [name])
  const ranges = await questions.ranges(name)
  const { start, outOfRange: policy } = entry
  const starts = typeof start === 'object' ? await questions.offsetsAt(name, start.timestamp) : undefined
  return Array.from(ranges, ([partition, range]) => {
    const last = committed.find((one) => one.partition === partition)?.offset
    const startAt = starts?.get(partition) ?? (start === 'latest' ? range.high : range.low)
    return { partition, range, committed: last, found: startPosition(last, range, startAt, policy) }
  }).toSorted((a, b) => a.partition - b.partition)
}

/** Offsets that are gone. */
export function positionFindings(topic: string, partitions: readonly CheckedPartition[]): CheckFinding[] {
  const gone = partitions.filter(({ found }) => found.from === 'out of range')
  const findings = gone.slice(0, SHOWN).map(({ partition, range, committed, found }) => {
    const at = { topic, partition }
    if (found.offset === undefined) return fail(outOfRange(at, committed!, range).message)
    return warn(outOfRangeWarning(at, committed!, range, found.offset))
  })
  if (gone.length <= SHOWN) return findings
  const more = `Topic ${topic}: in ${gone.length - SHOWN} further partitions too the offset to go on at is gone.`
  return [...findings, findings[0]!.level === 'FAIL' ? fail(`${more} The same helps.`) : warn(more)]
}

const SHOWN = 3

/** For a table's cell. */
export function beginsAt({ entry }: CheckedTopic, partitions: readonly CheckedPartition[]): string {
  const { start } = entry
  const words = typeof start === 'object' ? new Date(Number(start.timestamp)).toISOString() : start
  const fresh = partitions.filter(({ found }) => found.from === 'start').length
  if (fresh === partitions.length) return words
  if (partitions.some(({ found }) => found.from === 'out of range')) return 'out of range'
  return fresh === 0 ? 'committed' : `committed, ${fresh} ${words}`
}

/** Offsets that lie before the end: records, markers and gaps. */
export function toRead(partitions: readonly CheckedPartition[]): bigint {
  return partitions.reduce((sum, { range, found }) => sum + range.high - (found.offset ?? range.low), 0n)
}
