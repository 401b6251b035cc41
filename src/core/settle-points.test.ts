import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { Body } from './body.ts'
import { Ledger } from './ledger.ts'
import { Point } from './point.ts'
import { settlePoints } from './settle-points.ts'

test('every record of every share is settled once, with its own segment; what was superseded is counted there, if written', () => {
  const tracks = [{ name: 'a' }, { name: 'b' }, { name: 'c' }]
  const bytes = Buffer.from('{}')
  const pieces = { head: bytes, headFrom: 0, headTo: 0, bytes, from: 0, to: 2 }
  const item = {
    ...pieces,
    kind: 'record',
    table: { name: 't', keepLast: true },
    key: 1,
    origin: null,
    held: 0,
  } as const
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.nat(2), { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 8 }),
      fc.constantFrom<'written' | 'rejected'>('written', 'rejected'),
      (versions, how) => {
        const ledger = new Ledger<number>()
        const points = versions.map(([first, ...rest]) => {
          const segment = ledger.receive(tracks[first!]!)
          const point = new Point({ ...item, track: tracks[first!]! }, segment, 0)
          for (const track of rest) point.supersede(ledger.receive(tracks[track]!), { ...item, track: tracks[track]! })
          return point
        })
        const body = new Body<null>(64)
        for (const point of points) body.add(point, pieces)
        expect(body.isPlain).toBe(versions.every((all) => all.length === 1 && all[0] === versions[0]![0]))
        settlePoints(body, ledger, how)
        expect(ledger.outstanding).toBe(0)
        for (const { track, received, [how]: settled } of ledger.tracks) {
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
