// The options of `onboard`: types, bounds, defaults, and what is said when one is wrong. Knows no file, no environment and
// no rule that joins two options.

import { z } from 'zod'

import { kindOf } from './read-members.ts'

/** Where a secret stands; there, `${NAME}` or `{ file: … }` only. */
export const SECRET_OPTIONS: ReadonlySet<string> = new Set([
  'login.password',
  'login.client_secret',
  'connection.credentials.password',
  'connection.credentials.encryption_password',
  'connection.properties.encryption_groupSecret',
  'client_key',
])

/** Where a file may stand for its content, and the content itself too. */
export const FILE_OPTIONS: ReadonlySet<string> = new Set(['ca_certificate', 'client_certificate'])

export const DEFAULT_REFERER = '{dashboard_url}/v2/client/{client_id}/settings/connections/{connection_id}'

const must = (what: string) => ({
  error: (issue: { readonly input?: unknown }) =>
    issue.input === undefined
      ? 'is required'
      : `must be ${what}, found ${issue.input === '' ? 'an empty text' : kindOf(issue.input)}`,
})

/** Anything the service may take. */
const text = z.string(must('a text (in quotes, if it looks like a number)'))
const filled = text.min(1, must('a text'))
const textOrNull = text.nullable().default(null)
const email = filled.regex(/^[^\s@]+@[^\s@]+$/, { error: 'must be an e-mail address' })

/** Sent as a text of digits. */
const digits = (pattern: RegExp, what: string) =>
  z.preprocess(
    (value) => (typeof value === 'number' ? String(value) : value),
    z.string(must(what)).regex(pattern, { error: `must be ${what}` }),
  )

/** Sent as one of two texts. */
const choice = (yes: string, no: string) =>
  z.preprocess(
    (value) => {
      if (value === true || value === 1 || value === '1' || value === 'true') return yes
      return value === false || value === 0 || value === '0' || value === 'false' ? no : value
    },
    z.enum([yes, no], must('true or false')),
  )

const right = z.preprocess(
  (value) => (value === true ? 1 : value === false ? 0 : value),
  z.union([z.literal(0), z.literal(1)], must('0 or 1')),
)

const number = z.preprocess(
  (value) => (typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value),
  z.int(must('a whole number')).min(0, { error: 'must be at least 0' }),
)

const seconds = (least: number, most: number) =>
  z
    .number(must('a number of seconds'))
    .min(least, { error: `must be at least ${least}` })
    .max(most, { error: `must be at most ${most}` })

const object = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) => {
      if (issue.code === 'unrecognized_keys') return 'unknown'
      return must('a group of options').error(issue)
    },
  })

const port = digits(/^(?!0)\d{1,5}$/, 'a port')

const clientProperties = object({
  blackout_hours: text.default(''),
  default_currency: text.regex(/^[A-Z]{3}$/, { error: 'must be a currency code such as EUR' }),
  forced_update_hours: text.default(''),
  has_guest_checkout: choice('1', '0').default('0'),
  has_privacy_protection: textOrNull,
  hosted_warehouse: textOrNull,
  is_implemented: z.boolean(must('true or false')).default(false),
  shop_store_db_name: filled.optional(),
  shop_store_table_prefix: text.optional(),
  shop_version: filled,
  perform_updates: choice('1', '0').default('1'),
  phone_number: textOrNull,
  stale_email_summary_action: text,
  timezone: filled.refine(isZone, { error: 'must be the name of a time zone such as Europe/Berlin' }),
  website_url: textOrNull,
  week_start_day: digits(/^[0-7]$/, 'the number of a day, 0 to 7'),
})

const connectionProperties = object({
  dbName: filled,
  host: filled,
  port: port.default('3306'),
  username: filled,
  sourceTZ: textOrNull,
  desiredTZ: textOrNull,
  status: z.preprocess(asText, z.literal('1', { error: 'must be "1"' })).default('1'),
  useSSL: choice('true', 'false').default('false'),
  noPhpPasswordEncryption: z.preprocess(asText, z.literal('1', { error: 'must be "1"' })).default('1'),
  encryption_type: filled.default('none'),
  encryption_username: textOrNull,
  encryption_gatewayAddress: textOrNull,
  encryption_groupName: textOrNull,
  encryption_groupSecret: textOrNull,
  encryption_sshHostAddress: textOrNull,
  encryption_sshPort: port.nullable().default(null),
  encryption_sshUsername: textOrNull,
})

const rights = object({
  admin: right.default(1),
  billing: right.default(0),
  readonly: right.default(0),
  technical: right.default(0),
})

export const onboardOptions = object({
  base_url: filled,
  dashboard_url: filled,
  allow_insecure_http: z.boolean(must('true or false')).default(false),
  login: object({ username: filled, password: filled, client_id: number, client_secret: filled }),
  client: object({
    tier: filled,
    company: filled,
    name: filled.optional(),
    first_name: filled,
    last_name: filled,
    email,
    role: filled,
    shop: object({ customer_id: filled, subscription_id: filled }),
  }),
  user: object({
    email: email.optional(),
    first_name: filled.optional(),
    last_name: filled.optional(),
    rights: rights.prefault({}),
  }).prefault({}),
  properties: clientProperties,
  connection: object({
    type: z.literal('mysql', { error: 'must be mysql' }).default('mysql'),
    name: filled,
    display_name: filled.optional(),
    credentials: object({ password: filled, encryption_password: textOrNull }),
    properties: connectionProperties,
  }),
  connection_test: object({ poll_number: number.default(27), referer: filled.default(DEFAULT_REFERER) }).prefault({}),
  dashboards: object({
    package: filled,
    database: filled.optional(),
    table_prefix: text.default(''),
    user_id: number.optional(),
  }),
  request_timeout_seconds: seconds(0.1, 3_600).default(60),
  retry_for_seconds: seconds(0, 604_800).default(120),
  polling: object({
    first_seconds: seconds(0.01, 3_600).default(2),
    max_seconds: seconds(0.01, 3_600).default(30),
  }).prefault({}),
  timeouts: object({
    client_seconds: seconds(0.1, 604_800).default(1_800),
    connection_seconds: seconds(0.1, 604_800).default(3_600),
    test_seconds: seconds(0.1, 604_800).default(3_600),
    dashboards_seconds: seconds(0.1, 604_800).default(3_600),
    total_seconds: seconds(0.1, 604_800).default(14_400),
  }).prefault({}),
  ca_certificate: filled.optional(),
  client_certificate: filled.optional(),
  client_key: filled.optional(),
})

export type OnboardOptions = z.output<typeof onboardOptions>

function asText(value: unknown): unknown {
  return typeof value === 'number' ? String(value) : value
}

function isZone(name: string): boolean {
  // an offset such as +01:00 names no zone
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
