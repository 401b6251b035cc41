import { expect, test } from 'vitest'
import { RecordMessage, StateMessage, splice } from './messages.ts'

test('a record keeps its place', () => {
  const place = {
    lineFrom: 10,
    lineTo: 11,
    from: 1,
    to: 2,
    first: 3,
    count: 4,
    tooDeep: true,
    emittedFrom: 5,
    emittedTo: 6,
    metaFrom: 7,
    metaTo: 8,
  }
  const members = new Int32Array(1)
  const bytes = Buffer.alloc(1)
  expect(new RecordMessage(9, 's', bytes, place, members)).toMatchObject({
    kind: 'record',
    line: 9,
    stream: 's',
    bytes,
    members,
    ...place,
  })
})

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
])('ranges %j', (ranges, expected) => {
  const bytes = Buffer.from('abcdef')
  expect(Buffer.concat(splice(bytes, ranges, Buffer.from('XY'))).toString()).toBe(expected)
  expect(bytes.toString()).toBe('abcdef')
})
