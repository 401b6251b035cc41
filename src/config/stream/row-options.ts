// The options about rows: a topic's entry has them, and each table of its route may have them for itself.

import { z } from 'zod'
import { filled, isNameOrPointer, keyPathOf, must, pointerFault } from '../option-types.ts'

/** A member's name, a JSON Pointer, or names from the value down. Unlike in keys of `write`, no pointer may end with the field that its
 *  value becomes, as /customer/id=buyer does. */
export const keyPath = z
  .union(
    [
      filled.refine(isNameOrPointer, pointerFault).refine((text) => !/^\/.*\/[^/]*=/s.test(text), {
        error: 'holds a =, but no field can be given here: a name with = in it stands in a list of names',
      }),
      z.array(z.string()).min(1),
    ],
    must('a name, a path like /a/b, or a list of names'),
  )
  .transform(keyPathOf)

/** Every form of `keys`, for messages. That a file gives exactly one, topic-rules.ts checks. */
export const KEY_CHOICES =
  'one of [id] (fields of the value), { key: true } or { key: NAME } (the record key: a JSON object, or a plain value to be sent as NAME), { offset: true } (one row per record)'

export const rowKeys = z.preprocess(
  keyGroup,
  z.strictObject(
    {
      value: z.array(keyPath).min(1).optional().meta({
        title: 'Fields of the value',
        description: 'Names of fields, or paths of nested ones: /customer/id is sent as the field customer_id.',
      }),
      key: z
        .union(
          [z.literal(true), filled],
          must(
            'true (the record key is a JSON object, its fields are the keys) or the field that a plain record key becomes',
          ),
        )
        .optional()
        .meta({
          title: 'The record key',
          description:
            'true: the record key is a JSON object, and its fields are the keys. A name: it is one value, sent as the field of that name.',
        }),
      type: z.enum(['text', 'number', 'json']).optional().meta({
        title: 'Type of a plain record key',
        description:
          'Of a record key that is one value. text: its bytes, as UTF-8. number: a number of JSON. json: a text, number, true or false of JSON. By default each key that is a whole number is a number, and any other a text. Other types make other rows: set on a topic that was read, its rows come again.',
      }),
      offset: z.literal(true).optional().meta({
        title: 'Topic, partition and offset',
        description:
          'Every record is a row, identified by the fields _kafka_topic, _kafka_partition, _kafka_offset and _kafka_epoch.',
      }),
      epoch: z.int().min(0).optional().meta({
        title: 'Epoch',
        description:
          'Value of _kafka_epoch for rows identified by their offset, also through null_keys; by default 0. Raise it when the topic is created again, because its offsets restart at 0.',
      }),
    },
    { error: ({ code }) => (code === 'invalid_type' ? `must be ${KEY_CHOICES}` : undefined) },
  ),
)

/** Makes a group of a list, which means fields of the value, and a list of a single field. */
function keyGroup(value: unknown): unknown {
  if (Array.isArray(value)) return { value }
  const isGroup = typeof value === 'object' && value !== null && 'value' in value
  return isGroup && typeof value.value === 'string' ? { ...value, value: [value.value] } : value
}

export const nullKeys = z.enum(['stop', 'offset', 'dead-letter']).default('stop').meta({
  title: 'Records without a key',
  description:
    'Records without a key. stop: the process ends. offset: the record becomes a row of its own, identified by its offset. dead-letter: it goes to the dead letters.',
})

export const tombstones = z.enum(['ignore', 'mark', 'dead-letter', 'fail']).optional().meta({
  title: 'Tombstones',
  description:
    'Records without a value. mark (with the record key as keys): the row becomes its key and __deleted: true, its other fields are gone. fail: the process ends. By default ignore; for debezium mark, or ignore.',
})
