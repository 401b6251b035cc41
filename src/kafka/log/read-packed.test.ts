// Large batches, in parts, of every codec; and such as are not what they say.

import { randomBytes } from 'node:crypto'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, it, test } from 'vitest'
import { readParts, readWhole } from './read-packed.ts'
import { wholeRecords, type Chunks } from './packed-parts.ts'
import type { PackedBatch } from './record-batch.ts'
import { recordBytes, zigzagVarint } from './testing/log.ts'
import * as fc from 'fast-check'

const MIB = 1024 * 1024
const CODEC = { none: 0, gzip: 1, snappy: 2, lz4: 3, zstd: 4 } as const

/** A frame of blocks of 64 KiB, as they are. */
function lz4(bytes: Buffer): Buffer {
  const parts: Buffer[] = [Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x40, 0x70, 0])]
  for (let at = 0; at < bytes.length; at += 65_536) {
    const some = bytes.subarray(at, at + 65_536)
    const size = Buffer.alloc(4)
    size.writeUInt32LE((some.length | 0x8000_0000) >>> 0)
    parts.push(size, some)
  }
  return Buffer.concat([...parts, Buffer.alloc(4)])
}

function literals(bytes: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; at < bytes.length; at += 60_000) {
    const some = bytes.subarray(at, at + 60_000)
    parts.push(Buffer.from([61 << 2, (some.length - 1) & 0xff, (some.length - 1) >> 8]), some)
  }
  return Buffer.concat(parts)
}

function length(bytes: Buffer): Buffer {
  const found: number[] = []
  let rest = bytes.length
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) found.push((rest % 0x80) | 0x80)
  return Buffer.from([...found, rest])
}

const snappy = (bytes: Buffer): Buffer => Buffer.concat([length(bytes), literals(bytes)])

function xerial(bytes: Buffer): Buffer {
  const parts: Buffer[] = [Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0, 0, 0, 0, 1, 0, 0, 0, 1])]
  for (let at = 0; at < bytes.length; at += 32_768) {
    const block = snappy(bytes.subarray(at, at + 32_768))
    const size = Buffer.alloc(4)
    size.writeInt32BE(block.length)
    parts.push(size, block)
  }
  return Buffer.concat(parts)
}

const PACKED = [
  ['none', CODEC.none, (bytes: Buffer) => bytes],
  ['gzip', CODEC.gzip, (bytes: Buffer) => gzipSync(bytes, { level: 1 })],
  ['gzip in two members', CODEC.gzip, (bytes: Buffer) => twice(bytes, (some) => gzipSync(some, { level: 1 }))],
  ['snappy', CODEC.snappy, snappy],
  ['snappy in chunks', CODEC.snappy, xerial],
  ['lz4', CODEC.lz4, lz4],
  ['lz4 in two frames', CODEC.lz4, (bytes: Buffer) => twice(bytes, lz4)],
  ['zstd', CODEC.zstd, (bytes: Buffer) => zstdCompressSync(bytes)],
  ['zstd in two frames', CODEC.zstd, (bytes: Buffer) => twice(bytes, (some) => zstdCompressSync(some))],
] as const

function twice(bytes: Buffer, pack: (some: Buffer) => Buffer): Buffer {
  return Buffer.concat([pack(bytes.subarray(0, 12_345_678)), pack(bytes.subarray(12_345_678))])
}

const noise = randomBytes(700)
function recordOf(offsetDelta: number): Buffer {
  const value = Buffer.concat([Buffer.from(`${offsetDelta} `), noise])
  return recordBytes({ timestampDelta: 1n, offsetDelta, key: null, value, headers: [['h', noise.subarray(0, 9)]] })
}
const COUNT = 40_000
const bytes = Buffer.concat(Array.from({ length: COUNT }, (_, at) => recordOf(at)))

function batchOf(codec: number, packed: Buffer, over: Partial<PackedBatch> = {}): PackedBatch {
  const place = {
    first: 100n,
    last: 100n + BigInt((over.count ?? COUNT) - 1),
    firstTimestamp: 5n,
    appendTime: undefined,
  }
  return { codec, count: COUNT, readAs: 'records', packed, ownsMemory: false, ...place, ...over }
}

async function read(batch: PackedBatch): Promise<{ offsets: bigint[]; parts: number[]; error?: unknown }> {
  const offsets: bigint[] = []
  const parts: number[] = []
  try {
    for await (const part of readParts(batch)) {
      parts.push(part.bytes)
      for (const { offset, value, timestamp, headers } of part.records) {
        if (String(value?.subarray(0, 8)).split(' ')[0] !== `${offset - 100n}`) throw new TypeError(`not ${offset}`)
        if (timestamp !== 6n || headers.length !== 1) throw new TypeError('another record')
        offsets.push(offset)
      }
    }
  } catch (error) {
    return { offsets, parts, error }
  }
  return { offsets, parts }
}

describe('a large batch', () => {
  it.each(PACKED)('is read in parts: %s', async (_, codec, pack) => {
    const batch = batchOf(codec, pack(bytes))
    expect(await readWhole(batch)).toBe('large')
    const { offsets, parts, error } = await read(batch)
    expect(error).toBeUndefined()
    expect(offsets).toEqual(Array.from({ length: COUNT }, (_, at) => 100n + BigInt(at)))
    expect(Math.max(...parts)).toBeLessThanOrEqual(4 * MIB)
  })

  it.each(PACKED)('of which anything is damaged gives nothing: %s', async (_, codec, pack) => {
    const worse = Buffer.from(bytes)
    worse.fill(0, worse.length - 500, worse.length - 200)
    const cut = pack(bytes)
    const found = [
      batchOf(codec, pack(worse.subarray(0, -100))),
      batchOf(codec, cut.subarray(0, cut.length - 30)),
      batchOf(codec, pack(bytes), { count: COUNT + 1 }),
      batchOf(codec, pack(bytes), { count: COUNT - 1 }),
    ]
    for (const batch of found)
      expect(await read(batch)).toMatchObject({ offsets: [], error: { name: 'UnpackError', reason: 'damaged' } })
  })

  it('of many small records is read in parts too', async () => {
    const small = Array.from({ length: 150_000 }, (_, offsetDelta) => {
      return recordBytes({ timestampDelta: 1n, offsetDelta, key: null, value: null, headers: [] })
    })
    const batch = batchOf(CODEC.zstd, zstdCompressSync(Buffer.concat(small)), { count: small.length })
    expect(await readWhole(batch)).toBe('large')
    let count = 0
    for await (const { records } of readParts(batch)) {
      expect(records.length).toBeLessThanOrEqual(20_000)
      count += records.length
    }
    expect(count).toBe(small.length)
  })

  it('is left in the middle, and nothing is unpacked any more', async () => {
    const reading = readParts(batchOf(CODEC.zstd, zstdCompressSync(bytes)))
    expect((await reading.next()).value?.records[0]?.offset).toBe(100n)
    expect((await reading.return(undefined)).done).toBe(true)
    expect((await reading.next()).done).toBe(true)
  })
})

describe('a batch that unpacks to more than is taken', () => {
  it.each<[string, number, (bytes: Buffer) => Buffer]>([
    ['gzip', CODEC.gzip, (some) => gzipSync(some)],
    ['zstd', CODEC.zstd, (some) => zstdCompressSync(some)],
  ])('is refused, with all that comes before that: %s', async (_, codec, pack) => {
    const [timestampDelta, offsetDelta, value] = [1n, COUNT, Buffer.alloc(110 * MIB)]
    const long = recordBytes({ timestampDelta, offsetDelta, key: null, value, headers: [] })
    const batch = batchOf(codec, pack(Buffer.concat([bytes, long])), { count: COUNT + 1 })
    const error = { reason: 'tooLarge', message: 'it unpacks to more than 128 MiB' }
    expect(await read(batch)).toMatchObject({ offsets: [], error })
  })

  it.each([
    ['more than its records may be', batchOf(CODEC.none, Buffer.alloc(128 * MIB + 1)), /more than 128 MiB/],
    [
      'of a snappy block that says so',
      batchOf(CODEC.snappy, Buffer.concat([Buffer.from([0x81, 0x80, 0x80, 0x40]), Buffer.alloc(7 * MIB)])),
      /128 MiB/,
    ],
    ['of more records', batchOf(CODEC.zstd, zstdCompressSync(bytes), { count: 2_000_001 }), /2000001 records/],
  ])('is refused: %s', async (_, batch, words) => {
    expect(await readWhole(batch)).toBe('large')
    const { error, offsets } = await read(batch)
    expect(offsets).toEqual([])
    expect(error).toMatchObject({ name: 'UnpackError', reason: 'tooLarge', message: expect.stringMatching(words) })
  })
})

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
