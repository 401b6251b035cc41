import { expect, test } from 'vitest'
import { asConnectorError } from './as-connector-error.ts'
import { ConnectorError } from './errors.ts'

test('one of ours stays as it is', () => {
  const error = new ConnectorError('config', 'a wrong key', { track: { name: 'orders' } })
  expect(asConnectorError(error)).toBe(error)
})

test.each([
  [new TypeError('no such thing'), 'no such thing'],
  ['a text', 'a text'],
  [undefined, 'undefined'],
])('anything else becomes ours to explain: %s', (thrown, words) => {
  const error = asConnectorError(thrown)
  expect([error.kind, error.cause]).toEqual(['system', thrown])
  expect(error.message).toContain(words)
})
