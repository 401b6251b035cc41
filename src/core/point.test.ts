import { expect, test } from 'vitest'
import { Ledger, Segment } from './ledger.ts'
import { Point, SupersededPlaces, dropShares, holds } from './point.ts'
import type { Share } from './point.ts'

function segment(name: string): Segment {
  const counts = { outstanding: 0, received: 0, written: 0, rejected: 0 }
  return new Segment({ ...counts, track: { name }, phase: 'open', settled: undefined }, 0)
}
const [a, b, c] = [segment('a'), segment('b'), segment('c')]
const is =
  (...segments: Segment[]) =>
  (share: Share): boolean =>
    segments.includes(share.segment)

/** One record of each segment, in order of arrival. */
function pointOf(first: Segment, ...rest: Segment[]): Point<number> {
  const bytes = Buffer.from('{}')
  const pieces = { head: bytes, headFrom: 0, headTo: 0, bytes, from: 0, to: 2 }
  const { track } = first.state
  const table = { name: 't', keepLast: true }
  const item = { ...pieces, kind: 'record', track, table, key: 1, origin: 0, held: 0 } as const
  const point = new Point<number>(item, first, 7)
  rest.forEach((segment, index) => point.supersede(segment, { ...item, origin: index + 1, held: index + 1 }))
  return point
}

/** By a record that holds as many bytes as its origin says. */
function supersede(point: Point<number>, segment: Segment, origin: number): void {
  const bytes = Buffer.from('{}')
  const pieces = { head: bytes, headFrom: 0, headTo: 0, bytes, from: 0, to: 2 }
  const item = { ...pieces, kind: 'record', track: segment.state.track, table: point.table, key: 1 } as const
  const before = point.held
  const grown = point.supersede(segment, { ...item, origin, held: origin }, { placeOf: (place) => place })
  expect(point.held - before).toBe(grown)
}

function shares(point: Point<number>): [string, number][] {
  const found: [string, number][] = []
  for (let share: Share | undefined = point; share; share = share.older)
    found.push([share.segment.state.track.name, share.count])
  return found
}

test('it stands for every record it superseded, counted by segment, newest first, at its old age', () => {
  const point = pointOf(a, a, b, b, b, a)
  expect(shares(point)).toEqual([
    ['a', 1],
    ['b', 3],
    ['a', 2],
  ])
  expect([point.superseded(), point.age, point.origin, point.held]).toEqual([5, 7, 5, 5])
  expect([holds(point, is(b)), holds(point, is(c))]).toEqual([true, false])
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
  expect(point.superseded()).toBe(1)
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

import * as fc from 'fast-check'

const tracks = [{ name: 'a' }, { name: 'b' }] as const
const ledger = new Ledger<never>()
const segments = tracks.map((track) => ledger.receive(track))

test('the newest ten are kept, newest first, each with its track, and cost what ten cost', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(1), { maxLength: 40 }), (of) => {
      const places = new SupersededPlaces<number>()
      of.forEach((track, index) => places.add(segments[track]!, index))
      const all = of.map((track, origin) => ({ track: tracks[track], origin })).toReversed()
      expect(places.newestFirst()).toEqual(all.slice(0, 10))
      expect(places.cost).toBe(128 * Math.min(10, of.length))
    }),
  )
})

test('those of one track can be dropped, and more added', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(1), { maxLength: 25 }), fc.array(fc.nat(1), { maxLength: 25 }), (before, after) => {
      const places = new SupersededPlaces<number>()
      before.forEach((track, index) => places.add(segments[track]!, index))
      places.drop((segment) => segment === segments[0])
      const kept = before.map((track, origin) => ({ track, origin })).slice(-10)
      const rest = [
        ...kept.filter(({ track }) => track === 1),
        ...after.map((track, index) => ({ track, origin: 100 + index })),
      ]
      after.forEach((track, index) => places.add(segments[track]!, 100 + index))
      expect(places.newestFirst().map(({ origin }) => origin)).toEqual(
        rest
          .slice(-10)
          .map(({ origin }) => origin)
          .toReversed(),
      )
    }),
  )
})
