import { expect, it } from 'vitest'
import { disguised } from './journal-entries.ts'

it('is the same for the same text, another for another, and does not hold it', () => {
  expect(disguised('hidden thing')).toBe(disguised('hidden thing'))
  expect(disguised('hidden thing')).not.toBe(disguised('hidden things'))
  expect(disguised('hidden thing')).toMatch(/^sha256:[0-9a-f]{16}$/)
})
