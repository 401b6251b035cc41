// The one tally of a run's rejected records: by stream or topic, by who rejected them, by reason, with the first place of each. `add` is
// called for each record before it is kept, then `kept`, or `takeBack` if it could not be kept. Where a record ends the run, `stopped` is
// called instead. Never holds a record's data, nor its key, nor words of the service, which may repeat them.

import type { Rejected } from '../core/types.ts'
import type { CountedReject } from '../run/run-facts.ts'
import { shortened } from '../text/printable.ts'

/** What rejected a record: a rule of the connector (`rejected`) or the service (`refused`). */
export type RejectedBy = CountedReject['by']

/** The place where a rejected record was read, and why it was rejected. */
export interface RejectPlace {
  /** The stream or topic it was first read from. */
  readonly name: string
  /** The place where it was read, in words for people. */
  readonly place: string
  /** Why it was rejected, without secrets. */
  readonly reason: string
  /** The record's place in the input, rising. Absent when places have no such order: then the first is the one found first. */
  readonly order?: number
}

/** The count of one reason: `records` are those rejected and those that they superseded, `first` is the place of the first one. */
export interface RejectCount extends CountedReject {
  /** Rejected records alone, without those that they superseded. */
  readonly times: number
  /** `RejectPlace.order` of the first one; Infinity when places have none. */
  readonly order: number
}

/** Most reasons that are counted separately, so that memory stays bounded in a long run. The others are counted together, as OTHER. */
const MOST_REASONS = 100
const OTHER = { name: 'any other', table: undefined, reason: 'any other reason' }
const MOST_OF_REASON = 300
/** Positions in a record's bytes ("at byte 17"), which would give each record a reason of its own. */
const POSITION = /(?<=\b(?:byte|of|after) )\d+/g
/** The engine's own reason for a record that was too large alone, as core/deliver.ts words it. */
const TOO_LARGE = /^the service says the request is too large \(413\)/
/** The status of a refusal ("422: …"), with which the service's reason begins unless it is 400. */
const STATUS = /^(4\d\d): /

/** Counts of one table of a stream or topic, or of its records that had none. */
interface TableRejects {
  /** Records that were kept, without those that they superseded. */
  readonly kept: Record<RejectedBy, number>
  /** Records that `all` counts, kept by now or not. */
  records: number
}

export class RejectCounts {
  /** The first record that ended the run, and the error that the run ended with. `undefined` when none did. */
  stop: (RejectCount & { readonly error: unknown }) | undefined
  /** Counts by stream or topic, then by table. */
  readonly #tables = new Map<string, Map<string | undefined, TableRejects>>()
  /** Counts by stream or topic, table, who rejected the records, and reason. */
  readonly #reasons = new Map<string, { -readonly [Member in keyof RejectCount]: RejectCount[Member] }>()

  /** Counts by reason, the most frequent first. */
  get all(): readonly RejectCount[] {
    return [...this.#reasons.values()].toSorted((a, b) => b.records - a.records)
  }

  /** Counts the records of a stream or topic that were kept, without those that they superseded.
   *  @param isOf tells which tables count; `undefined` stands for records that had none */
  keptOf(
    name: string,
    isOf: (table: string | undefined) => boolean = () => true,
  ): Readonly<Record<RejectedBy, number>> {
    const all = { rejected: 0, refused: 0 }
    for (const [table, { kept }] of this.#tables.get(name) ?? []) {
      if (!isOf(table)) continue
      all.rejected += kept.rejected
      all.refused += kept.refused
    }
    return all
  }

  /** Counts the records of a stream or topic that are in `all`, kept by now or not, with those that they superseded.
   *  @param isOf the same as for `keptOf` */
  recordsOf(name: string, isOf: (table: string | undefined) => boolean): number {
    let sum = 0
    for (const [table, { records }] of this.#tables.get(name) ?? []) if (isOf(table)) sum += records
    return sum
  }

  /** The most frequent reason of a stream or topic, of which a record must have been counted; OTHER if it is only counted there.
   *  @param table the only table whose reasons count; those of all tables when `undefined` */
  commonestOf(name: string, table?: string): RejectCount {
    const { all } = this
    return (all.find((count) => count.name === name && (table ?? count.table) === count.table) ??
      all.find((count) => count.name === OTHER.name))!
  }

  /** Counts a record, before it is kept. */
  add(rejected: Rejected<unknown>, at: RejectPlace): void {
    this.#change(countOf(rejected, at))
  }

  /** Takes back what `add` has counted: the record is not kept. */
  takeBack(rejected: Rejected<unknown>, at: RejectPlace): void {
    const count = countOf(rejected, at)
    this.#change({ ...count, records: -count.records, times: -1 })
  }

  /** Counts a record that `add` has counted as kept. */
  kept(rejected: Rejected<unknown>, { name }: RejectPlace): void {
    this.#tableRejects(name, rejected.table?.name).kept[rejectedBy(rejected)]++
  }

  /** Counts a record that ends the run. */
  stopped(rejected: Rejected<unknown>, at: RejectPlace, error: unknown): void {
    const count = countOf(rejected, at)
    this.#change(count)
    this.stop ??= { ...count, error }
  }

  #tableRejects(name: string, table: string | undefined): TableRejects {
    const byTable = this.#tables.get(name) ?? new Map<string | undefined, TableRejects>()
    const found = byTable.get(table) ?? { kept: { rejected: 0, refused: 0 }, records: 0 }
    this.#tables.set(name, byTable.set(table, found))
    return found
  }

  #change(count: RejectCount): void {
    this.#tableRejects(count.name, count.table).records += count.records
    this.#changeReason(count)
  }

  #changeReason(count: RejectCount): void {
    const { name, table, by, reason, records, times, first, order } = count
    const key = JSON.stringify([name, table, by, reason])
    const known = this.#reasons.get(key)
    if (known) {
      known.records += records
      known.times += times
      if (times > 0 && order < known.order) Object.assign(known, { first, order })
      if (known.times === 0) this.#reasons.delete(key)
    } else if (reason === OTHER.reason || (times > 0 && this.#reasons.size < MOST_REASONS)) {
      this.#reasons.set(key, { ...count })
    } else this.#changeReason({ ...count, ...OTHER })
  }
}

/** Tells what rejected a record: only one that was sent has the member `key`, and the service refused it. */
export function rejectedBy(rejected: Rejected<unknown>): RejectedBy {
  return 'key' in rejected ? 'refused' : 'rejected'
}

function countOf(rejected: Rejected<unknown>, { name, place, reason, order = Infinity }: RejectPlace): RejectCount {
  const by = rejectedBy(rejected)
  const cause = by === 'rejected' ? shortened(reason.replace(POSITION, '…'), MOST_OF_REASON) : answerOf(rejected.reason)
  const records = 1 + rejected.superseded
  return { name, table: rejected.table?.name, by, reason: cause, records, times: 1, first: place, order }
}

/** The reason for a record that the service refused: the status alone, without its words. */
function answerOf(reason: string): string {
  return `the service answered ${TOO_LARGE.test(reason) ? 413 : (STATUS.exec(reason)?.[1] ?? 400)}`
}
