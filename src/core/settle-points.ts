// What delivered or rejected points mean to the ledger. Knows no body and no batch.

import type { Ledger } from './ledger.ts'
import type { Point, Share } from './point.ts'

/** Settles what the points stand for; neighbours of one segment together, for most are. What is delivered in place of a
 *  rejected record settles that one, as rejected. */
export function settlePoints(
  points: readonly Point<unknown>[],
  ledger: Ledger<unknown>,
  how: 'written' | 'rejected',
): void {
  let { segment, isStandIn } = points[0]!
  let count = 0
  for (const point of points) {
    for (let share: Share | undefined = point; share; share = share.older) {
      if (share.segment !== segment || point.isStandIn !== isStandIn) {
        ledger.settle(segment, count, isStandIn ? 'rejected' : how)
        segment = share.segment
        isStandIn = point.isStandIn
        count = 0
      }
      count += share.count
    }
  }
  ledger.settle(segment, count, isStandIn ? 'rejected' : how)
}
