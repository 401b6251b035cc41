import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FieldsRows } from './fields-rows.ts'
import { emptySlot } from './stream-mapping.ts'
import { recordDataOf } from './testing/records.ts'
import { pointIn, newTopicTable } from './testing/topic-rows.ts'

function live(fields: string, data: string, marks = false): unknown {
  const rows = new FieldsRows('t', newTopicTable(), marks)
  const slot = emptySlot(0)
  return rows.live(recordDataOf(fields), recordDataOf(data), slot) ?? pointIn(slot)
}

describe('a row with its key beside it', () => {
  it.each([
    ['{"id":1}', '{"a":2}', '{"keys":["id"],"id":1,"a":2}', 1],
    ['{"id":1}', '{}', '{"keys":["id"],"id":1}', 1],
    ['{"id":1}', '{"a":2, "id":1}', '{"keys":["id"],"a":2, "id":1}', 1],
    ['{"a":1,"b":"x"}', '{"c":0,"b":"x"}', '{"keys":["a","b"],"a":1,"c":0,"b":"x"}', '1,2:"x'],
    ['{"keys":1}', '{"a":2}', '{"keys":["keys_"],"keys_":1,"a":2}', 1],
    ['{"keys":1}', '{"keys":1}', '{"keys":["keys_"],"keys_":1}', 1],
    ['{"id":1}', '{"id":1.0}', '{"keys":["id"],"id":1.0}', { exact: '#1.0', fence: 1 }],
    ['{"id":1}', '{"id":"1"}', '{"keys":["id"],"id":"1"}', { exact: '"1', fence: 1 }],
    [String.raw`{ "i\u0064" : 1 }`, '{"a":2}', String.raw`{"keys":["id"],"i\u0064" : 1,"a":2}`, 1],
  ])('%s %s', (fields, data, point, key) => {
    expect(live(fields, data)).toEqual({ point, key })
  })

  it.each([
    ['{"id":1}', '{"id":2}', 'its key fields have other values in its data than in its Kafka key'],
    ['{"id":1}', '{"id":null}', 'its key field "id" is null'],
    ['{"id":1}', '{"id":1,"id":1}', 'its key field "id" occurs twice'],
    ['{"id":null}', '{"id":1}', 'its key field "id" is null in the Kafka key'],
    ['{"id":{"a":1}}', '{}', 'its key field "id" is an object in the Kafka key'],
    ['{"id":1,"id":1}', '{}', 'the fields of its Kafka key cannot be the key of a row'],
    ['{}', '{"id":1}', 'the fields of its Kafka key cannot be the key of a row'],
    ['{"__deleted":1}', '{}', 'the fields of its Kafka key cannot be the key of a row'],
    ['{"keys":1,"keys_":1}', '{}', 'the fields of its Kafka key cannot be the key of a row'],
    [`{"${'x'.repeat(1025)}":1}`, '{}', 'the fields of its Kafka key cannot be the key of a row'],
    [
      '{"id":1}',
      '{"keys":1,"keys_":1}',
      'the member "keys" must be renamed "keys_", and there is a member of that name',
    ],
    ['{"id":1}', `{"a":${'['.repeat(1024)}${']'.repeat(1024)}}`, 'its data is nested deeper than 1,024 levels'],
  ])('is rejected: %s %#', (fields, data, reason) => {
    expect(live(fields, data)).toBe(reason)
  })

  it('is rejected where its mark would be that of another row', () => {
    expect(live('{"id":1}', '{"id":1.0}', true)).toMatchObject({ key: { fence: 1 } })
    expect(live('{"a":"x","id":1}', '{"a":"x","id":"1"}', true)).toBe(
      'its key field "id" is a text in its data and none in its Kafka key',
    )
    expect(live('{"id":"1"}', '{"id":1}', true)).toBe(
      'its key field "id" is a text in its Kafka key and none in its data',
    )
  })

  it('has keys that other fields never have', () => {
    const rows = new FieldsRows('t', newTopicTable(), false)
    const slot = emptySlot(0)
    const key = (fields: string): unknown => {
      expect(rows.live(recordDataOf(fields), recordDataOf('{"x":0}'), slot)).toBeUndefined()
      return slot.key
    }
    expect(key('{"a":1}')).toBe(1)
    expect(key('{"b":1}')).toBe('["b"]1')
    expect(key('{"a":1,"b":2}')).toBe('["a","b"]1,2,')
    expect(key('{"b":2,"a":1}')).toBe('["a","b"]1,2,')
    for (let index = 0; index < 200; index++) key(`{"k${index}":1}`)
    expect(key('{"a":1}')).toBe(1)
    expect(key('{"b":1}')).toBe('["b"]1')
  })

  it('is marked by its key alone', () => {
    const rows = new FieldsRows('t', newTopicTable(), true)
    const slot = emptySlot(0)
    expect(rows.deleted(recordDataOf('{"b":1,"a":"x"}'), slot)).toBeUndefined()
    expect(pointIn(slot)).toEqual({ point: '{"keys":["b","a"],"b":1,"a":"x","__deleted":true}', key: '2:"x1,' })
    expect(rows.deleted(recordDataOf('{"b":null,"a":1}'), slot)).toBe('its key field "b" is null in the Kafka key')
  })

  it('is what its fields and its data say together', () => {
    const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean())
    const name = fc.string({ maxLength: 3 }).filter((name) => name !== 'keys' && name !== '__proto__')
    const rows = new FieldsRows('t', newTopicTable(), true)
    const slot = emptySlot(0)
    fc.assert(
      fc.property(
        fc.dictionary(name, scalar, { minKeys: 1, maxKeys: 3 }),
        fc.dictionary(name, fc.jsonValue(), { maxKeys: 5 }),
        fc.boolean(),
        (fields, data, repeats) => {
          const row = { ...data, ...(repeats ? fields : {}) }
          if (!repeats) for (const field of Object.keys(fields)) delete row[field]
          expect(
            rows.live(recordDataOf(JSON.stringify(fields)), recordDataOf(JSON.stringify(row)), slot),
          ).toBeUndefined()
          const { keys, ...members } = JSON.parse(pointIn(slot).point) as Record<string, unknown>
          expect([...(keys as string[])].sort()).toEqual(Object.keys(fields).sort())
          // as JSON says them: it has no -0
          expect(members).toEqual(JSON.parse(JSON.stringify({ ...row, ...fields })))
          const { key } = slot
          expect(rows.deleted(recordDataOf(JSON.stringify(fields)), slot)).toBeUndefined()
          expect(slot.key).toEqual(key)
        },
      ),
    )
  })
})
