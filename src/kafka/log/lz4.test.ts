// LZ4 as others write it, and what is none.

import { array, assert, constantFrom, property, record, uint8Array } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { unpackLz4 } from './lz4.ts'
import { anyHarm, anySteps, harmed, unpackedOf, fineOrHarmed, type PackedStep } from './testing/packed.ts'

const LIMIT = 4 * 1024 * 1024

function extended(length: number): number[] {
  if (length < 15) return []
  const rest = length - 15
  return [...Array<number>(Math.floor(rest / 255)).fill(255), rest % 255]
}

function sequence(literal: readonly number[], copy?: { back: number; length: number }): number[] {
  const match = copy ? copy.length - 4 : 0
  const head = [(Math.min(15, literal.length) << 4) | Math.min(15, match), ...extended(literal.length), ...literal]
  return copy ? [...head, copy.back & 0xff, copy.back >> 8, ...extended(match)] : head
}

function blockOf(steps: readonly PackedStep[]): Buffer {
  const bytes: number[] = []
  let literal: number[] = []
  for (const step of steps)
    if ('literal' in step) literal.push(...step.literal)
    else {
      bytes.push(...sequence(literal, step))
      literal = []
    }
  return Buffer.from([...bytes, ...sequence(literal)])
}

interface Form {
  readonly isLinked: boolean
  readonly isSummed: boolean
  readonly hasLength: boolean
  readonly isSummedAll: boolean
}

const PLAIN: Form = { isLinked: false, isSummed: false, hasLength: false, isSummedAll: false }
const anyForm = record({
  isLinked: constantFrom(true, false),
  isSummed: constantFrom(true, false),
  hasLength: constantFrom(true, false),
  isSummedAll: constantFrom(true, false),
})

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

function framed(blocks: readonly Buffer[], form = PLAIN): Buffer {
  const flags = 0x40 | (form.isLinked ? 0 : 0x20) | (form.isSummed ? 0x10 : 0) | (form.hasLength ? 8 : 0)
  const parts = blocks.flatMap((block) => [word(block.length), block, Buffer.alloc(form.isSummed ? 4 : 0)])
  return Buffer.concat([
    Buffer.from([0x04, 0x22, 0x4d, 0x18, flags | (form.isSummedAll ? 4 : 0), 0x60]),
    Buffer.alloc(form.hasLength ? 8 : 0),
    Buffer.from([0]),
    ...parts,
    word(0),
    Buffer.alloc(form.isSummedAll ? 4 : 0),
  ])
}

describe('unpackLz4', () => {
  it('unpacks every frame, and frames that were joined', () => {
    const anyFrame = record({ blocks: array(anySteps, { maxLength: 3 }), form: anyForm })
    assert(
      property(array(anyFrame, { minLength: 1, maxLength: 3 }), (frames) => {
        const joined = Buffer.concat(frames.map(({ blocks, form }) => framed(blocks.map(blockOf), form)))
        expect(unpackLz4(joined, LIMIT)).toEqual(Buffer.concat(frames.flatMap(({ blocks }) => blocks.map(unpackedOf))))
      }),
    )
  })

  it('lets blocks that are linked copy out of those before, and no others', () => {
    const blocks = [blockOf([{ literal: Buffer.from('abcdef') }]), Buffer.from([0, 6, 0])]
    expect(unpackLz4(framed(blocks, { ...PLAIN, isLinked: true }), LIMIT).toString()).toBe('abcdefabcd')
    expect(() => unpackLz4(framed(blocks), LIMIT)).toThrow(/copy of what is not there/)
  })

  it('takes blocks that were not packed, and passes over frames that hold nothing', () => {
    const stored = framed([Buffer.from('abc')])
    stored[7 + 3]! |= 0x80
    const skipped = Buffer.concat([Buffer.from([0x5a, 0x2a, 0x4d, 0x18]), word(2), Buffer.from('xy')])
    expect(unpackLz4(Buffer.concat([skipped, stored, skipped]), LIMIT).toString()).toBe('abc')
  })

  it('finds harm, or unpacks something within the limit, but never anything else', () => {
    assert(
      property(anySteps, anyForm, anyHarm, (steps, form, harm) => {
        fineOrHarmed(() => {
          expect(unpackLz4(harmed(framed([blockOf(steps)], form), harm), LIMIT).length).toBeLessThanOrEqual(LIMIT)
        })
      }),
    )
    assert(
      property(uint8Array({ maxLength: 200 }), (bytes) => {
        fineOrHarmed(() => {
          unpackLz4(framed([Buffer.from(bytes)]), LIMIT)
        })
      }),
    )
  })

  const changed = (at: number, byte: number): Buffer => {
    const frame = framed([blockOf([{ literal: Buffer.from('abc') }])])
    frame[at] = byte
    return frame
  }
  it.each([
    ['nothing', Buffer.alloc(0), /ends too early/],
    ['what is no frame', changed(0, 5), /not an LZ4 frame/],
    ['another version', changed(4, 0xa0), /version/],
    ['a dictionary', changed(4, 0x61), /dictionary/],
    ['a block that is too long', changed(10, 0x7f), /longer than any/],
    ['a frame without its end', framed([]).subarray(0, -4), /ends too early/],
    ['a frame without its checksum', framed([], { ...PLAIN, isSummedAll: true }).subarray(0, -1), /checksum/],
    ['a literal that is cut', framed([Buffer.from([0x30, 65])]), /ends in a literal/],
    ['a length that is cut', framed([Buffer.from([0xf0, 255])]), /ends in a length/],
    ['a copy that is cut', framed([Buffer.from([0x10, 65, 1])]), /ends in a copy/],
    ['a copy from nowhere', framed([Buffer.from([0x10, 65, 0, 0])]), /copy of what is not there/],
  ])('refuses %s', (_, source, found) => {
    expect(() => unpackLz4(source, LIMIT)).toThrow(found)
  })

  it('ends at its limit', () => {
    const bomb = framed([blockOf([{ literal: Buffer.from('a') }, { back: 1, length: 1_000_000 }])])
    expect(() => unpackLz4(bomb, 1_000_000)).toThrow(/more than 0 MiB/)
    expect(unpackLz4(bomb, 1_000_001)).toHaveLength(1_000_001)
  })
})
