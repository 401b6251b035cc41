import { describe, expect, it } from 'vitest'

import { readStart } from './start-time.ts'

const read = (given: string | number): string => {
  const found = readStart(given)
  if ('problem' in found) return found.problem
  const { start } = found
  return typeof start === 'string' ? start : new Date(Number(start.timestamp)).toISOString()
}

describe('a start', () => {
  it.each([
    ['earliest', 'earliest'],
    ['latest', 'latest'],
    ['2026-01-31T00:00:00Z', '2026-01-31T00:00:00.000Z'],
    ['2026-01-31t00:00z', '2026-01-31T00:00:00.000Z'],
    ['2026-01-31T23:30:00+02:00', '2026-01-31T21:30:00.000Z'],
    ['2026-01-31T23:30:00.1234567-0130', '2026-02-01T01:00:00.123Z'],
    ['2024-02-29T12:00:00Z', '2024-02-29T12:00:00.000Z'],
    ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
    [1_769_817_600_000, '2026-01-31T00:00:00.000Z'],
    ['1769817600000', '2026-01-31T00:00:00.000Z'],
  ])('%s', (given, start) => expect(read(given)).toBe(start))

  it.each([
    ['2026-01-31T00:00:00', 'has no time zone'],
    ['2026-02-29T00:00:00Z', 'not a valid time'],
    ['2026-13-01T00:00:00Z', 'not a valid time'],
    ['2026-00-01T00:00:00Z', 'not a valid time'],
    ['2026-01-31T24:00:00Z', 'not a valid time'],
    ['1969-12-31T23:59:59Z', 'before 1970'],
    ['1970-01-01T00:00:00+01:00', 'before 1970'],
    ['0069-01-01T00:00:00Z', 'before 1970'],
    ['2026-01-31', 'must be earliest, latest, a time'],
    ['yesterday', 'must be earliest, latest, a time'],
    ['', 'must be earliest, latest, a time'],
    ['earlyest', ', or milliseconds since 1970, found "earlyest": did you mean "earliest"?'],
    ['Earliest', 'must be earliest, latest, a time'],
    [1_769_817_600, 'seconds or a year'],
    ['2026', 'seconds or a year'],
    [-1, 'seconds or a year'],
    [1_769_817_600_000.5, 'milliseconds since 1970'],
    [Infinity, 'milliseconds since 1970'],
    ['9'.repeat(400), 'milliseconds since 1970'],
  ])('that is none: %s', (given, words) => expect(read(given)).toContain(words))
})
