// The options of `write` and `check`: types, bounds, defaults, and the words a form shows. Knows no file and no rule that
// joins two options (load.ts).

import { z } from 'zod'

import { rejectOptions } from './reject-options.ts'
import { tableOptions } from './table-options.ts'

export const GROUPS = [
  { id: 'where', title: 'Where to write' },
  { id: 'limits', title: 'Limits' },
  { id: 'tables', title: 'Tables' },
  { id: 'rejects', title: 'Records that cannot be stored' },
  { id: 'streams', title: 'Single streams' },
] as const

interface Shown {
  readonly title: string
  readonly description: string
  readonly order: number
  readonly examples?: readonly unknown[]
  readonly pattern?: string
  readonly pattern_descriptor?: string
  readonly airbyte_secret?: true
  readonly multiline?: true
}

const where = (shown: Shown): Record<string, unknown> => ({ group: 'where', ...shown })
const limits = (shown: Shown): Record<string, unknown> => ({ group: 'limits', ...shown })

/** Wider than what address.ts accepts, never narrower. */
const ADDRESS = {
  pattern: '^\\s*[Hh][Tt][Tt][Pp][Ss]?://[^\\s?#@]+\\s*$',
  pattern_descriptor: 'https://host or https://host:port/path',
}

const PEM = { pattern: '-----BEGIN [A-Z0-9 ]+-----', pattern_descriptor: 'PEM text, from its BEGIN to its END line' }

const { streams, ...tables } = tableOptions

export const writeOptions = z.object({
  import_url: z.string().meta(
    where({
      order: 0,
      title: 'Import address',
      description:
        'The address of the import interface, without /v2, without user, query and fragment. https, unless the host is this machine.',
      examples: ['https://import.example.com'],
      ...ADDRESS,
    }),
  ),
  client_id: z
    .int()
    .min(0)
    .meta(
      where({
        order: 1,
        title: 'Client ID',
        description: 'The number of the client whose tables are written.',
        examples: [7],
      }),
    ),
  api_key: z
    .string()
    .min(1)
    .meta(
      where({
        order: 2,
        title: 'API key',
        description:
          'The import key of this client. It is created in the connections area of the product, by adding a data source of the import kind.',
        airbyte_secret: true,
      }),
    ),
  use_sandbox: z
    .boolean()
    .default(false)
    .meta(
      where({
        order: 3,
        title: 'Use the sandbox',
        description: 'Send everything to the sandbox, which answers like the service and stores nothing.',
      }),
    ),
  sandbox_import_url: z
    .string()
    .optional()
    .meta(
      where({
        order: 4,
        title: 'Sandbox address',
        description: 'The address of the import sandbox. Required when the sandbox is used.',
        examples: ['https://sandbox.import.example.com'],
        ...ADDRESS,
      }),
    ),
  allow_insecure_http: z
    .boolean()
    .default(false)
    .meta(
      where({
        order: 5,
        title: 'Allow http',
        description:
          'Accept an http: address of another machine. The API key and all data then travel where others on the way can read them.',
      }),
    ),
  ca_certificate: z
    .string()
    .optional()
    .meta(
      where({
        order: 6,
        title: 'Authority certificate',
        description:
          'PEM certificates to trust in addition to the usual authorities, for an address with a certificate of a private one.',
        multiline: true,
        ...PEM,
      }),
    ),
  client_certificate: z
    .string()
    .optional()
    .meta(
      where({
        order: 7,
        title: 'Client certificate',
        description: 'The PEM certificate to show to an address that asks for one. Goes together with the client key.',
        multiline: true,
        ...PEM,
      }),
    ),
  client_key: z
    .string()
    .optional()
    .meta(
      where({
        order: 8,
        title: 'Client key',
        description: 'The private key of the client certificate, PEM, without a passphrase.',
        airbyte_secret: true,
        multiline: true,
        ...PEM,
      }),
    ),
  max_points: z
    .int()
    .min(1)
    .max(100)
    .default(100)
    .meta(
      limits({
        order: 9,
        title: 'Data points per request',
        description: 'At most so many data points go into one request. The service accepts 100.',
      }),
    ),
  max_request_bytes: z
    .int()
    .min(1_024)
    .max(67_108_864)
    .default(4_194_304)
    .meta(
      limits({
        order: 10,
        title: 'Bytes per request',
        description: 'At most so many bytes go into one request, unless a single data point is larger.',
      }),
    ),
  max_wait_ms: z
    .int()
    .min(1)
    .max(600_000)
    .default(1_000)
    .meta(
      limits({
        order: 11,
        title: 'Longest wait (milliseconds)',
        description: 'A record waits at most so long for others to share its request.',
      }),
    ),
  buffer_bytes: z
    .int()
    .min(65_536)
    .max(4_294_967_296)
    .default(33_554_432)
    .meta(
      limits({
        order: 12,
        title: 'Buffer (bytes)',
        description: 'At most so many bytes of records are held in memory; while it is full, no more input is read.',
      }),
    ),
  request_timeout_seconds: z
    .number()
    .min(0.1)
    .max(3_600)
    .default(60)
    .meta(
      limits({
        order: 13,
        title: 'Request timeout (seconds)',
        description:
          'A request without a complete answer after this time is broken off and sent again. A check waits as long for an answer, 50 seconds at most.',
      }),
    ),
  retry_for_seconds: z
    .number()
    .min(0)
    .max(604_800)
    .default(900)
    .meta(
      limits({
        order: 14,
        title: 'Retry for (seconds)',
        description:
          'A request that fails for a passing reason is repeated for so long, counted from its first attempt; then the run ends with an error.',
      }),
    ),
  concurrency: z
    .int()
    .min(1)
    .max(128)
    .optional()
    .meta(
      limits({
        order: 15,
        title: 'Requests at once',
        description:
          'So many requests may be under way at once. Left empty, as many as the service takes well, found out as it goes, 128 at most.',
        examples: [16],
      }),
    ),
  max_requests_per_second: z
    .number()
    .min(0.01)
    .max(100_000)
    .optional()
    .meta(
      limits({
        order: 16,
        title: 'Requests per second',
        description: 'At most so many requests are sent in a second. Left empty, there is no such limit.',
        examples: [50],
      }),
    ),
  late_write_guard_seconds: z
    .number()
    .min(0)
    .max(3_600)
    .default(60)
    .meta(
      limits({
        order: 17,
        title: 'Late-write guard (seconds)',
        description:
          'After a request whose fate is unknown, newer values of its keys wait so long, so that the old request cannot land after them.',
      }),
    ),
  ...tables,
  ...rejectOptions,
  streams,
})

/** `stream` has them too. */
export const limitOptions = writeOptions.pick({
  max_points: true,
  max_request_bytes: true,
  max_wait_ms: true,
  buffer_bytes: true,
  request_timeout_seconds: true,
  retry_for_seconds: true,
  concurrency: true,
  max_requests_per_second: true,
  late_write_guard_seconds: true,
})

export type LimitOptions = z.output<typeof limitOptions>
export type WriteOptions = z.output<typeof writeOptions>
export type OptionName = keyof WriteOptions

export const OPTION_NAMES = Object.keys(writeOptions.shape) as readonly OptionName[]
