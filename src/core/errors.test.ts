import { expect, test } from 'vitest'
import { ConnectorError, asConnectorError } from './errors.ts'

test('it carries kind, words, cause and track, and is an Error', () => {
  const cause = new Error('below')
  const track = { name: 'orders' }
  const error = new ConnectorError('transient', 'program.fault', 'what to do', { cause, track })
  expect(error).toBeInstanceOf(Error)
  expect([error.name, error.kind, error.message, error.cause, error.track]).toEqual([
    'ConnectorError',
    'transient',
    'what to do',
    cause,
    track,
  ])
})

test('without a cause it has none', () => {
  const error = new ConnectorError('system', 'program.fault', 'ours')
  expect(['cause' in error, error.track]).toEqual([false, undefined])
})

test('one of ours stays as it is', () => {
  const error = new ConnectorError('config', 'program.fault', 'a wrong key', { track: { name: 'orders' } })
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
