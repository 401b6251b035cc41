import { expect, it } from 'vitest'
import { Scanner } from '../../json/scanner.ts'
import { isDebeziumChange } from './debezium-hint.ts'
import { RecordData } from '../../json/record-data.ts'
import { readObject } from './read-object.ts'

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
