import { constants, gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { array, assert, constantFrom, property, tuple, uint8Array } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyHarm, harmed } from './testing/packed.ts'
import { unpack, zstdFrames } from './unpack.ts'
import type { Codec } from './unreadable-batch.ts'
import { UnpackError } from './unreadable-batch.ts'

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

const SKIPPED = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3])
const frameOf = (bytes: Uint8Array, isSummed: boolean, times: number): Buffer =>
  zstdCompressSync(Buffer.concat(Array<Uint8Array>(times).fill(bytes)), {
    params: { [constants.ZSTD_c_checksumFlag]: isSummed ? 1 : 0 },
  })

describe('zstdFrames', () => {
  it('finds each frame, and passes over those that hold nothing', () => {
    const anyFrame = tuple(uint8Array({ maxLength: 500 }), constantFrom(true, false), constantFrom(1, 3, 700))
    assert(
      property(array(anyFrame, { maxLength: 4 }), (all) => {
        const frames = all.map((frame) => frameOf(...frame))
        const joined = Buffer.concat([SKIPPED, ...frames.flatMap((frame) => [frame, SKIPPED])])
        expect(zstdFrames(joined)).toEqual(frames)
      }),
      { numRuns: 50 },
    )
  })

  it('finds frames whose length was not known when they began', () => {
    const first = zstdCompressSync(Buffer.alloc(300_000, 'abc'), { params: { [constants.ZSTD_c_contentSizeFlag]: 0 } })
    const second = zstdCompressSync(Buffer.from('second'))
    expect(zstdFrames(Buffer.concat([first, second])).map((frame) => zstdDecompressSync(frame).length)).toEqual([
      300_000, 6,
    ])
  })

  it('never throws anything but what was found', () => {
    const frame = Buffer.concat([zstdCompressSync(Buffer.alloc(1000, 'abc')), SKIPPED])
    assert(
      property(anyHarm, (harm) => {
        try {
          zstdFrames(harmed(frame, harm))
        } catch (error) {
          expect(error).toBeInstanceOf(UnpackError)
        }
      }),
    )
    expect(() => zstdFrames(Buffer.from('not a frame at all'))).toThrow(/not a Zstandard frame/)
    expect(() => zstdFrames(frame.subarray(0, 12))).toThrow(/ends too early/)
  })
})
