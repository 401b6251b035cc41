// What must hold of a run of a group, whatever happened to it. Each law answers with what breaks it; undefined: it holds.

import type { Upsert } from './receiver.ts'
import { membersOf, ownersOf, type Sample } from './watcher.ts'
import type { Produced, Version } from './workload.ts'

/** When a process was killed or stopped (performance.now()). */
export interface Stop {
  readonly member: number
  readonly at: number
}

/** By partition and offset: when a dead letter was kept (performance.now(), about). */
export type LettersKept = ReadonlyMap<string, number>

export function letterPlace(partition: number, offset: number): string {
  return `${partition}/${offset}`
}

/** The committed offset is never beyond the settled prefix (stream.md#what-is-guaranteed): every
 *  record below it is acknowledged, superseded by an acknowledged newer version of its row, or a dead letter that is
 *  kept.
 *  @param taken upserts in the order they were acknowledged */
export function committedFault(
  samples: readonly Pick<Sample, 'committed' | 'committedAnsweredAt'>[],
  taken: readonly Upsert[],
  produced: readonly (readonly Produced[])[],
  letters: LettersKept,
): string | undefined {
  const acknowledged = new Map<number, number>()
  const checked = produced.map(() => 0)
  let next = 0
  for (const { committed, committedAnsweredAt: at } of samples) {
    for (; next < taken.length && taken[next]!.takenAt! <= at; next++)
      for (const { id, version } of taken[next]!.points)
        acknowledged.set(id, Math.max(version, acknowledged.get(id) ?? 0))
    for (const [partition, records] of produced.entries()) {
      const to = Number(committed[partition] ?? 0n)
      for (; (records[checked[partition]!]?.offset ?? to) < to; checked[partition]!++) {
        const record = records[checked[partition]!]!
        const kept = letters.get(letterPlace(partition, record.offset))
        const isSettled = record.isPoison
          ? kept !== undefined && kept <= at
          : (acknowledged.get(record.id) ?? 0) >= record.version
        if (!isSettled)
          return `offset ${to} of partition ${partition} is committed, and ${record.isPoison ? 'dead letter' : 'record'} ${record.offset} is not settled`
      }
    }
  }
  return undefined
}

/** Once all is read and nothing runs any more, the tables are the model's. A row may be another version only if an upsert
 *  wrote it that was under way when its member was killed or stopped.
 *  @returns the fault, and how many rows were such */
export function rowsFault(
  rows: ReadonlyMap<number, { readonly version: number; readonly by: Upsert }>,
  model: ReadonlyMap<number, number>,
  stops: readonly Stop[],
): { fault: string | undefined; late: number } {
  let late = 0
  for (const id of rows.keys()) if (!model.has(id)) return { fault: `row ${id} was never produced`, late }
  for (const [id, version] of model) {
    const row = rows.get(id)
    if (row?.version === version) continue
    const wasUnderWay =
      row !== undefined &&
      stops.some(({ member, at }) => member === row.by.member && row.by.beganAt <= at && row.by.takenAt! >= at)
    if (!wasUnderWay) return { fault: `row ${id} has version ${row?.version}, its last one is ${version}`, late }
    late++
  }
  return { fault: undefined, late }
}

interface Span {
  readonly from: number
  readonly to: number
}

/** A member that the group does not count on begins no upsert (decisions.md#a-member-that-slept-sends-nothing), nor
 *  does one of a partition that another member owns. */
export function zombieFault(
  samples: readonly Sample[],
  upserts: readonly Upsert[],
  topic: string,
  partitions: number,
): string | undefined {
  const absent = new Map(
    Array.from(new Set(upserts.map(({ member }) => member)), (member) => [
      member,
      spans(samples, ({ group }) => !membersOf(group).includes(member)),
    ]),
  )
  const owned = Array.from({ length: partitions }, (_, partition) => spansByOwner(samples, topic, partition))
  for (const { member, beganAt, points } of upserts) {
    const span = absent.get(member)!.find((span) => isIn(beganAt, span))
    if (span)
      return `member ${member} begins an upsert ${Math.round(beganAt - span.from)} ms after the group no longer lists it, ${Math.round(span.to - beganAt)} ms before it does again`
    for (const partition of new Set(points.map((point: Version) => point.partition))) {
      const others = owned[partition]!.find((span) => span.owner !== member && isIn(beganAt, span))
      if (others)
        return `member ${member} begins an upsert of partition ${partition}, ${Math.round(beganAt - others.from)} ms after it is member ${others.owner}'s`
    }
  }
  return undefined
}

/** Times for which samples that follow each other say so without a break. */
function spans(samples: readonly Sample[], isSo: (sample: Sample) => boolean): Span[] {
  const found: { from: number; to: number }[] = []
  let isGoingOn = false
  for (const sample of samples) {
    const was = isGoingOn
    isGoingOn = isSo(sample)
    if (!isGoingOn) continue
    if (was) found.at(-1)!.to = sample.groupAskedAt
    else found.push({ from: sample.groupAnsweredAt, to: sample.groupAnsweredAt })
  }
  return found
}

function spansByOwner(samples: readonly Sample[], topic: string, partition: number): (Span & { owner: number })[] {
  const ownerIn = ({ group }: Sample): number | undefined => ownersOf(group, topic, partition + 1)[partition]
  const owners = new Set(samples.flatMap((sample) => ownerIn(sample) ?? []))
  return [...owners].flatMap((owner) =>
    spans(samples, (sample) => ownerIn(sample) === owner).map(({ from, to }) => ({ from, to, owner })),
  )
}

function isIn(at: number, { from, to }: Span): boolean {
  return at > from && at < to
}
