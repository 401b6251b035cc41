// What delivered or rejected points mean to the ledger. Knows no body and no batch.

import type { Ledger } from './ledger.ts'
import type { Point, Share } from './point.ts'

/** Settles what the points stand for; neighbours of one segment together, for most are. */
export function settlePoints(
  points: readonly Point<unknown>[],
  ledger: Ledger<unknown>,
  how: 'written' | 'rejected',
): void {
  let { segment } = points[0]!
  let count = 0
  for (const point of points) {
    for (let share: Share | undefined = point; share; share = share.older) {
      if (share.segment !== segment) {
        ledger.settle(segment, count, how)
        segment = share.segment
        count = 0
      }
      count += share.count
    }
  }
  ledger.settle(segment, count, how)
}
