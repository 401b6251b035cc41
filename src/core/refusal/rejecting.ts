// Settles rejected records: once their reject is durable, or once points of another table, their stand-ins, are delivered in their place.
// The policy (`Rejects`) decides which of the two, and where rejects go: its `put` resolves to stand-ins, or to `undefined` if durable.

import type { Batch } from '../batch.ts'
import type { Ledger } from '../ledger.ts'
import type { Segment, Share } from '../segment.ts'
import type { Point } from '../body.ts'
import { dropShares, isLost, settlePoints, sharesOf } from '../shares.ts'
import type { Tables } from '../tables.ts'
import type { Clock, RecordItem, Rejected, RejectedItem, Rejects } from '../types.ts'

/** Rejects records by the policy, and settles them. Throws what `Rejects.put` throws; nothing is settled then.
 *  See decisions.md#one-policy-for-every-rejected-record and decisions.md#a-diverted-record-comes-in-again. */
export class Rejecting<O> {
  readonly #parts: { readonly rejects: Rejects<O>; readonly clock: Clock }
  readonly #ledger: Ledger<unknown>
  readonly #tables: Tables<O>

  constructor(parts: { rejects: Rejects<O>; clock: Clock }, ledger: Ledger<unknown>, tables: Tables<O>) {
    this.#parts = parts
    this.#ledger = ledger
    this.#tables = tables
  }

  /** Rejects a record that never became a point.
   *  @param segment that of the record, which it must count already */
  async unsent(item: RejectedItem<O>, segment: Segment, signal: AbortSignal): Promise<void> {
    const standIns = await this.#parts.rejects.put({ ...item, superseded: 0, supersededAt: [] }, signal)
    if (standIns && segment.state.phase === 'lost') this.#ledger.drop({ segment, count: 1 })
    else if (standIns) this.#addStandIns(standIns, { segment, count: 1, older: undefined })
    else this.#ledger.settle(segment, 1, 'rejected')
  }

  /** Rejects the only point of a batch. The caller frees the point's key afterwards. */
  async refused({ body, track, table }: Batch<O>, reason: string, signal: AbortSignal): Promise<void> {
    const point = body.points[0]!
    const standIns = await this.#parts.rejects.put(rejected(point, { track, table, reason }), signal)
    if (!standIns) return settlePoints(body, this.#ledger, 'rejected')
    // a track of its records may have been lost meanwhile: taken from this process
    const dropped: Share[] = []
    const isDropped = dropShares(point, isLost, dropped)
    for (const share of dropped) this.#ledger.drop(share)
    if (!isDropped) this.#addStandIns(standIns, { segment: point.segment, count: point.count, older: point.older })
  }

  /** Drops the records of a batch whose reject failed. The run fails with it, so they are never settled, and nothing waits for them. */
  drop({ body }: Batch<O>): void {
    for (const share of sharesOf(body.points[0]!)) this.#ledger.drop(share)
  }

  /** Buffers the points that are delivered in place of a rejected record. Only the last one settles it: all share a fence (no two of
   *  one fence are in flight together), so the last is sent after the others are delivered.
   *  @param share the record, with those that it superseded */
  #addStandIns(items: readonly RecordItem<O>[], share: Share): void {
    const now = this.#parts.clock.now()
    const noRecords = { segment: share.segment, count: 0, older: undefined }
    items.forEach((item, index) => this.#tables.addStandIn(item, index === items.length - 1 ? share : noRecords, now))
  }
}

function rejected<O>(point: Point<O>, about: Pick<Rejected<O>, 'track' | 'table' | 'reason'>): Rejected<O> {
  const supersededAt = point.places?.newestFirst() ?? []
  return { ...about, origin: point.origin, key: point.exact, superseded: point.supersededCount(), supersededAt }
}
