// The records that a point (a row version that the engine holds) stands for, as shares, each of one segment (the records of a track
// between two checkpoints): which shares are dropped, and how all are settled once their body was delivered or rejected. A point is
// itself the share of its newest records; `older` leads to those before. A point whose row came in segments 3, 5 and 8 is
// the share of 8; its `older` is that of 5, whose `older` is that of 3.

import type { Body, Point } from './body.ts'
import type { Share } from './segment.ts'
import type { Ledger } from './ledger.ts'

export type ShareTest = (share: Share) => boolean

/** Whether the share's track was lost: taken from this process, so that nothing of it is to be sent. */
export const isLost: ShareTest = (share) => share.segment.state.phase === 'lost'

/** Lists the shares of a point, the newest first: the point itself. */
export function sharesOf(point: Point<unknown>): readonly Share[] {
  const shares: Share[] = [point]
  for (let share = point.older; share; share = share.older) shares.push(share)
  return shares
}

/** Moves the shares of a point that match to `dropped`. Moves none if the point itself matches but an older share does not, because the
 *  point's bytes must then still be delivered for that one.
 *  @returns whether no share is left, so that the point can go */
export function dropShares(point: Point<unknown>, matches: ShareTest, dropped: Share[]): boolean {
  const shares = sharesOf(point)
  const kept = shares.filter((share) => !matches(share))
  if (kept.length > 0 && kept[0] !== point) return false
  dropped.push(...shares.filter(matches))
  if (kept.length === 0) return true
  kept.forEach((share, index) => (share.older = kept[index + 1]))
  // forgets where the dropped records were read
  point.places?.drop((segment) => !kept.some((share) => share.segment === segment))
  return false
}

/** Settles the records of all points of a body in the ledger, which counts records. Neighbours of the same segment are settled in one
 *  call. A stand-in (a point that was delivered in place of a rejected record) settles that record as rejected. */
export function settlePoints(
  { points, isPlain, segments, starts }: Pick<Body<unknown>, 'points' | 'isPlain' | 'segments' | 'starts'>,
  ledger: Ledger<unknown>,
  how: 'written' | 'rejected',
): void {
  // the usual case, for which the body keeps `segments` and `starts`: each point is one record, and segments[index] has those from
  // starts[index] up to the next start, or the end. Reading the points would be slow, as they lie far apart in memory
  if (isPlain) {
    for (let index = 0; index < segments.length; index++)
      ledger.settle(segments[index]!, (starts[index + 1] ?? points.length) - starts[index]!, how)
    return
  }
  // neighbours are counted together until a share of another segment or kind comes; the last ones are settled behind the loop
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
      // all except the newest version, which was sent
      superseded += share === point ? share.count - 1 : share.count
    }
  }
  ledger.settle(segment, count, isStandIn ? 'rejected' : how, superseded)
}
