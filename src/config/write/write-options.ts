// The options of `write` and `check`: types, bounds, defaults, and the words a form shows. Knows no file and no rule that
// joins two options (write-load.ts).

import { z } from 'zod'

import { Secret } from '../../core/secret.ts'
import { seconds, tableName, whole } from '../option-types.ts'
import { pemText } from '../tls.ts'
import { inOrder, streamOptions, tables } from './table-options.ts'

export const GROUPS = [
  { id: 'where', title: 'Where to write' },
  { id: 'limits', title: 'Limits' },
  { id: 'tables', title: 'Tables' },
  { id: 'rejects', title: 'Records that cannot be stored' },
  { id: 'streams', title: 'Single streams' },
] as const

/** Wider than what address.ts accepts, never narrower. */
const ADDRESS = {
  pattern: '^\\s*[Hh][Tt][Tt][Pp][Ss]?://[^\\s?#@]+\\s*$',
  pattern_descriptor: 'https://host or https://host:port/path',
}

const PEM = { pattern: '-----BEGIN [A-Z0-9 ]+-----', pattern_descriptor: 'PEM text, from its BEGIN to its END line' }

const ORIGIN = 'a key is made in the connections area of the product, by adding a data source of the import kind'

const apiKey = z
  .string({ error: ({ input }) => (input === undefined ? `is required: ${ORIGIN}` : undefined) })
  .min(1, { error: `is empty: ${ORIGIN}` })
  .refine((key) => key.isWellFormed(), {
    error: 'holds half a character (a lone surrogate), which no address can carry',
  })
  .transform((key) => new Secret(key))

function digitsToo(value: unknown): unknown {
  return typeof value === 'string' && /^\s*\d+\s*$/.test(value) ? Number(value) : value
}

export const where = {
  import_url: z.string().meta({
    title: 'Import address',
    description:
      'The address of the import interface, without /v2, without user, query and fragment. https, unless the host is this machine.',
    examples: ['https://import.example.com'],
    example: 'https://import.example.com',
    ...ADDRESS,
  }),
  client_id: z.preprocess(digitsToo, z.int().min(0)).meta({
    title: 'Client ID',
    description: 'The number of the client whose tables are written.',
    examples: [7],
  }),
  api_key: apiKey.meta({
    title: 'API key',
    description:
      'The import key of this client. It is created in the connections area of the product, by adding a data source of the import kind.',
    airbyte_secret: true,
    example: '${ANALYTICS_API_KEY}',
  }),
  use_sandbox: z.boolean().default(false).meta({
    title: 'Use the sandbox',
    description: 'Send everything to the sandbox, which answers like the service and stores nothing.',
  }),
  sandbox_import_url: z
    .string()
    .optional()
    .meta({
      title: 'Sandbox address',
      description: 'The address of the import sandbox. Required when the sandbox is used.',
      examples: ['https://sandbox.import.example.com'],
      ...ADDRESS,
    }),
  allow_insecure_http: z.boolean().default(false).meta({
    title: 'Allow http',
    description:
      'Accept an http: address of another machine. The API key and all data then travel where others on the way can read them.',
  }),
  ca_certificate: z
    .string()
    .transform(pemText)
    .optional()
    .meta({
      title: 'Authority certificate',
      description:
        'PEM certificates to trust in addition to the usual authorities, for an address with a certificate of a private one.',
      multiline: true,
      ...PEM,
    }),
  client_certificate: z
    .string()
    .transform(pemText)
    .optional()
    .meta({
      title: 'Client certificate',
      description: 'The PEM certificate to show to an address that asks for one. Goes together with the client key.',
      multiline: true,
      ...PEM,
    }),
  client_key: z
    .string()
    .transform((text) => new Secret(pemText(text)))
    .optional()
    .meta({
      title: 'Client key',
      description: 'The private key of the client certificate, PEM, without a passphrase.',
      airbyte_secret: true,
      multiline: true,
      ...PEM,
    }),
}

/** `stream` has them too. */
export const limits = {
  max_points: whole(1, 100).default(100).meta({
    title: 'Data points per request',
    description: 'At most so many data points go into one request. The service accepts 100.',
  }),
  max_request_bytes: whole(1_024, 67_108_864).default(4_194_304).meta({
    title: 'Bytes per request',
    description: 'At most so many bytes go into one request, unless a single data point is larger.',
  }),
  max_wait_ms: whole(1, 600_000).default(1_000).meta({
    title: 'Longest wait (milliseconds)',
    description: 'A record waits at most so long for others to share its request.',
  }),
  buffer_bytes: whole(65_536, 4_294_967_296).default(33_554_432).meta({
    title: 'Buffer (bytes)',
    description: 'At most so many bytes of records are held in memory; while it is full, no more input is read.',
  }),
  request_timeout_seconds: seconds(0.1, 3_600).default(60).meta({
    title: 'Request timeout (seconds)',
    description:
      'A request without a complete answer after this time is broken off and sent again. A check waits as long for an answer, 50 seconds at most.',
  }),
  retry_for_seconds: seconds(0, 604_800).default(900).meta({
    title: 'Retry for (seconds)',
    description:
      'A request that fails for a passing reason is repeated for so long, counted from its first attempt; then the run ends with an error.',
  }),
  concurrency: whole(1, 128)
    .optional()
    .meta({
      title: 'Requests at once',
      description:
        'So many requests may be under way at once. Left empty, as many as the service takes well, found out as it goes, 128 at most.',
      examples: [16],
    }),
  max_requests_per_second: z
    .number()
    .min(0.01)
    .max(100_000)
    .optional()
    .meta({
      title: 'Requests per second',
      description: 'At most so many requests are sent in a second. Left empty, there is no such limit.',
      examples: [50],
    }),
  late_write_guard_seconds: seconds(0, 3_600).default(60).meta({
    title: 'Late-write guard (seconds)',
    description:
      'After a request whose fate is unknown, newer values of its keys wait so long, so that the old request cannot land after them.',
  }),
}

export const rejects = {
  on_rejected: z.enum(['fail', 'divert']).default('fail').meta({
    title: 'Rejected records',
    description:
      'What to do with a record that cannot be stored. fail: stop there, naming stream, table, line and reason; what came before is delivered. divert: keep it, count it, and go on.',
  }),
  rejected_table: tableName.default('rejected_records').meta({
    pattern_descriptor: 'letters (A–Z, a–z), digits and _',
    title: 'Table of rejected records',
    description:
      'The table that diverted records go to, the whole message as text with stream, table, reason and time; no prefix is added, and no stream may have it.',
  }),
  rejected_file: z
    .string()
    .optional()
    .meta({
      title: 'File of rejected records',
      description:
        'A file that diverted records are appended to instead of the table, one message a line with the reason in it; repaired, it is input for a write. It should be on storage that outlives the run.',
      examples: ['/data/rejected.jsonl'],
    }),
  log_keys: z.boolean().default(false).meta({
    title: 'Log keys',
    description: 'Whether messages about a rejected record may show the value of its key.',
  }),
}

const streams = z
  .array(streamOptions)
  .default([])
  .meta({
    title: 'Single streams',
    description: 'Another table, other keys or another treatment for single streams.',
    examples: [[{ name: 'orders', table: 'shop_orders', keys: ['id'] }]],
  })

const shapes = { where, limits, tables, rejects, streams: { streams } }

export const writeOptions = z.object(
  inOrder({ ...where, ...limits, ...tables, ...rejects, streams }, (name) => ({
    group: Object.entries(shapes).find(([, shape]) => Object.hasOwn(shape, name))![0],
  })),
)

export type LimitOptions = z.output<z.ZodObject<typeof limits>>
export type WriteOptions = z.output<typeof writeOptions>
export type OptionName = keyof WriteOptions

export const OPTION_NAMES = Object.keys(writeOptions.shape) as readonly OptionName[]
