import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { zigzagVarint } from './testing/log.ts'
import { wholeRecords } from './whole-records.ts'
import type { Chunks } from './whole-records.ts'

const MIB = 1024 * 1024
const record = (size: number, byte = 1): Buffer => Buffer.concat([zigzagVarint(size), Buffer.alloc(size, byte)])

async function partsOf(chunks: Chunks, limit = 200 * MIB, isKept = true): Promise<Buffer[]> {
  const found: Buffer[] = []
  for await (const part of wholeRecords(chunks, limit, isKept)) found.push(isKept ? part : Buffer.from(part))
  return found
}

/** Where records end. */
function ends(sizes: readonly number[]): Set<number> {
  let end = 0
  return new Set([0, ...sizes.map((size) => (end += zigzagVarint(size).length + size))])
}

test('whatever chunks they come in, parts are whole records, all of them, in order', async () => {
  const size = fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 3 * MIB }))
  await fc.assert(
    fc.asyncProperty(
      fc.array(size, { maxLength: 12 }),
      fc.array(fc.integer({ min: 1, max: 5 * MIB }), { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      async (sizes, cuts, isKept) => {
        const bytes = Buffer.concat(sizes.map((one, at) => record(one, at)))
        const chunks: Buffer[] = []
        for (let at = 0, turn = 0; at < bytes.length; at += cuts[turn++ % cuts.length]!)
          chunks.push(bytes.subarray(at, at + cuts[turn % cuts.length]!))
        const parts = await partsOf(chunks, 200 * MIB, isKept)
        expect(Buffer.concat(parts).equals(bytes)).toBe(true)
        const places = ends(sizes)
        let at = 0
        for (const { length } of parts) expect(places.has((at += length))).toBe(true)
      },
    ),
    { numRuns: 60 },
  )
}, 120_000)

test('parts are of 4 MiB, but for a record that is longer, and of 20,000 records', async () => {
  const long = [record(3 * MIB), record(3 * MIB), record(9 * MIB), record(1)]
  expect((await partsOf([Buffer.concat(long)])).map(({ length }) => Math.round(length / MIB))).toEqual([3, 3, 9, 0])
  const small = Buffer.concat(Array.from({ length: 50_000 }, () => record(5)))
  expect((await partsOf([small])).map(({ length }) => length / 6)).toEqual([20_000, 20_000, 10_000])
})

test('it ends where there are more bytes than there may be, before they are held', async () => {
  let given = 0
  const endless = function* (): Generator<Buffer> {
    for (;;) yield ((given++, Buffer.alloc(MIB, 2)))
  }
  await expect(partsOf(endless(), 20 * MIB, false)).rejects.toMatchObject({ reason: 'tooLarge' })
  expect(given).toBe(21)
  await expect(partsOf([zigzagVarint(2 ** 30), Buffer.alloc(5 * MIB)], 20 * MIB)).rejects.toMatchObject({
    reason: 'tooLarge',
  })
})

test('what is left of a record that is cut off is given too, for who reads it to find', async () => {
  const cut = Buffer.concat([record(10), record(10).subarray(0, 5)])
  expect((await partsOf([cut])).map(({ length }) => length)).toEqual([11, 5])
  expect((await partsOf([Buffer.concat([record(10), Buffer.of(0x80)])])).map(({ length }) => length)).toEqual([11, 1])
  await expect(partsOf([Buffer.of(1, 1, 1, 1, 1, 1)])).rejects.toMatchObject({ reason: 'damaged' })
})
