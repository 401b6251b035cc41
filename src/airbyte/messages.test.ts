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
