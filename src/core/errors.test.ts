import { expect, test } from 'vitest'
import { ConnectorError } from './errors.ts'

test('it carries kind, words, cause and track, and is an Error', () => {
  const cause = new Error('below')
  const track = { name: 'orders' }
  const error = new ConnectorError('transient', 'what to do', { cause, track })
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
  const error = new ConnectorError('system', 'ours')
  expect(['cause' in error, error.track]).toEqual([false, undefined])
})
