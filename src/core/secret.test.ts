import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { Secret } from './secret.ts'

test('only reveal gives it out', () => {
  const secret = new Secret('canary-7')
  expect(secret.reveal()).toBe('canary-7')
  const shown = [
    String(secret),
    ['', secret].join(''),
    JSON.stringify({ secret }),
    inspect({ secret }, { showHidden: true, depth: 9 }),
  ]
  for (const text of shown) {
    expect(text).not.toContain('canary')
    expect(text).toContain('***')
  }
  expect(Object.keys(secret)).toEqual([])
})
