import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { Ledger } from './ledger.ts'
import { SupersededPlaces } from './superseded-places.ts'

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
