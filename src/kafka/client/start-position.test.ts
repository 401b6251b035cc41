// Every place a committed offset may have among a partition's offsets.

import { describe, expect, it } from 'vitest'
import { startPosition } from './start-position.ts'

const range = { low: 10n, high: 20n }

describe('startPosition', () => {
  it.each([10n, 15n, 20n])('goes on at a committed offset that is there (%s)', (offset) => {
    expect(startPosition(offset, range, 10n, 'stop')).toEqual({ from: 'committed', offset })
  })

  it.each([undefined, -1n, -2n])('begins by the start policy when nothing was committed (%s)', (committed) => {
    expect(startPosition(committed, range, 13n, 'stop')).toEqual({ from: 'start', offset: 13n })
  })

  it.each([
    [3n, 10n],
    [30n, 20n],
  ])('keeps the start within what is there (%s)', (startAt, offset) => {
    expect(startPosition(undefined, range, startAt, 'stop')).toEqual({ from: 'start', offset })
  })

  it.each([
    ['stop', undefined],
    ['earliest', 10n],
    ['latest', 20n],
  ] as const)('goes by the policy when what was next is deleted: %s', (policy, offset) => {
    expect(startPosition(9n, range, 10n, policy)).toEqual({ from: 'out of range', side: 'below', offset })
  })

  it.each([
    ['stop', undefined],
    ['earliest', 10n],
    ['latest', 20n],
  ] as const)('goes by the policy when the partition ends before: %s', (policy, offset) => {
    expect(startPosition(21n, range, 10n, policy)).toEqual({ from: 'out of range', side: 'above', offset })
  })

  it('begins an empty partition at its end', () => {
    expect(startPosition(5n, { low: 5n, high: 5n }, 5n, 'stop')).toEqual({ from: 'committed', offset: 5n })
    expect(startPosition(0n, { low: 0n, high: 0n }, 0n, 'stop')).toEqual({ from: 'committed', offset: 0n })
  })

  it('is exact beyond 2^53', () => {
    const huge = { low: 9_007_199_254_740_993n, high: 9_007_199_254_740_995n }
    expect(startPosition(9_007_199_254_740_992n, huge, 0n, 'earliest')).toMatchObject({ offset: huge.low })
  })
})
