// What was sent again although it had been acknowledged: how much, and what of it should not have been. Knows no process.

import type { Stop } from './laws.ts'
import type { Upsert } from './receiver.ts'
import type { Produced, Version } from './workload.ts'

/** Records that a service took again. */
export interface Repeats {
  /** The very version that it took before. */
  readonly again: number
  /** An older version than the row had. */
  readonly back: number
}

/** What was settled in an unbroken row so long before a kill is not sent again. */
export const KILL_MS = 2000

/** @param taken in the order they were taken */
export function repeatsOf(taken: readonly Pick<Upsert, 'points'>[]): Repeats {
  const seen = new Set<string>()
  const newest = new Map<number, number>()
  let [again, back] = [0, 0]
  for (const point of taken.flatMap(({ points }) => points)) {
    if (seen.has(nameOf(point))) again++
    seen.add(nameOf(point))
    const { id, version } = point
    if (version < (newest.get(id) ?? 0)) back++
    else newest.set(id, version)
  }
  return { again, back }
}

/** After a kill comes again what was in flight, and what was settled in an unbroken row in the last two seconds; nothing
 *  before. What cannot be stored holds nothing up here.
 *  @param taken in the order they were taken
 *  @returns the fault; undefined: there is none */
export function killFault(
  taken: readonly Upsert[],
  produced: readonly (readonly Produced[])[],
  { member, at }: Stop,
): string | undefined {
  const settled = prefixes(taken, produced, at - KILL_MS)
  const before = new Set(taken.filter(({ takenAt }) => takenAt! <= at).flatMap(({ points }) => points.map(nameOf)))
  const offsets = new Map(produced.flat().map((record) => [nameOf(record), record.offset]))
  const after = taken.filter((upsert) => upsert.member !== member && upsert.takenAt! > at)
  const again = after.flatMap(({ points }) => points.filter((point) => before.has(nameOf(point))))
  const early = again.filter((point) => offsets.get(nameOf(point))! < settled[point.partition]!)
  if (early.length === 0) return undefined
  const lastMoments = taken.filter(({ takenAt }) => takenAt! <= at && takenAt! > at - KILL_MS)
  const late = lastMoments.reduce((sum, { points }) => sum + points.length, 0)
  return `after the kill of member ${member} ${again.length} records came again, ${early.length} of them settled in an unbroken row more than ${KILL_MS} ms before; ${late} were settled since`
}

/** By partition: behind the last of an unbroken row of records that were settled at a time. */
function prefixes(taken: readonly Upsert[], produced: readonly (readonly Produced[])[], at: number): number[] {
  const acknowledged = new Map<number, number>()
  for (const { takenAt, points } of taken)
    if (takenAt! <= at)
      for (const { id, version } of points) acknowledged.set(id, Math.max(version, acknowledged.get(id) ?? 0))
  return produced.map((records) => {
    const first = records.find(({ id, version, isPoison }) => !isPoison && (acknowledged.get(id) ?? 0) < version)
    return first?.offset ?? Infinity
  })
}

function nameOf({ id, version }: Pick<Version, 'id' | 'version'>): string {
  return `${id}/${version}`
}
