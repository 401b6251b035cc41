import { expect, test } from 'vitest'
import { whereBroken } from './json-faults.ts'

test('a text breaks somewhere, or stops too early', () => {
  expect(whereBroken(0, 1)).toBe('it breaks at byte 1 of 1')
  expect(whereBroken(1, 1)).toBe('it stops after 1 byte')
  expect(whereBroken(9, 9)).toBe('it stops after 9 bytes')
})
