// What tests pack: literals and copies of any kind, and what they come to.

import { array, constantFrom, integer, nat, oneof, record, uint8Array, type Arbitrary } from 'fast-check'
import { expect } from 'vitest'
import { UnpackError } from '../unreadable-batch.ts'

/** Bytes as they are; or `length` bytes again that begin `back` bytes before the end, of what there is. */
export type PackedStep = { readonly literal: Uint8Array } | { readonly back: number; readonly length: number }

/** Copies name what is there: the first step may not be one. */
export const anySteps: Arbitrary<PackedStep[]> = array(
  oneof(
    record({ literal: uint8Array({ minLength: 1, maxLength: 400 }) }),
    record({
      back: oneof(integer({ min: 1, max: 40 }), integer({ min: 1, max: 60_000 })),
      length: oneof(integer({ min: 4, max: 70 }), constantFrom(19, 274, 5000)),
    }),
  ),
  { maxLength: 40 },
).map((steps) => {
  let length = 0
  return steps.flatMap((step): PackedStep[] => {
    if ('back' in step && length === 0) return []
    const fitting = 'back' in step ? { ...step, back: ((step.back - 1) % Math.min(length, 65_535)) + 1 } : step
    length += 'back' in step ? step.length : step.literal.length
    return [fitting]
  })
})

/** Byte by byte. */
export function unpackedOf(steps: readonly PackedStep[]): Buffer {
  const bytes: number[] = []
  for (const step of steps)
    if ('literal' in step) bytes.push(...step.literal)
    else for (let left = step.length; left > 0; left--) bytes.push(bytes[bytes.length - step.back]!)
  return Buffer.from(bytes)
}

/** Whole ones, cut ones, ones with a byte changed. */
export interface Harm {
  readonly at: number
  readonly byte: number
  readonly isCut: boolean
}

export const anyHarm: Arbitrary<Harm> = record({
  at: nat(),
  byte: integer({ min: 0, max: 255 }),
  isCut: constantFrom(true, false),
})

export function harmed(bytes: Buffer, { at, byte, isCut }: Harm): Buffer {
  const place = at % Math.max(1, bytes.length)
  if (isCut) return bytes.subarray(0, place)
  const copy = Buffer.from(bytes)
  if (copy.length > 0) copy[place] = byte
  return copy
}

/** Expects that reading what may be harmed does it, or says so. */
export function fineOrHarmed(read: () => void): void {
  try {
    read()
  } catch (error) {
    expect(error).toBeInstanceOf(UnpackError)
  }
}
