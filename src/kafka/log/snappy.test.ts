// Snappy as others write it, and what is none.

import { array, assert, constantFrom, property, tuple, uint8Array } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { unpackSnappy } from './snappy.ts'
import { anyHarm, anySteps, harmed, unpackedOf, fineOrHarmed, type PackedStep } from './testing/packed.ts'

const LIMIT = 1024 * 1024

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value % 0x80) | 0x80, ...varint(Math.floor(value / 0x80))]
}

function tagged({ literal }: { literal: Uint8Array }): number[] {
  const last = literal.length - 1
  const head = last < 60 ? [last << 2] : last < 256 ? [60 << 2, last] : [61 << 2, last & 0xff, last >> 8]
  return [...head, ...literal]
}

/** In pieces of at most 64 bytes, each in the shortest of its three forms, or in the longest. */
function copied(back: number, length: number, isLong: boolean): number[] {
  const bytes: number[] = []
  for (let left = length; left > 0;) {
    const piece = Math.min(left, 64)
    left -= piece
    if (!isLong && back < 2048 && piece >= 4 && piece <= 11)
      bytes.push(1 | ((piece - 4) << 2) | ((back >> 8) << 5), back & 0xff)
    else if (isLong) bytes.push(3 | ((piece - 1) << 2), back & 0xff, back >> 8, 0, 0)
    else bytes.push(2 | ((piece - 1) << 2), back & 0xff, back >> 8)
  }
  return bytes
}

function packed(steps: readonly PackedStep[], isLong = false): Buffer {
  const tags = steps.flatMap((step) => ('literal' in step ? tagged(step) : copied(step.back, step.length, isLong)))
  return Buffer.from([...varint(unpackedOf(steps).length), ...tags])
}

function chunked(blocks: readonly Buffer[]): Buffer {
  const head = Buffer.from('\u0082SNAPPY\0\0\0\0\u0001\0\0\0\u0001', 'latin1')
  const chunks = blocks.flatMap((block) => {
    const length = Buffer.alloc(4)
    length.writeInt32BE(block.length)
    return [length, block]
  })
  return Buffer.concat([head, ...chunks])
}

describe('unpackSnappy', () => {
  it('unpacks every bare block', () => {
    assert(
      property(anySteps, constantFrom(true, false), (steps, isLong) => {
        expect(unpackSnappy(packed(steps, isLong), LIMIT)).toEqual(unpackedOf(steps))
      }),
    )
  })

  it("unpacks Java's chunks, also of streams that were joined", () => {
    assert(
      property(array(array(anySteps, { maxLength: 4 }), { minLength: 1, maxLength: 3 }), (streams) => {
        const joined = Buffer.concat(streams.map((blocks) => chunked(blocks.map((steps) => packed(steps)))))
        expect(unpackSnappy(joined, LIMIT)).toEqual(Buffer.concat(streams.flat().map(unpackedOf)))
      }),
    )
  })

  it('takes a reference block', () => {
    // "Wikipedia is a free, web-based, …" as its article shows it
    const text = 'Wikipedia is a free, web-based, collaborative, multilingual encyclopedia project.'
    const block = Buffer.concat([Buffer.from([0x51, 0xf0, 0x50]), Buffer.from(text)])
    expect(unpackSnappy(block, LIMIT).toString()).toBe(text)
  })

  it('finds harm, or unpacks something within the limit, but never anything else', () => {
    assert(
      property(anySteps, anyHarm, constantFrom(true, false), (steps, harm, isChunked) => {
        const whole = isChunked ? chunked([packed(steps)]) : packed(steps)
        fineOrHarmed(() => {
          expect(unpackSnappy(harmed(whole, harm), LIMIT).length).toBeLessThanOrEqual(LIMIT)
        })
      }),
    )
    assert(
      property(tuple(uint8Array({ maxLength: 200 }), constantFrom(0, 16)), ([bytes, head]) => {
        const source = Buffer.concat([chunked([]).subarray(0, head), bytes])
        fineOrHarmed(() => {
          unpackSnappy(source, LIMIT)
        })
      }),
    )
  })

  it.each([
    ['nothing', Buffer.alloc(0), /ends in its length/],
    ['a copy of what is not there', Buffer.from([4, 1, 1]), /copy of what is not there/],
    ['fewer bytes than it says', Buffer.from([4, 0, 65]), /shorter than it says/],
    ['more bytes than it says', Buffer.from([1, 4, 65, 66]), /longer than it says/],
    [
      'a copy out of another chunk',
      chunked([packed([{ literal: Buffer.from('abc') }]), Buffer.from([4, 1, 1])]),
      /copy of/,
    ],
    ['a chunk that is cut', chunked([Buffer.from('abc')]).subarray(0, 21), /ends in a chunk/],
    ['a chunk of a negative length', Buffer.concat([chunked([]), Buffer.from([0xff, 0, 0, 0])]), /ends in a chunk/],
  ])('refuses %s', (_, source, found) => {
    expect(() => unpackSnappy(source, LIMIT)).toThrow(found)
  })

  it('ends at its limit, whatever a block says of its length', () => {
    const steps: PackedStep[] = [{ literal: Buffer.from('a') }, { back: 1, length: 100_000 }]
    expect(() => unpackSnappy(packed(steps), 100_000)).toThrow(/more than 0 MiB/)
    expect(unpackSnappy(packed(steps), 100_001)).toHaveLength(100_001)
    expect(() => unpackSnappy(Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f, 0, 65]), LIMIT)).toThrow(/shorter/)
  })
})
