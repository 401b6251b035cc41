import { expect, it } from 'vitest'
import { RecordKeyFit } from './record-key-fit.ts'

const fits = (recordKey: string | Buffer, point: object): boolean =>
  new RecordKeyFit().fits(Buffer.from(recordKey), Buffer.from(JSON.stringify(point)))
const order = { keys: ['id', 'shop'], id: 7, shop: 'north', customer: 12 }

it('does a Kafka key that is made of the fields of the row key, in whatever form', () => {
  expect(fits('{"shop":"north","id":7}', order)).toBe(true)
  expect(fits('7', order)).toBe(true)
  expect(fits('north', order)).toBe(true)
  expect(fits('{"id":"7"}', order)).toBe(true)
  expect(fits('{"schema":{"type":"int32"},"payload":7}', order)).toBe(true)
  expect(fits('{"schema":{"type":"struct"},"payload":{"id":7,"shop":"north"}}', order)).toBe(true)
  // the same one for all
  expect(fits('{"schema":null,"payload":null}', order)).toBe(true)
})

it('does no other, for rows of one key may then lie in several partitions', () => {
  expect(fits('12', order)).toBe(false)
  expect(fits('{"id":7,"customer":12}', order)).toBe(false)
  expect(fits(Buffer.of(0, 0, 0, 0, 1, 0xff), order)).toBe(false)
  expect(fits('', order)).toBe(false)
  expect(fits('{"id":8}', order)).toBe(false)
})
