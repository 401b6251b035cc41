// The options of one entry of `topics` of `stream`: types, bounds, defaults, and the words an editor shows. Knows no rule that
// joins two options.

import { z } from 'zod'

import { filled, keyPathOf, must, ownTable } from '../option-types.ts'
import type { Start } from './start-time.ts'
import { readStart } from './start-time.ts'
import { isTopicName, patternProblem } from './topics.ts'

export const topicName = z
  .string()
  .refine(isTopicName, { error: 'must be the name of a topic: letters, digits, . _ and -, at most 249 of them' })

/** A member's name, a JSON Pointer, or names from the value down. */
const path = z
  .union(
    [
      filled.refine((text) => !/^\/.*\/[^/]*=/s.test(text), {
        error: 'holds a =, but no field can be given here: a name with = in it stands in a list of names',
      }),
      z.array(z.string()).min(1),
    ],
    must('a name, a path like /a/b, or a list of names'),
  )
  .transform(keyPathOf)

/** Every way to say it, for messages. */
export const KEY_CHOICES =
  'one of [id] (fields of the value), { key: true } or { key: NAME } (the record key: a JSON object, or a plain value to be sent as NAME), { offset: true } (every record a row)'

const keys = z.preprocess(
  keyGroup,
  z.strictObject(
    {
      value: z.array(path).min(1).optional().meta({
        title: 'Fields of the value',
        description: 'Each a name, or the path of a nested one: /customer/id is sent as the field customer_id.',
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
            'true: it is a JSON object, its fields are the keys. A name: it is one value, sent as the field of that name.',
        }),
      offset: z.literal(true).optional().meta({
        title: 'Topic, partition and offset',
        description:
          'Every record is a row, told apart by the fields _kafka_topic, _kafka_partition, _kafka_offset and _kafka_epoch.',
      }),
      epoch: z.int().min(0).optional().meta({
        title: 'Epoch',
        description:
          'Sent as _kafka_epoch with rows told apart by their offset, also by null_keys; 0 if left out. Raise it when the topic was created anew: its offsets begin at 0 again.',
      }),
    },
    { error: ({ code }) => (code === 'invalid_type' ? `must be ${KEY_CHOICES}` : undefined) },
  ),
)

/** A list stands for fields of the value, and one of these for a list of it. */
function keyGroup(value: unknown): unknown {
  if (Array.isArray(value)) return { value }
  const isGroup = typeof value === 'object' && value !== null && 'value' in value
  return isGroup && typeof value.value === 'string' ? { ...value, value: [value.value] } : value
}

export const topicOptions = z.strictObject({
  topic: topicName.optional().meta({
    title: 'Topic',
    description: "The topic's name.",
    examples: ['orders'],
    example: 'orders',
  }),
  pattern: z
    .string()
    .min(1)
    .max(256)
    .superRefine((text, context) => {
      const problem = patternProblem(text)
      if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
    })
    .optional()
    .meta({
      title: 'Pattern',
      description:
        "A regular expression of JavaScript for whole names, in place of a topic. Never matches a topic that has an entry of its own, the dead letters' topic or Kafka's internal topics. Of several patterns the first one counts.",
      examples: [String.raw`shop\..*`],
    }),
  format: z.enum(['json', 'airbyte', 'debezium']).default('json').meta({
    title: 'Format',
    description:
      'What a record value is. json: an object. airbyte: an Airbyte message; its records count. debezium: a change, with or without schema, or flattened.',
  }),
  stream: filled.optional().meta({
    title: 'Stream',
    description:
      'With airbyte: the stream whose records are rows; those of others are rejected. Left out: records of all streams are rows.',
    examples: ['orders'],
  }),
  namespace: z
    .string()
    .optional()
    .meta({
      title: 'Namespace of the stream',
      description: 'The namespace of stream, empty for records without one. Left out: any.',
      examples: ['shop'],
    }),
  value_encoding: z.enum(['text', 'registry']).default('text').meta({
    title: 'Encoding of the value',
    description:
      'How the format is written. text: as JSON. registry: by a serialiser of the schema registry, in Avro, Protobuf or JSON, as its schema says.',
  }),
  key_encoding: z.enum(['text', 'registry']).default('text').meta({
    title: 'Encoding of the record key',
    description: 'The same for the record key, where the keys of rows are taken from it.',
  }),
  table: ownTable.optional().meta({
    title: 'Table',
    description:
      "The whole name of its table; no prefix is added. Left out: the prefix and the topic's name, with _ in place of what is no letter, digit or _.",
    examples: ['shop_orders'],
  }),
  shared_table: z.boolean().default(false).meta({
    title: 'Shared table',
    description:
      'Allows other topics in the same table, if they say so too. Nothing is said then about the order of their records.',
  }),
  keys: keys.optional().meta({
    title: 'Keys',
    description:
      'What tells rows apart: fields of the value, the record key, or the offset. Only debezium may do without: the record key. A list stands for fields of the value.',
    examples: [{ value: ['id'] }, { key: true }, { offset: true }],
    example: ['id'],
    also: { type: 'array', minItems: 1 },
  }),
  null_keys: z.enum(['stop', 'offset', 'dead-letter']).default('stop').meta({
    title: 'Records without a key',
    description:
      'stop: the process ends there. offset: the record is a row of its own, told apart as with offsets as keys. dead-letter: it goes to the dead letters.',
  }),
  tombstones: z.enum(['ignore', 'mark', 'dead-letter', 'fail']).default('ignore').meta({
    title: 'Tombstones',
    description:
      'Records without a value. mark (with the record key as keys): the row becomes its key and __deleted: true, its other fields are gone. fail: the process ends there. Of debezium always ignore: its deletes are records of their own.',
  }),
  // a file may hold the word without quotes, which is then no text
  unavailable: z
    .preprocess((value) => (value === null ? 'null' : value), z.enum(['fail', 'dead-letter', 'null']))
    .default('fail')
    .meta({
      title: 'Values Debezium could not see',
      description:
        'Of a large unchanged column, unless the table has REPLICA IDENTITY FULL. fail: the process ends there. null: the column becomes null and is named in __unavailable.',
      also: { type: 'null' },
    }),
  truncate: z.enum(['stop', 'ignore']).default('stop').meta({
    title: 'Truncated tables',
    description: 'What to do when debezium reports that a table was emptied: the service cannot delete.',
  }),
  start: z
    .union(
      [z.enum(['earliest', 'latest']), z.string(), z.number()],
      must('earliest, latest, a time with its zone such as 2026-01-31T00:00:00Z, or milliseconds since 1970'),
    )
    .transform((given, context): Start => {
      const read = readStart(given)
      if (typeof read !== 'object' || 'timestamp' in read) return read
      context.addIssue(read.problem)
      return z.NEVER
    })
    .default('earliest')
    .meta({
      title: 'Start',
      description:
        'Where a partition begins that has no committed offset: earliest, latest, or the first record at or after a time, written with its zone or as milliseconds since 1970.',
      examples: ['2026-01-31T00:00:00Z', 1_769_817_600_000],
    }),
  out_of_range: z.enum(['stop', 'earliest', 'latest']).default('stop').meta({
    title: 'Offset out of range',
    description: 'What to do when the offset to go on at is gone from the topic. Going on loses records.',
  }),
  keep_last: z.boolean().default(true).meta({
    title: 'Only the last version',
    description:
      'Of several versions of a row that wait together only the last is sent. Switched off, every version is sent, one after another.',
  }),
})
