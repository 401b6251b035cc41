// The options of `write` and `check`: types, bounds, defaults, and metadata for forms (spec/), of which `page` is where docs say more and
// `example` a value for the example of a config. write-load.ts checks the rules between options.

import { z } from 'zod'
import { Secret } from '../../core/secret.ts'
import { certificates, filled, secondsBetween, tableName, whole } from '../option-types.ts'
import { rejectLimits } from '../reject-limits.ts'
import { inOrder, streamOptions, tables } from './table-options.ts'

/** Groups of the form, in its order. */
export const GROUPS = [
  { id: 'connection', title: 'Connection' },
  { id: 'sync', title: 'Sync behaviour' },
  { id: 'rejects', title: 'Rejected records' },
  { id: 'tls', title: 'TLS and network' },
  { id: 'advanced', title: 'Advanced' },
] as const

/** Metadata by which a form checks an address: it accepts all that address.ts does, and more. */
const ADDRESS = {
  pattern: '^\\s*[Hh][Tt][Tt][Pp][Ss]?://[^\\s?#@]+\\s*$',
  pattern_descriptor: 'https://host or https://host:port/path',
}

/** The end of messages about a missing API key. */
const KEY_ORIGIN = 'a key is made in the connections area of the product, by adding a data source of the import kind'

const apiKey = z
  .string({ error: ({ input }) => (input === undefined ? `is required: ${KEY_ORIGIN}` : undefined) })
  .min(1, { error: `is empty: ${KEY_ORIGIN}` })
  .refine((key) => key.isWellFormed(), {
    error: 'holds half a character (a lone surrogate), which no address can carry',
  })
  .transform((key) => new Secret(key))

/** Makes a number of a text of digits. */
function numberOfDigits(value: unknown): unknown {
  return typeof value === 'string' && /^\s*\d+\s*$/.test(value) ? Number(value) : value
}

const connection = {
  import_url: z.string().meta({
    title: 'Import URL',
    description:
      'Address of the import interface, without /v2, user, query and fragment. It must be https, unless the host is this machine.',
    examples: ['https://import.example.com'],
    example: 'https://import.example.com',
    ...ADDRESS,
  }),
  client_id: z.preprocess(numberOfDigits, z.int().min(0)).meta({
    title: 'Client number',
    description: 'Number of the client (customer account) whose tables are written.',
    examples: [7],
  }),
  api_key: apiKey.meta({
    title: 'API key',
    description:
      'Import key of this client. Create it in the connections area of the product: add a data source of the import kind.',
    airbyte_secret: true,
    example: '${ANALYTICS_API_KEY}',
    page: 'onboarding.md#the-import-key',
  }),
}

const tls = {
  allow_insecure_http: z.boolean().default(false).meta({
    title: 'Allow unencrypted HTTP',
    description: 'Allow an http: address of another machine. API key and data are then sent unencrypted.',
  }),
  ...certificates({ peer: 'service', trusted: 'in addition to' }),
}

/** Options of how requests are made and sent, of `write` and `stream`. */
export const limits = {
  max_points: whole(1, 100).default(100).meta({
    airbyte_hidden: true,
    title: 'Max data points per request',
    description: 'Maximum data points per request (the service allows 100).',
  }),
  max_request_bytes: whole(1_024, 67_108_864).default(4_194_304).meta({
    airbyte_hidden: true,
    title: 'Max request size (bytes)',
    description: 'Maximum size of a request. Only a single larger data point may exceed it.',
  }),
  max_wait_ms: whole(1, 600_000).default(1_000).meta({
    title: 'Max wait for a full request (milliseconds)',
    description: 'How long a record may wait for others to fill its request.',
  }),
  buffer_bytes: whole(65_536, 4_294_967_296).default(33_554_432).meta({
    airbyte_hidden: true,
    title: 'Memory buffer (bytes)',
    description: 'Maximum bytes of records held in memory. While it is full, no more input is read.',
  }),
  request_timeout_seconds: secondsBetween(0.1, 3_600).default(60).meta({
    title: 'Request timeout (seconds)',
    description:
      'A request without a complete answer in this time is cancelled and sent again. A check waits as long, at most 50 seconds.',
  }),
  retry_for_seconds: secondsBetween(0, 604_800).default(900).meta({
    title: 'Retry for (seconds)',
    description:
      'How long a request that fails for a temporary reason is retried, counted from its first attempt. Then the run ends with an error.',
  }),
  concurrency: whole(1, 128)
    .optional()
    .meta({
      title: 'Max parallel requests',
      description: 'Maximum parallel requests. Leave empty to tune automatically (up to 128).',
      examples: [16],
    }),
  max_requests_per_second: z
    .number()
    .min(0.01)
    .max(100_000)
    .optional()
    .meta({
      title: 'Max requests per second',
      description: 'Maximum requests per second. Leave empty for no limit.',
      examples: [50],
    }),
  late_write_guard_seconds: secondsBetween(0, 3_600).default(60).meta({
    airbyte_hidden: true,
    title: 'Late-write guard (seconds)',
    description:
      'After a timeout, hold newer versions of the same rows this long, so that the late request cannot overwrite them.',
  }),
}

/** Makes one of several groups to choose from, which are told apart by the value of one member (the discriminator). The description is
 *  given to both the group and that member: a form shows the group's, an editor the member's.
 *  @param name of the discriminator, with the value that stands for this group
 *  @param title of the group in a form, with the description */
function choice<Name extends string, Value extends string, Members extends Readonly<Record<string, z.ZodType>>>(
  [name, value]: readonly [Name, Value],
  [title, description]: readonly [string, string],
  members: Members,
) {
  const discriminator = z.literal(value).meta({ title: name === 'mode' ? 'Mode' : 'Policy', description })
  const shape = { [name]: discriminator, ...members } as Record<Name, typeof discriminator> & Members
  return z.object(inOrder(shape)).meta({ title, description })
}

const sandbox = z
  .discriminatedUnion('mode', [
    choice(['mode', 'off'], ['Off', 'Write to the service itself.'], {}),
    choice(['mode', 'on'], ['On', 'Send everything to the sandbox. It answers like the service and stores nothing.'], {
      import_url: z.string().meta({
        title: 'Sandbox import URL',
        description: 'Address of the import sandbox.',
        examples: ['https://sandbox.import.example.com'],
        ...ADDRESS,
      }),
    }),
  ])
  .default({ mode: 'off' })
  .meta({ title: 'Sandbox', description: 'Try out a connection without storing anything.', display_type: 'radio' })

const rejectedRecords = z
  .discriminatedUnion('policy', [
    choice(
      ['policy', 'stop'],
      ['Stop the sync', 'Deliver what came before, stop, and name stream, table, line and reason.'],
      {},
    ),
    choice(['policy', 'table'], ['Keep them in a table', 'Keep such records in a table, count them, and continue.'], {
      table: tableName.default('rejected_records').meta({
        pattern_descriptor: 'letters (A–Z, a–z), digits and _',
        title: 'Table',
        description:
          'Table for rejected records: the whole message as text, with stream, table, reason and time. No prefix is added, and no stream may use it.',
      }),
    }),
    choice(
      ['policy', 'file'],
      ['Keep them in a file (local use only)', 'Append such records to a file, count them, and continue.'],
      {
        path: filled.meta({
          title: 'Path',
          description:
            'File for rejected records, for local use only: the file system of an Airbyte job is gone after the sync. Each line is a message with its reason; repaired, it is input for write.',
          examples: ['/data/rejected.jsonl'],
        }),
      },
    ),
  ])
  .default({ policy: 'stop' })
  .meta({
    title: 'Rejected records',
    description: 'What to do with a record that cannot be stored.',
    display_type: 'radio',
    always_show: true,
    page: 'tables-and-rows.md#records-that-cannot-be-stored',
  })

const rejects = {
  rejected_records: rejectedRecords,
  ...rejectLimits,
  log_keys: z.boolean().default(false).meta({
    title: 'Show keys in messages',
    description: 'Show the key value of a rejected record in messages.',
  }),
}

/** Options of the service that is written to, of `write` and `stream`. */
export const serviceOptions = { ...connection, sandbox, ...tls }

const streams = z
  .array(streamOptions)
  .default([])
  .meta({
    title: 'Per-stream overrides',
    description: 'Another table, other keys or other behaviour for individual streams.',
    page: 'tables-and-rows.md#which-table',
    examples: [[{ name: 'orders', table: 'shop_orders', keys: ['id'] }]],
  })

/** The options of each group of the form. */
const shapes = {
  connection,
  sync: { ...tables, streams },
  rejects,
  tls,
  advanced: { sandbox, ...limits },
} satisfies Record<(typeof GROUPS)[number]['id'], object>

/** The options in the order of the form, each with its group there. */
export const writeOptions = z.object(
  inOrder({ ...connection, ...shapes.sync, ...rejects, ...tls, ...shapes.advanced }, (name) => ({
    group: Object.entries(shapes).find(([, shape]) => Object.hasOwn(shape, name))![0],
  })),
)

export type LimitOptions = z.output<z.ZodObject<typeof limits>>
export type WriteOptions = z.output<typeof writeOptions>
