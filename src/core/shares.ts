// The records that points stand for, as shares: which of them are dropped, and how all are settled when their body was delivered or
// rejected. A point is itself a share, that of its newest record; from it, `older` leads to those of earlier segments (body.ts). A point
// whose row came in segments 3, 5 and 8 is the share of 8; its `older` is that of 5, whose `older` is that of 3.

import type { Body, Point } from './body.ts'
import type { Share } from './segment.ts'
import type { Ledger } from './ledger.ts'

export type ShareTest = (share: Share) => boolean

/** Whether the share's track was lost. */
export const isLost: ShareTest = (share) => share.segment.state.phase === 'lost'

/** Lists the shares of a point, the newest first: the point itself. */
export function sharesOf(point: Point<unknown>): readonly Share[] {
  const shares: Share[] = [point]
  for (let share = point.older; share; share = share.older) shares.push(share)
  return shares
}

/** Moves matching shares of a point to `dropped`. It moves none if the newest share matches but others do not, because the point's
 *  bytes are still needed for them.
 *  @returns whether no share is left, so that the point can go */
export function dropShares(point: Point<unknown>, matches: ShareTest, dropped: Share[]): boolean {
  const shares = sharesOf(point)
  const kept = shares.filter((share) => !matches(share))
  if (kept.length > 0 && kept[0] !== point) return false
  dropped.push(...shares.filter(matches))
  if (kept.length === 0) return true
  kept.forEach((share, index) => (share.older = kept[index + 1]))
  // forgets where the dropped records were read: `places` are those of superseded records
  point.places?.drop((segment) => !kept.some((share) => share.segment === segment))
  return false
}

/** Settles the records of all points, those of one segment together where they are neighbours. A stand-in (a point that was delivered in
 *  place of a rejected record) settles that record as rejected. */
export function settlePoints(
  { points, isPlain, segments, starts }: Pick<Body<unknown>, 'points' | 'isPlain' | 'segments' | 'starts'>,
  ledger: Ledger<unknown>,
  how: 'written' | 'rejected',
): void {
  // the usual case, in which `segments` and `starts` hold: each point is one record, and segments[index] has those from starts[index] up to
  // the next start, or the end; reading the points would be slow, as they lie far apart in memory
  if (isPlain) {
    for (let index = 0; index < segments.length; index++)
      ledger.settle(segments[index]!, (starts[index + 1] ?? points.length) - starts[index]!, how)
    return
  }
  // a run of neighbours is settled when another begins, the last one behind the loop; `superseded` of its records were not sent
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
      // all except the version that was sent, the newest
      superseded += share === point ? share.count - 1 : share.count
    }
  }
  ledger.settle(segment, count, isStandIn ? 'rejected' : how, superseded)
}
