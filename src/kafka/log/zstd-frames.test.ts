import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { array, assert, constantFrom, property, tuple, uint8Array } from 'fast-check'
import { expect, it } from 'vitest'
import { anyHarm, fineOrHarmed, harmed } from './testing/packed.ts'
import { zstdFrames } from './zstd-frames.ts'

const SKIPPED = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3])
const frameOf = (bytes: Uint8Array, isSummed: boolean, times: number): Buffer =>
  zstdCompressSync(Buffer.concat(Array<Uint8Array>(times).fill(bytes)), {
    params: { [constants.ZSTD_c_checksumFlag]: isSummed ? 1 : 0 },
  })

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
      fineOrHarmed(() => zstdFrames(harmed(frame, harm)))
    }),
  )
  expect(() => zstdFrames(Buffer.from('not a frame at all'))).toThrow(/not a Zstandard frame/)
  expect(() => zstdFrames(frame.subarray(0, 12))).toThrow(/ends too early/)
})
