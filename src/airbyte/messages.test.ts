import { expect, test } from 'vitest'
import { StateMessage } from './messages.ts'

test('counts are numbers with a decimal, up to the largest', () => {
  const state = new StateMessage(1, 'all', Buffer.from('{}\n'), { ranges: [1, 1], lead: '"s":' })
  expect(
    Buffer.concat(state.withStats({ written: 0, rejected: Number.MAX_SAFE_INTEGER, superseded: 0 })).toString(),
  ).toBe('{"s":{"recordCount":0.0,"rejectedRecordCount":9007199254740991.0}}\n')
  expect(Buffer.concat(state.withStats({ written: 7, rejected: 1, superseded: 0 })).toString()).toBe(
    '{"s":{"recordCount":7.0,"rejectedRecordCount":1.0}}\n',
  )
  expect(Buffer.concat(state.withStats({ written: 7, rejected: 1, superseded: 3 })).toString()).toBe(
    '{"s":{"recordCount":7.0,"rejectedRecordCount":1.0,"additionalStats":{"supersededRecordCount":3.0}}}\n',
  )
  expect(state.bytes.toString()).toBe('{}')
})

test.each([
  [[], 'abcdef'],
  [[2, 4], 'abXYef'],
  [[3, 3], 'abcXYdef'],
  [[0, 1, 1, 2, 5, 6], 'XYXYcdeXY'],
  [[0, 6], 'XY'],
  [[6, 6], 'abcdefXY'],
])('stand in the ranges %j', (ranges, expected) => {
  const line = Buffer.from('abcdef\n')
  const state = new StateMessage(1, 'all', line, { ranges, lead: '' })
  const printed = Buffer.concat(state.withStats({ written: 1, rejected: 0, superseded: 0 })).toString()
  expect(printed).toBe(`${expected.replaceAll('XY', '{"recordCount":1.0,"rejectedRecordCount":0.0}')}\n`)
  expect(line.toString()).toBe('abcdef\n')
})
