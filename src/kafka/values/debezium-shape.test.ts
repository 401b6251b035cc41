import { expect, it } from 'vitest'
import { Scanner } from '../../json/scanner.ts'
import { DebeziumShapes, isDebeziumChange } from './debezium-shape.ts'
import { RecordData } from '../../json/record-data.ts'
import { readObject } from './read-object.ts'

function shapeOf(json: string): string {
  const payload = new RecordData()
  expect(readObject(new Scanner(), Buffer.from(json), payload)).toBe(undefined)
  return new DebeziumShapes().classify(payload)
}

const TRANSACTION = '"status":"BEGIN","id":"5","event_count":null,"data_collections":null'

it.each([
  ['{"before":null,"after":{},"source":{},"op":"c"}', 'envelope'],
  ['{"after":{},"op":"c"}', 'envelope'],
  ['{"before":{},"op":"d"}', 'envelope'],
  ['{"before":null,"after":null,"op":"t"}', 'envelope'],
  ['{"op":5,"after":{},"source":{}}', 'envelope'],
  ['{"op":"c","after":"text","source":{}}', 'envelope'],
  [String.raw`{"\u006fp":"c","aft\u0065r":{}}`, 'envelope'],
  // Protobuf leaves out what is null
  ['{"source":{},"op":"t","ts_ms":5}', 'envelope'],
  ['{"source":{},"op":"d","ts_ms":5}', 'envelope'],
  ['{"status":"BEGIN","id":"5","data_collections":[],"ts_ms":5}', 'transaction'],
  ['{"op":"m","source":{},"message":{}}', 'message'],
  [`{${TRANSACTION}}`, 'transaction'],
  [`{${TRANSACTION.replace('BEGIN', 'END')},"ts_ms":5}`, 'transaction'],
  ['{"ts_ms":5}', 'heartbeat'],
  // rows whose columns have such names
  ['{"id":1,"op":"c"}', 'flat'],
  ['{"id":1,"op":"U","before":"{}","after":"{}"}', 'flat'],
  ['{"id":1,"op":7,"before":{},"after":{}}', 'flat'],
  ['{"id":1,"op":"c","before":null,"after":[]}', 'flat'],
  ['{"id":1,"op":"c","before":null,"after":null,"__deleted":"false"}', 'flat'],
  ['{"id":1,"op":"t","source":"shop","ts_ms":5}', 'flat'],
  ['{"id":1,"op":"c","source":{},"ts_ms":5}', 'flat'],
  ['{"id":1,"op":"d","source":{}}', 'flat'],
  ['{"status":"BEGIN","id":"5","ts_ms":5}', 'flat'],
  ['{"after":{},"before":{}}', 'flat'],
  ['{"op":"m","message":"text"}', 'flat'],
  ['{"op":"m","message":{}}', 'flat'],
  ['{"op":"m","message":"text","source":{}}', 'flat'],
  ['{"status":"BEGIN","id":"5"}', 'flat'],
  [`{${TRANSACTION},"amount":5}`, 'flat'],
  [`{${TRANSACTION.replace('BEGIN', 'OPEN')}}`, 'flat'],
  [`{${TRANSACTION.replace('"5"', '5')}}`, 'flat'],
  ['{"ts_ms":5,"id":1}', 'flat'],
  ['{"ts_ms":null}', 'flat'],
  ['{}', 'flat'],
])('%s is: %s', (json, shape) => {
  expect(shapeOf(json)).toBe(shape)
})

it.each([
  ['{"before":null,"after":{"id":1},"source":{},"op":"c"}', true],
  ['{"schema":{},"payload":{"op":"c"}}', true],
  ['{"payload":null,"schema":null}', true],
  ['{"schema":{},"payload":{},"id":1}', false],
  ['{"payload":1,"payload":2}', false],
  ['{"id":1,"op":"c"}', false],
  ['{}', false],
])('%s: %j', (text, is) => {
  const row = new RecordData()
  expect(readObject(new Scanner(16), Buffer.from(text), row)).toBeUndefined()
  expect(isDebeziumChange(row)).toBe(is)
})
