// What a run of a group came to: the laws it breaks, and figures. Only once nothing of it runs any more.

import type { GroupParts } from './group-parts.ts'
import { committedFault, letterPlace, rowsFault, zombieFault, type Stop } from './laws.ts'
import { killFault, repeatsOf, type Repeats } from './repeats.ts'
import { PARTITIONS, type Produced } from './workload.ts'

export interface RunVerdict extends Repeats {
  /** Broken laws; empty: none. */
  readonly faults: readonly string[]
  readonly records: number
  readonly rows: number
  readonly upserts: number
  /** Records in acknowledged upserts: some of them again. */
  readonly acknowledged: number
  readonly letters: number
  readonly samples: number
  /** Different positions that were seen committed. */
  readonly commits: number
  /** Rows whose older version was under way when its member was stopped, and came late. */
  readonly late: number
}

/** @param kills of members that were at work in ordinary times */
export async function judge(
  parts: GroupParts,
  stops: readonly Stop[],
  kills: readonly Stop[] = [],
): Promise<RunVerdict> {
  const { samples } = parts.watcher
  const { produced, count } = parts.workload
  const { upserts, taken, rows, records } = parts.receiver
  const letters = await lettersOf(parts)
  const { fault, late } = rowsFault(rows, parts.workload.model(), stops)
  const faults = [
    ...parts.receiver.faults.slice(0, 3),
    letters.fault,
    fault,
    committedFault(samples, taken, produced, letters.kept),
    zombieFault(samples, upserts, parts.topic, PARTITIONS),
    ...kills.map((kill) => killFault(taken, produced, kill)),
  ]
  const positions = samples.flatMap(({ committed }) => committed.map((offset, partition) => `${partition} ${offset}`))
  return {
    faults: faults.filter((fault) => fault !== undefined),
    records: count,
    rows: rows.size,
    upserts: upserts.length,
    acknowledged: records,
    letters: letters.kept.size,
    samples: samples.length,
    commits: new Set(positions).size,
    late,
    ...repeatsOf(taken),
  }
}

/** Where dead letters come from and when they were kept. */
async function lettersOf({
  client,
  workload,
  letters,
}: GroupParts): Promise<{ kept: Map<string, number>; fault: string | undefined }> {
  const poison = new Map(
    workload.produced
      .flat()
      .filter(({ isPoison }) => isPoison)
      .map((record): [string, Produced] => [letterPlace(record.partition, record.offset), record]),
  )
  const kept = new Map<string, number>()
  for (const { headers, key, timestamp } of await client.read(letters)) {
    const header = (name: string): string => String(headers.find(([it]) => it === name)?.[1])
    const place = letterPlace(Number(header('dlq.partition')), Number(header('dlq.offset')))
    if (String(key) !== String(poison.get(place)?.id) || header('of') !== 'the workload')
      return { kept, fault: `a dead letter from ${place} that is none` }
    kept.set(place, Math.min(kept.get(place) ?? Infinity, Number(timestamp) - performance.timeOrigin))
  }
  return { kept, fault: kept.size === poison.size ? undefined : `${kept.size} dead letters of ${poison.size}` }
}
