// What delivered or rejected points mean to the ledger. Knows no batch, and no bytes.

import type { Body } from './body.ts'
import type { Ledger } from './ledger.ts'
import type { Share } from './point.ts'

/** Settles what the points stand for; neighbours of one segment together, for most are. What is delivered in place of a
 *  rejected record settles that one, as rejected. */
export function settlePoints(
  { points, isPlain, segment: one }: Pick<Body<unknown>, 'points' | 'isPlain' | 'segment'>,
  ledger: Ledger<unknown>,
  how: 'written' | 'rejected',
): void {
  // most are: no look at points that lie far apart in memory
  if (isPlain) {
    ledger.settle(one!, points.length, how)
    return
  }
  let { segment, isStandIn } = points[0]!
  let count = 0
  let superseded = 0
  for (const point of points) {
    for (let share: Share | undefined = point; share; share = share.older) {
      if (share.segment !== segment || point.isStandIn !== isStandIn) {
        ledger.settle(segment, count, isStandIn ? 'rejected' : how, superseded)
        segment = share.segment
        isStandIn = point.isStandIn
        count = 0
        superseded = 0
      }
      count += share.count
      // all but the version that was sent
      superseded += share === point ? share.count - 1 : share.count
    }
  }
  ledger.settle(segment, count, isStandIn ? 'rejected' : how, superseded)
}
