// Batches as kafkajs hands their packed records to a codec: views with the batch's head in front of them.

import kafkajs from 'kafkajs'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { readable, registerCodecs } from './kafkajs-codecs.ts'
import { batchHead, unreadable, unreadableBatch } from '../log/unreadable-batch.ts'

const LIMIT = 100_000
const GZIP = 1

function record(value: string): Buffer {
  const body = Buffer.concat([Buffer.from([0, 0, 0, 1, value.length * 2]), Buffer.from(value), Buffer.from([0])])
  return Buffer.concat([Buffer.from([body.length * 2]), body])
}
const records = Buffer.concat(['one', 'two', 'three'].map(record))

interface Head {
  readonly first?: bigint
  readonly behind?: number
  readonly count?: number
  readonly codec?: number
  readonly magic?: number
}

/** @returns the packed part of a batch that lies somewhere in a larger memory */
function batch(packed: Buffer, { first = 7n, behind = 2, count = 3, codec = GZIP, magic = 2 }: Head = {}): Buffer {
  const memory = Buffer.alloc(5 + 61 + packed.length)
  const whole = memory.subarray(5)
  whole.writeBigInt64BE(first, 0)
  whole.writeInt32BE(packed.length + 49, 8)
  whole.writeInt8(magic, 16)
  whole.writeInt16BE(codec, 21)
  whole.writeInt32BE(behind, 23)
  whole.writeInt32BE(count, 57)
  packed.copy(whole, 61)
  return whole.subarray(61)
}

/** As kafkajs reads them: values, and offsets from the batch's. */
function read(unpacked: Buffer, count: number): { behind: number; value: Buffer }[] {
  let at = 0
  const varint = (): number => {
    let value = 0
    for (let shift = 1; ; shift *= 0x80) {
      const byte = unpacked[at++]!
      value += (byte & 0x7f) * shift
      if (byte < 0x80) return value / 2
    }
  }
  return Array.from({ length: count }, () => {
    const end = varint() + at
    at += 2
    const behind = varint()
    at += 1
    const length = varint()
    const value = unpacked.subarray(at, at + length)
    at = end
    return { behind, value }
  })
}

describe('readable', () => {
  it('unpacks what is whole, whether its head is there or not', async () => {
    const packed = gzipSync(records)
    expect(await readable(GZIP, 'gzip', batch(packed), LIMIT)).toEqual(records)
    expect(await readable(GZIP, 'gzip', packed, LIMIT)).toEqual(records)
    expect(await readable(GZIP, 'gzip', batch(packed, { count: 2 }), LIMIT)).toEqual(records)
  })

  it.each([
    ['is no gzip', batch(Buffer.from('what is this?')), 'damaged'],
    ['is cut', batch(gzipSync(records).subarray(0, 25)), 'damaged'],
    ['holds fewer records', batch(gzipSync(records), { count: 4 }), 'damaged'],
    ['holds a part of a record', batch(gzipSync(records.subarray(0, -1))), 'damaged'],
    ['has a record without a length', batch(gzipSync(Buffer.from([1, 1, 1]))), 'damaged'],
    ['is too long', batch(gzipSync(Buffer.alloc(LIMIT + 1))), 'tooLarge'],
  ])('puts records in the place of a batch that %s', async (_, packed, reason) => {
    const { count } = batchHead(packed)!
    const stand = read(await readable(GZIP, 'gzip', packed, LIMIT), count)
    expect(stand).toHaveLength(count)
    for (const { behind, value } of stand) {
      // the batch's last: kafkajs drops what lies before the offset it asked for
      expect(behind).toBe(2)
      expect(unreadableBatch({ value })).toMatchObject({
        codec: 'gzip',
        offsets: { first: 7n, last: 9n },
        error: { reason },
      })
    }
    expect(unreadableBatch({ value: Buffer.from('x') })).toBeUndefined()
    expect(unreadableBatch({ value: null })).toBeUndefined()
  })

  it('does so for batches of many records far behind their first', async () => {
    const head = { behind: 2_000_000_000, count: 5000 }
    const stand = read(await readable(GZIP, 'gzip', batch(Buffer.from('what?'), head), LIMIT), 5000)
    expect(new Set(stand.map(({ behind }) => behind))).toEqual(new Set([2_000_000_000]))
  })

  it('does so for a codec Kafka does not have', async () => {
    const packed = batch(records, { codec: 6 })
    const { value } = read(await readable(6, undefined, packed, LIMIT), 1)[0]!
    const found = unreadable({ topic: 'orders', partition: 3 }, unreadableBatch({ value })!, 7n)
    expect(found.message).toMatch(/with codec 6, but Kafka has no such codec/)
  })

  it.each([
    ['no head', Buffer.from('what is this?')],
    ['an older head', batch(Buffer.from('what is this?'), { magic: 1 })],
    ['a head of another codec', batch(Buffer.from('what is this?'), { codec: 2 })],
    ['a head that counts backwards', batch(Buffer.from('what is this?'), { behind: -1 })],
    ['a head that counts too far', batch(Buffer.from('what is this?'), { count: 2_000_000_000 })],
  ])('throws where there is %s', async (_, packed) => {
    await expect(readable(GZIP, 'gzip', packed, LIMIT)).rejects.toMatchObject({ name: 'UnpackError' })
  })
})

describe('registerCodecs', () => {
  it('gives kafkajs every number, and leaves it gzip for writing', async () => {
    registerCodecs()
    registerCodecs()
    const codecs = kafkajs.CompressionCodecs as unknown as Record<
      number,
      () => { compress(from: { buffer: Buffer }): Promise<Buffer>; decompress(packed: Buffer): Promise<Buffer> }
    >
    expect(await codecs[1]!().decompress(batch(gzipSync(records)))).toEqual(records)
    expect(await codecs[1]!().decompress(await codecs[1]!().compress({ buffer: records }))).toEqual(records)
    await expect(codecs[3]!().compress({ buffer: records })).rejects.toThrow(/lz4/)
    for (let number = 1; number <= 7; number++) expect(codecs[number]).toBeTypeOf('function')
  })
})
