import { expect, it } from 'vitest'
import { ConnectorError } from '../core/errors.ts'
import { checkFault } from './check-fault.ts'

const DEFECT = 'The check itself failed, which is a defect of this program: please report it. '

it.each(['config', 'transient', 'system'] as const)('an error for the user is told in its own words (%s)', (kind) => {
  expect(checkFault(new ConnectorError(kind, 'No broker answers.', { cause: new Error('inner') }))).toBe(
    'No broker answers.',
  )
})

it.each([
  [new TypeError('x is undefined'), 'TypeError: x is undefined'],
  [new Error(''), 'Error: '],
  [Object.assign(new Error('gone'), { name: 'ConnectorError' }), 'ConnectorError: gone'],
  [new DOMException('too late', 'TimeoutError'), 'TimeoutError: too late'],
  ['a text', 'a text'],
  [undefined, 'undefined'],
])('anything else is a defect, with what was thrown: %s', (thrown, told) => {
  expect(checkFault(thrown)).toBe(`${DEFECT}${told}`)
})
