import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { Body, Point } from './body.ts'
import { Segment, type Share } from './segment.ts'
import { Ledger } from './ledger.ts'
import { dropShares, settlePoints, sharesOf } from './shares.ts'
import { recordOf, trackStateOf } from './testing/bodies.ts'

const segment = (name: string): Segment => new Segment(trackStateOf(name), 0)
const [a, b, c] = [segment('a'), segment('b'), segment('c')]
const is =
  (...segments: Segment[]) =>
  (share: Share): boolean =>
    segments.includes(share.segment)

/** One record of each segment, in order of arrival. */
function pointOf(first: Segment, ...rest: Segment[]): Point<number> {
  const point = new Point(recordOf('{}', { origin: 0 }), first, 7)
  rest.forEach((segment, index) => point.supersede(segment, recordOf('{}', { origin: index + 1, held: index + 1 })))
  return point
}

/** By a record that holds as many bytes as its origin says. */
function supersede(point: Point<number>, segment: Segment, origin: number): void {
  const before = point.held
  const grown = point.supersede(segment, recordOf('{}', { origin, held: origin }), { placeOf: (place) => place })
  expect(point.held - before).toBe(grown)
}

function shares(point: Point<number>): [string, number][] {
  return Array.from(sharesOf(point), ({ segment, count }) => [segment.state.track.name, count])
}

test('it stands for every record it superseded, counted by segment, newest first, at its old age', () => {
  const point = pointOf(a, a, b, b, b, a)
  expect(shares(point)).toEqual([
    ['a', 1],
    ['b', 3],
    ['a', 2],
  ])
  expect([point.supersededCount(), point.age, point.origin, point.held]).toEqual([5, 7, 5, 5])
})

test('it keeps the places of those it superseded where there are any, at their cost, but for those it lets go', () => {
  const point = pointOf(a)
  expect(point.places).toBeUndefined()
  for (const [index, segment] of [b, a, c].entries()) supersede(point, segment, index + 1)
  expect(point.places?.newestFirst()).toEqual([
    { track: a.state.track, origin: 2 },
    { track: b.state.track, origin: 1 },
    { track: a.state.track, origin: 0 },
  ])
  expect(point.held).toBe(3 + point.places!.cost)
  expect(dropShares(point, is(a), [])).toBe(false)
  expect(point.places?.newestFirst()).toEqual([{ track: b.state.track, origin: 1 }])
  expect(point.supersededCount()).toBe(1)
  point.clear()
  expect(point.places).toBeUndefined()
})

test('matching shares are dropped, and the point with the last of them', () => {
  const dropped: Share[] = []
  const point = pointOf(a, b, a, c, b)
  expect(dropShares(point, is(a, c), dropped)).toBe(false)
  expect(shares(point)).toEqual([
    ['b', 1],
    ['b', 1],
  ])
  expect(dropped.map(({ segment }) => segment)).toEqual([c, a, a])
  expect(dropShares(point, is(b), dropped)).toBe(true)
})

test('none is dropped while its bytes go out for others: its record is awaited like one in flight', () => {
  const dropped: Share[] = []
  const point = pointOf(b, a, b, a)
  expect(dropShares(point, is(a), dropped)).toBe(false)
  expect([shares(point), dropped]).toEqual([
    [
      ['a', 1],
      ['b', 1],
      ['a', 1],
      ['b', 1],
    ],
    [],
  ])
})

test('every record of every share is settled once, with its own segment; what was superseded is counted there, if written', () => {
  const tracks = [{ name: 'a' }, { name: 'b' }, { name: 'c' }]
  const item = recordOf()
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.nat(2), { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 8 }),
      fc.constantFrom<'written' | 'rejected'>('written', 'rejected'),
      fc.boolean(),
      (versions, how, takesOut) => {
        const ledger = new Ledger<number>()
        const points = versions.map(([first, ...rest]) => {
          const segment = ledger.receive(tracks[first!]!)
          const point = new Point(item, segment, 0)
          for (const track of rest) point.supersede(ledger.receive(tracks[track]!), item)
          return point
        })
        const body = new Body<null>(64)
        for (const point of points) body.add(point, item)
        expect(body.isPlain).toBe(versions.every((all) => all.length === 1))
        const apart = new Body<null>(64)
        if (takesOut && points.length > 1) {
          body.remove(points[0]!)
          apart.add(points[0]!, item)
          settlePoints(apart, ledger, how)
        }
        settlePoints(body, ledger, how)
        expect(ledger.outstanding).toBe(0)
        for (const { track, received, [how]: settled } of ledger.takeChanged()) {
          expect(received).toBe(versions.flat().filter((index) => tracks[index] === track).length)
          expect(settled).toBe(received)
        }
        for (const track of tracks) ledger.checkpoint({ kind: 'checkpoint', scope: track, checkpoint: 0, bytes: 1 })
        for (let due = ledger.take(); due; due = ledger.take()) {
          const index = tracks.indexOf(due.state!.track)
          const superseded = versions.flatMap((all) => all.slice(0, -1)).filter((of) => of === index).length
          expect(due.counts.superseded).toBe(how === 'written' ? superseded : 0)
        }
      },
    ),
  )
})
