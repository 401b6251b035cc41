import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { Occurrences } from './occurrences.ts'
import { DigestSpace, ID_LENGTH, RowIds } from './row-id.ts'
import type { RecordData } from '../json/record-data.ts'

const EMITTED = '1700000000000'

/** As the documentation of RowIds says. */
function expected(data: string, behind: string, emitted = EMITTED): string {
  const digest = createHash('sha256').update(`ns\0orders\0${emitted}\0${data}${behind}`).digest().subarray(0, 16)
  digest[6] = (digest[6]! & 0x0f) | 0x80
  digest[8] = (digest[8]! & 0x3f) | 0x80
  return digest.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

function idOf(ids: RowIds, data: string, emitted = EMITTED): string {
  const bytes = Buffer.from(emitted + data)
  const record = { bytes, from: emitted.length, to: bytes.length, emittedFrom: 0, emittedTo: emitted.length }
  const target = Buffer.alloc(ID_LENGTH)
  ids.write(record as unknown as RecordData, target, 0)
  return target.toString()
}

test('ids are of the same making however long a record is, between short ones too', () => {
  for (const size of [10, 1000, 1024 * 1024 - 8, 1024 * 1024, 3_000_000]) {
    const data = `{"x":"${'y'.repeat(size)}"}`
    const ids = new RowIds('ns', 'orders', new Occurrences())
    expect([idOf(ids, data), idOf(ids, '{}'), idOf(ids, data), idOf(ids, '{}'), idOf(ids, data)]).toEqual([
      expected(data, ''),
      expected('{}', ''),
      expected(data, '\u00001'),
      expected('{}', '\u00001'),
      expected(data, '\u00002'),
    ])
    const collapsing = new RowIds('ns', 'orders', undefined)
    expect([idOf(collapsing, data), idOf(collapsing, data)]).toEqual([expected(data, '', ''), expected(data, '', '')])
  }
})

test('streams that share the space of digests have the ids they would have alone, however their records alternate', () => {
  const space = new DigestSpace()
  const sharing = ['orders', 'o', 'orders_of_a_longer_name'].map((name) => [
    new RowIds('ns', name, new Occurrences(), space),
    new RowIds('ns', name, new Occurrences()),
  ])
  const turns = [0, 1, 0, 2, 2, 1, 0, 1, 2, 0, 0]
  for (const [turn, which] of turns.entries()) {
    // one of them needs more space than there is
    const data = `{"x":"${'y'.repeat(turn % 4 === 3 ? 3000 : 5)}"}`
    const [shared, alone] = sharing[which]!
    expect(idOf(shared!, data)).toBe(idOf(alone!, data))
  }
})

test('no two records of a run have one id, however small the counter of equal ones is and however many they are', () => {
  const anyRecord = fc.tuple(fc.nat(40), fc.oneof(fc.constant(1), fc.nat(3)))
  fc.assert(
    fc.property(fc.constantFrom(4, 8, 16), fc.array(anyRecord, { minLength: 50, maxLength: 400 }), (slots, records) => {
      const ids = new RowIds('ns', 'orders', new Occurrences(slots))
      const seen = new Set(records.map(([which, time]) => idOf(ids, `{"id":${which}}`, String(time))))
      expect(seen.size).toBe(records.length)
    }),
    { numRuns: 300 },
  )
})
