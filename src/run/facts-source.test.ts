import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { Ledger } from '../core/ledger.ts'
import { Tally } from '../core/tally.ts'
import { runRows, StreamFacts } from './testing/facts.ts'
import type { CountedStream } from './track-rows.ts'

const CALM = { failingSince: undefined, throttledSince: undefined, pausedUntil: undefined }
const DELIVERED = { status: 'delivered' } as const

function streamOf(index: number): CountedStream & { readonly backward: { count: number } | undefined } {
  const name = `s${index}`
  return {
    track: index % 2 === 0 ? { name } : { name, namespace: 'shop' },
    table: { name, keepLast: true },
    backward: index % 3 === 0 ? { count: 0 } : undefined,
  }
}

function begin(count: number) {
  const streams = Array.from({ length: count }, (_, index) => streamOf(index))
  const [tally, ledger] = [new Tally(), new Ledger<number>()]
  tally.takeTracks = () => ledger.takeChanged()
  const source = new StreamFacts({ streams, tally, permits: { limit: 1 }, transport: CALM }, 0)
  const attempt = ({ table }: CountedStream, points: number): void =>
    tally.attempted({ table, request: { points, body: new Uint8Array(points) } }, DELIVERED)
  return { streams, tally, ledger, source, attempt }
}

test('a row is made anew only where something was counted, of twenty thousand streams too', () => {
  const { streams, tally, ledger, source, attempt } = begin(20_000)
  const before = source.take(0)
  expect(before.rows).toHaveLength(streams.length)
  expect(source.take(1).rows).toBe(before.rows)
  ledger.receive(streams[7]!.track)
  attempt(streams[8]!, 3)
  // as rejected records are
  tally.ofTable({ name: 'rejected_records', keepLast: true }).rows = 5
  const { rows, total } = source.take(2)
  expect(rows.flatMap((row, index) => (row === before.rows[index] ? [] : [index]))).toEqual([7, 8])
  expect([rows[7]!.counts.records, rows[8]!.counts.rows, total.counts.rows]).toEqual([1, 3, 3])
  expect(before.rows[7]!.counts.records).toBe(0)
})

test('whatever happens between two facts, they are those that all streams anew would give', () => {
  const what = fc.constantFrom('receive', 'receive', 'settle', 'backward', 'attempt', 'take')
  fc.assert(
    fc.property(fc.array(fc.tuple(what, fc.nat({ max: 6 })), { maxLength: 60 }), (steps) => {
      const { streams, ledger, source, attempt } = begin(5)
      const counts = streams.map(() => ({ records: 0, written: 0, rejected: 0, unsettled: 0, rows: 0 }))
      const naive = () =>
        runRows(
          streams.map(({ track, table, backward }, index) => {
            const { rows: _, ...own } = counts[index]!
            const name = track.namespace === undefined ? track.name : `shop.${track.name}`
            return { name, table: table.name, scope: track, counts: { ...own, backward: backward?.count } }
          }),
          streams.map(({ table }, index) => {
            const { rows } = counts[index]!
            return { ...new Tally().ofTable(table), table: table.name, rows, bytes: rows }
          }),
        )
      for (const [step, which] of steps) {
        const index = which % streams.length
        const [stream, known] = [streams[index]!, counts[index]!]
        if (step === 'receive' || step === 'backward') {
          ledger.receive(stream.track)
          known.records++
          known.unsettled++
          if (step === 'backward' && stream.backward) stream.backward.count++
        } else if (step === 'settle' && known.unsettled > 0) {
          const [segment] = ledger.segments(stream.track)
          ledger.settle(segment!, 1, which > 4 ? 'rejected' : 'written')
          known[which > 4 ? 'rejected' : 'written']++
          known.unsettled--
        } else if (step === 'attempt') {
          attempt(stream, which)
          known.rows += which
        } else if (step === 'take') {
          const { rows, total } = source.take(0)
          expect({ rows, total }).toEqual(naive())
        }
      }
      const { rows, total } = source.take(0)
      expect({ rows, total }).toEqual(naive())
    }),
  )
})

test('what held the last attempt back holds nothing back where nothing is to be sent', () => {
  const tally = new Tally()
  const permits = { limit: 8, heldBy: 'rate', rate: undefined } as const
  const source = new StreamFacts({ streams: [], tally, permits, transport: CALM }, 0)
  const heldBy = (outstanding: number): unknown => {
    tally.engine = () => ({ ...new Tally().engine(), outstanding })
    return source.take(1000).delivery.heldBy
  }
  expect([heldBy(1), heldBy(0), heldBy(2)]).toEqual(['rate', undefined, 'rate'])
})
