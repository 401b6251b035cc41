import { gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { unpack } from './unpack.ts'
import type { Codec } from './unreadable-batch.ts'

const bytes = Buffer.alloc(5000, 'some bytes ')
const [gzip, zstd] = [gzipSync(bytes), zstdCompressSync(bytes)]

describe('unpack', () => {
  it.each<[Codec, Buffer]>([
    ['gzip', gzip],
    ['zstd', zstd],
  ])('takes %s, also in several parts, up to its limit', async (codec, packed) => {
    const twice = Buffer.concat([packed, packed])
    expect(await unpack(codec, packed, 5000)).toEqual(bytes)
    expect(await unpack(codec, twice, 10_000)).toEqual(Buffer.concat([bytes, bytes]))
    for (const limit of [9999, 5001, 5000, 1])
      await expect(unpack(codec, twice, limit)).rejects.toMatchObject({ name: 'UnpackError', reason: 'tooLarge' })
  })

  it.each<[Codec, Buffer]>([
    ['gzip', gzip.subarray(0, 20)],
    ['gzip', Buffer.from('nothing')],
    ['zstd', zstd.subarray(0, 20)],
    ['zstd', Buffer.concat([zstd.subarray(0, 12), Buffer.alloc(40, 0xff)])],
    ['snappy', Buffer.alloc(0)],
    ['lz4', Buffer.from('nothing at all')],
  ])('finds that it is no %s', async (codec, packed) => {
    await expect((async () => unpack(codec, packed, 10_000))()).rejects.toMatchObject({
      name: 'UnpackError',
      reason: 'damaged',
    })
  })
})
