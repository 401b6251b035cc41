import { describe, expect, it } from 'vitest'
import { emptySlot } from '../../mapping/stream-mapping.ts'
import { recordDataOf } from '../../mapping/testing/records.ts'
import { pointIn, newTopicTable } from '../../mapping/testing/topic-rows.ts'
import { PlaceRows } from './place-rows.ts'

const KEYS = '"keys":["_kafka_topic","_kafka_partition","_kafka_offset","_kafka_epoch"]'
const PLACE = '"_kafka_topic":"a.b","_kafka_partition":2,"_kafka_offset":9223372036854775807,"_kafka_epoch":5'

function made(data: string): unknown {
  const rows = new PlaceRows('a.b', 5, newTopicTable())
  const slot = emptySlot(0)
  const outcome = rows.live({ offset: 9_223_372_036_854_775_807n }, 2, recordDataOf(data), slot)
  return 'rejected' in outcome ? outcome.rejected : pointIn(slot)
}

describe('a record', () => {
  it.each([
    ['{"a":1, "b":2}', '"a":1, "b":2'],
    ['{"keys":1,"_kafka_epoch":2,"_kafka_epoch2":3}', '"keys_":1,"_kafka_epoch_":2,"_kafka_epoch2":3'],
    [String.raw`{"_kafka_t\u006fpic":1}`, '"_kafka_topic_":1'],
    ['{"_airbyte_raw_id":1,"a":1,"a":2}', '"_airbyte_raw_id":1,"a":1,"a":2'],
  ])('of the data %s is a row of its own', (data, members) => {
    expect(made(data)).toEqual({ point: `{${KEYS},${PLACE},${members}}`, key: undefined })
  })

  it('without data is one too', () => {
    expect(made('{}')).toEqual({ point: `{${KEYS},${PLACE}}`, key: undefined })
  })

  it.each([
    [`{"a":${'['.repeat(1024)}${']'.repeat(1024)}}`, 'its data is nested deeper than 1,024 levels'],
    ['{"keys":1,"keys":2}', 'the member "keys", a name the service reserves, occurs twice'],
    [
      '{"_kafka_offset":1,"_kafka_offset_":2}',
      'the member "_kafka_offset" must be renamed "_kafka_offset_", and there is a member of that name',
    ],
  ])('is rejected: %#', (data, reason) => {
    expect(made(data)).toBe(reason)
  })
})
