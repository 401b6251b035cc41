import { expect, test } from 'vitest'
import { Scrubber } from '../secrets/scrubber.ts'
import { shortSecret } from './short-secret.ts'

test.each(['7', 'ab', ' ab ', 'key', 'wrong', '1234567'])('%j is short', (secret) => {
  expect(shortSecret(secret)).toMatch(/^is shorter than \d characters.*\. Use a longer one$/)
  expect(shortSecret(secret)).not.toContain(secret.length > 2 ? secret : 'ab')
})

test('8 characters are enough', () => {
  expect(shortSecret('12345678')).toBeUndefined()
})

test('it says of a secret that it is not masked exactly where it is not', () => {
  for (const secret of ['a', 'ab', ' ab ', 'abc', 'abcdefg']) {
    const isMasked = new Scrubber([secret]).scrub(`<${secret}>`).includes('******')
    expect(shortSecret(secret)?.includes('is masked')).toBe(isMasked)
  }
})
