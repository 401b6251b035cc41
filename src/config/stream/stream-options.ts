// The options of `stream`: one schema for the whole file. Knows no file and no rule that joins two options.

import { z } from 'zod'

import { picked } from '../config-of.ts'
import { filled, seconds, whole } from '../option-types.ts'
import { limits, where, writeOptions } from '../write/write-options.ts'
import { kafkaOptions, registryOptions } from './kafka-options.ts'
import { topicName, topicOptions } from './topic-options.ts'

const { import_url: importUrl, ...service } = picked(writeOptions.shape, where)
const { table_prefix: tablePrefix, log_keys: logKeys, request_timeout_seconds: requestTimeout } = writeOptions.shape

const deadLetters = z.strictObject({
  topic: topicName.optional().meta({
    title: 'Topic of dead letters',
    description: 'A topic that exists and is not compacted. Key, value and headers arrive there as they were.',
    examples: ['orders.dead-letters'],
    example: 'orders.dead-letters',
  }),
  file: filled.optional().meta({
    title: 'File of dead letters',
    description: 'A file they are appended to, on storage that outlives the process.',
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
      description: 'The address to listen at. The default is every one of this machine: probes come from outside.',
    }),
  port: whole(0, 65_535).meta({
    title: 'Port',
    description: 'The port of /healthz, /readyz and /metrics; 0 takes any free one.',
    examples: [8080],
  }),
})

export const streamSchema = z.strictObject({
  // not required with the sandbox
  import_url: importUrl.optional(),
  ...service,
  ...picked(writeOptions.shape, limits),
  // one that fits the session timeout: fitsSession in stream-rules.ts
  request_timeout_seconds: requestTimeout
    .unwrap()
    .default(20)
    .meta({
      ...requestTimeout.meta(),
      description:
        'A request without a complete answer after this time is broken off and sent again. Together with two heartbeats no longer than the session timeout, or a member that lost its partitions may write late. A check waits as long for an answer, 50 seconds at most.',
    }),
  table_prefix: tablePrefix,
  kafka: kafkaOptions.meta({ title: 'Kafka', description: 'The cluster to read from, and as whom.' }),
  schema_registry: registryOptions.optional().meta({
    title: 'Schema registry',
    description: 'Where the schemas are of topics with value_encoding or key_encoding registry.',
  }),
  topics: z
    .array(topicOptions)
    .min(1)
    .meta({ title: 'Topics', description: 'What to read, and what becomes of it. At least one.' }),
  dead_letters: deadLetters.optional().meta({
    title: 'Dead letters',
    shown: true,
    description:
      'Where records go that cannot be stored: a topic or a file. Left out: the process ends at the first one.',
  }),
  log_keys: logKeys,
  health: health.optional().meta({
    title: 'Health',
    shown: true,
    description: 'Where /healthz, /readyz and /metrics answer. Left out: nowhere.',
  }),
  commit_every_seconds: seconds(0.1, 3_600).default(1).meta({
    title: 'Commit (seconds)',
    description:
      'Offsets of what is settled are committed so often, sooner after 1,000 records, and when partitions go and at the end.',
  }),
  stall_deadline_seconds: seconds(1, 604_800).default(900).meta({
    title: 'Stall deadline (seconds)',
    description: 'With records there and none of them settled for so long the process ends, to be started again.',
  }),
})

export type StreamOptions = z.output<typeof streamSchema>
