// The options of one entry of `topics` of `stream`: types, bounds, defaults, and the words that an editor shows; and the form in which an
// entry is handed to the checks of topic-rules.ts and route-rules.ts.

import { z } from 'zod'
import type { Path } from '../findings.ts'
import { filled, keepLast, must, ownTable } from '../option-types.ts'
import type { Partly } from '../read-tree.ts'
import { ownRejectLimits } from '../reject-limits.ts'
import { routeOptions } from './route-options.ts'
import { nullKeys, rowKeys, tombstones } from './row-options.ts'
import { readStart, type Start } from './start-time.ts'

/** A name that a broker takes. */
export const topicName = z.string().refine((text) => /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,249}$/.test(text), {
  error: 'must be the name of a topic: letters, digits, . _ and -, at most 249 of them',
})

/** The default of Debezium's `unavailable.value.placeholder`: what it sends for a value that it could not see. */
export const UNAVAILABLE_VALUE = '__debezium_unavailable_value'

/** The message for a format that is an encoding, a mistake of users with a schema registry. `undefined` for any other value. */
function encodingForFormat({ input }: { readonly input?: unknown }): string | undefined {
  return typeof input === 'string' && /avro|proto|schema|registry/i.test(input)
    ? 'must be "json", "airbyte" or "debezium": for Avro, Protobuf and all that a schema registry decodes, write `value_encoding: registry` instead, and its address as `schema_registry`'
    : undefined
}

export const topicOptions = z.strictObject({
  topic: topicName.optional().meta({
    title: 'Topic',
    description: 'Name of the topic.',
    examples: ['orders'],
    example: 'orders',
  }),
  pattern: z
    .string()
    .min(1)
    .max(256, { abort: true })
    .superRefine(checkPattern)
    .optional()
    .meta({
      title: 'Pattern',
      description:
        "JavaScript regular expression for whole names, instead of a topic. It never matches topics with their own entry, the dead-letter topic or Kafka's internal topics. The first matching pattern counts. A topic it needs more than 100 ms for is left out.",
      examples: [String.raw`shop\..*`],
    }),
  format: z.enum(['json', 'airbyte', 'debezium'], { error: encodingForFormat }).default('json').meta({
    title: 'Format',
    description:
      'Format of the record value. json: an object. airbyte: an Airbyte message, whose records become rows. debezium: a change, with or without schema, or flattened.',
  }),
  stream: filled.optional().meta({
    title: 'Stream',
    description:
      'For airbyte: the stream whose records become rows; records of others are rejected. Without it, records of all streams become rows.',
    examples: ['orders'],
  }),
  namespace: z
    .string()
    .optional()
    .meta({
      title: 'Namespace of the stream',
      description: 'Namespace of the stream, empty for records without one. By default any.',
      examples: ['shop'],
    }),
  value_encoding: z.enum(['text', 'registry']).default('text').meta({
    title: 'Encoding of the value',
    description: "Encoding of the value. text: JSON. registry: a schema registry's Avro, Protobuf or JSON.",
  }),
  key_encoding: z.enum(['text', 'registry']).default('text').meta({
    title: 'Encoding of the record key',
    description: 'The same for the record key, if keys come from it.',
  }),
  table: ownTable.optional().meta({
    title: 'Table',
    description:
      'Whole name of its table, without prefix. By default prefix + topic; other characters than letters and digits become _.',
    examples: ['shop_orders'],
  }),
  shared_table: z.boolean().default(false).meta({
    title: 'Shared table',
    description: 'Allow other topics in the same table, if they allow it too. There is no order between their records.',
  }),
  keys: rowKeys.optional().meta({
    title: 'Keys',
    description:
      'What identifies a row: fields of the value, the record key, or the offset. A list means fields of the value. Only debezium has a default: the record key.',
    examples: [{ value: ['id'] }, { key: true }, { offset: true }],
    example: ['id'],
    also: { type: 'array', minItems: 1 },
  }),
  null_keys: nullKeys,
  tombstones,
  route: routeOptions.optional().meta({
    title: 'Route',
    description: 'For a topic of several tables: what names the table of each record.',
  }),
  // YAML reads `unavailable: null` as null, which means the word here
  unavailable: z
    .preprocess((value) => (value === null ? 'null' : value), z.enum(['fail', 'dead-letter', 'null']))
    .default('fail')
    .meta({
      title: 'Values Debezium could not see',
      description:
        'Large unchanged columns that Debezium cannot read, unless the table has REPLICA IDENTITY FULL. fail: the process ends. null: the column becomes null and is named in __unavailable.',
      also: { type: 'null' },
    }),
  unavailable_placeholder: filled
    .max(1000)
    .regex(/^(?!hex:)|^hex:(?:[0-9A-Fa-f]{2})+$/, {
      error: 'must have two hexadecimal digits for each byte behind hex:',
    })
    .default(UNAVAILABLE_VALUE)
    .meta({
      title: 'What Debezium sends for them',
      description:
        'The `unavailable.value.placeholder` of the connector in Debezium, if it has one of its own. The same text, also with hex:.',
    }),
  truncate: z.enum(['stop', 'ignore']).default('stop').meta({
    title: 'Truncated tables',
    description: 'What to do when Debezium reports that a table was truncated; the service cannot delete.',
  }),
  start: z
    .union(
      [z.enum(['earliest', 'latest']), z.string(), z.number()],
      must('earliest, latest, a time with its zone such as 2026-01-31T00:00:00Z, or milliseconds since 1970'),
    )
    .transform((given, context): Start => {
      const read = readStart(given)
      if ('start' in read) return read.start
      context.addIssue(read.problem)
      return z.NEVER
    })
    .default('earliest')
    .meta({
      title: 'Start',
      description:
        'Start of a partition without a committed offset: earliest, latest, or the first record at or after a time. Write the time with its zone, or as milliseconds since 1970.',
      examples: ['2026-01-31T00:00:00Z', 1_769_817_600_000],
    }),
  out_of_range: z.enum(['stop', 'earliest', 'latest']).default('stop').meta({
    title: 'Offset out of range',
    description: 'What to do when the topic no longer has the next offset. earliest and latest lose records.',
  }),
  keep_last: keepLast,
  ...ownRejectLimits,
})

export type TopicOptions = Partly<z.output<typeof topicOptions>>

/** An entry as it was read, and which options the file gives. */
export interface TopicEntry {
  /** The path of the entry. */
  readonly at: Path
  /** Valid values, with defaults; a faulty one is `undefined`. */
  readonly options: TopicOptions
  /** Whether the file itself gives an option, rightly or wrongly. */
  readonly isGiven: (option: string) => boolean
}

function checkPattern(text: string, context: z.RefinementCtx<string>): void {
  try {
    RegExp(text, 'u')
  } catch (error) {
    const reason = error instanceof Error ? (/[^:]*$/.exec(error.message)?.[0] ?? '').trim() : ''
    context.addIssue(`is not a regular expression: ${reason}`)
  }
}
