// The options of `stream`: the schema of its whole file, of which other files have the larger groups.

import { z } from 'zod'
import { picked } from '../config-of.ts'
import { OLDER } from '../older-names.ts'
import { filled, secondsBetween, whole } from '../option-types.ts'
import { rejectLimits } from '../reject-limits.ts'
import { RUN_METADATA } from '../write/table-options.ts'
import { limits, serviceOptions, writeOptions } from '../write/write-options.ts'
import { kafkaOptions } from './kafka-options.ts'
import { registryOptions } from './registry.ts'
import { topicName, topicOptions } from './topic-options.ts'

const { import_url: importUrl, ...service } = serviceOptions
const { request_timeout_seconds: requestTimeout, metadata_columns: metadata, log_keys: logKeys } = writeOptions.shape

const metadataColumns = z
  .array(z.enum([...RUN_METADATA, '_kafka_timestamp', '_kafka_topic', '_kafka_partition', '_kafka_offset']))
  .default([])
  .meta({
    ...metadata.meta(),
    description:
      'Columns to add to every row: when this run read the record, the id of this run, when the record was made, and where it lies.',
    examples: [['_loaded_at', '_kafka_offset']],
  })

const deadLetters = z.strictObject({
  topic: topicName.optional().meta({
    title: 'Topic of dead letters',
    description: 'Topic that exists and is not compacted. It gets key, value and headers unchanged.',
    examples: ['orders.dead-letters'],
    example: 'orders.dead-letters',
  }),
  file: filled.optional().meta({
    title: 'File of dead letters',
    description: 'File to append them to, on storage that outlives the process.',
    examples: ['/data/dead-letters.jsonl'],
  }),
})

const health = z.strictObject({
  host: z
    .string()
    .regex(/^[A-Za-z0-9.:_-]+$/, { error: 'must be a host name or an IP address' })
    .default('0.0.0.0')
    .meta({
      title: 'Host',
      description: 'Address to listen on. The default is all of this machine, because probes come from outside.',
    }),
  port: whole(0, 65_535).meta({
    title: 'Port',
    description: 'Port of /healthz, /readyz and /metrics; 0 uses any free one.',
    examples: [8080],
  }),
})

/** The options, as docs and the example of a config show them. */
export const streamSchema = z.strictObject({
  // not needed with the sandbox on: service-rules.ts checks it
  import_url: importUrl.optional(),
  ...service,
  ...picked(writeOptions.shape, { ...limits, table_prefix: true }),
  // with a default that fits into the default session (`fitsSession` in stream-load.ts)
  request_timeout_seconds: requestTimeout
    .unwrap()
    .default(20)
    .meta({
      ...requestTimeout.meta(),
      description:
        'A request without a complete answer in this time is cancelled and sent again. This time plus two heartbeats must fit into the session timeout, or a member that lost its partitions may write late. A check waits as long, at most 50 seconds.',
    }),
  metadata_columns: metadataColumns,
  kafka: kafkaOptions.meta({ title: 'Kafka', description: 'The cluster to read from, and the login.' }),
  schema_registry: registryOptions.optional().meta({
    title: 'Schema registry',
    description: 'The schema registry of topics with value_encoding or key_encoding registry.',
  }),
  topics: z
    .array(topicOptions)
    .min(1)
    .meta({ title: 'Topics', description: 'Topics to read, and what they become. At least one.' }),
  dead_letters: deadLetters.optional().meta({
    title: 'Dead letters',
    shown: true,
    description:
      'Where to keep records that cannot be stored: a topic or a file. Without it, the process ends at the first one.',
  }),
  ...rejectLimits,
  log_keys: logKeys,
  health: health.optional().meta({
    title: 'Health',
    shown: true,
    description: 'Address of /healthz, /readyz and /metrics. Without it, they are not served.',
  }),
  commit_every_seconds: secondsBetween(0.1, 3_600).default(1).meta({
    title: 'Commit (seconds)',
    description:
      'How often settled offsets are committed; sooner after 1,000 records, and when partitions move and at the end.',
  }),
  stall_deadline_seconds: secondsBetween(1, 604_800).default(900).meta({
    title: 'Stall deadline (seconds)',
    description: 'The process ends when records wait and none is settled for this long, to be restarted.',
  }),
})

/** The options that a file may have, with older names. */
export const streamFileOptions = streamSchema.extend(OLDER.sandbox)

export type StreamOptions = z.output<typeof streamSchema>
