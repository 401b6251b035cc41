// The options of `onboard`: types, bounds, defaults, and what is said when one is wrong. Knows no file, no environment and
// no rule that joins two options.

import { z } from 'zod'

import { kindOf } from '../kind-of.ts'

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
    issue.input === undefined ? 'is required' : `must be ${what}, found ${found(issue.input)}`,
})

function found(value: unknown): string {
  if (value === '') return 'an empty text'
  if (typeof value === 'number' && !Number.isFinite(value)) return Number.isNaN(value) ? 'no number' : 'infinity'
  return kindOf(value)
}

/** Where the kind of what was found says nothing: one of its kind may be right. */
const mustBe = (what: string) => ({
  error: (issue: { readonly input?: unknown }) => (issue.input === undefined ? 'is required' : `must be ${what}`),
})

/** Anything the service may take. */
const text = z.string(must('a text (in quotes, if it looks like a number)'))
const filled = text.min(1, must('a text'))
const textOrNull = text.nullable().default(null)
const email = filled.regex(/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u, { error: 'must be an e-mail address' })

/** What a file may hold besides, for editors. */
const ALSO = {
  integer: { also: { type: 'integer' } },
  digits: { also: { type: 'string', pattern: String.raw`^\d{1,30}$` } },
  boolean: { also: { enum: [true, false, 0, 1] } },
}
const SECRET = { airbyte_secret: true }
const FILE = { multiline: true }

/** Sent as a text of digits. */
const digits = (pattern: RegExp, what: string) =>
  z.preprocess(asText, z.string(must(what)).regex(pattern, { error: `must be ${what}` })).meta(ALSO.integer)

/** Sent as one of two texts. @param what both */
const choice = (yes: string, no: string, what: string) =>
  z
    .preprocess(
      (value) => {
        const meant = asBoolean(value)
        return meant === undefined ? value : meant ? yes : no
      },
      z.enum([yes, no], mustBe(what)),
    )
    .meta(ALSO.boolean)

const right = z
  .preprocess(
    (value) => {
      const meant = asBoolean(value)
      return meant === undefined ? value : Number(meant)
    },
    z.union([z.literal(0), z.literal(1)], mustBe('0 or 1')),
  )
  .meta({ also: { type: 'boolean' } })

const flag = z
  .preprocess(
    (value) => (value === 'true' ? true : value === 'false' ? false : value),
    z.boolean(must('true or false')),
  )
  .default(false)

const number = z
  .preprocess(
    (value) => (typeof value === 'string' && /^\d{1,30}$/.test(value) ? Number(value) : value),
    z
      .number(must('a whole number'))
      .min(0, { error: 'must be at least 0' })
      .max(Number.MAX_SAFE_INTEGER, { error: `must be at most ${Number.MAX_SAFE_INTEGER}` })
      .refine(Number.isInteger, { error: 'must be a whole number, found a number with a fraction' })
      .meta({ type: 'integer' }),
  )
  .meta(ALSO.digits)

const seconds = (least: number, most: number) =>
  z.preprocess(
    (value) => (typeof value === 'string' && /^\d{1,15}(\.\d{1,15})?$/.test(value) ? Number(value) : value),
    z
      .number(mustBe(`a number of seconds from ${least} to ${most}`))
      .min(least, { error: `must be at least ${least}` })
      .max(most, { error: `must be at most ${most}` }),
  )

const PORT = 'a port, 1 to 65535'

const object = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) => {
      if (issue.code === 'unrecognized_keys') return 'unknown'
      return must('a group of options').error(issue)
    },
  })

const port = digits(/^(?!0)\d{1,5}$/, PORT)
  .refine((text) => Number(text) <= 65_535, { error: `must be ${PORT}` })
  .meta({ also: { type: 'integer', minimum: 1, maximum: 65_535 } })

/** In the order in which they are sent, as the next. */
export const clientProperties = object({
  blackout_hours: text.default(''),
  default_currency: text.regex(/^[A-Z]{3}$/, { error: 'must be a currency code such as EUR' }),
  forced_update_hours: text.default(''),
  has_guest_checkout: choice('1', '0', '"0" or "1"').default('0'),
  has_privacy_protection: textOrNull,
  hosted_warehouse: textOrNull,
  is_implemented: flag,
  shop_store_db_name: filled.optional(),
  shop_store_table_prefix: text.optional(),
  shop_version: filled,
  perform_updates: choice('1', '0', '"0" or "1"').default('1'),
  phone_number: textOrNull,
  stale_email_summary_action: text,
  timezone: filled.refine(isZone, { error: 'must be the name of a time zone such as Europe/Berlin' }),
  website_url: textOrNull,
  week_start_day: digits(/^[0-7]$/, 'the number of a day, 0 to 7'),
})

const one = z
  .preprocess(asText, z.literal('1', { error: 'must be "1"' }))
  .default('1')
  .meta({ also: { const: 1 } })

export const connectionProperties = object({
  dbName: filled,
  host: filled,
  port: port.default('3306'),
  username: filled,
  sourceTZ: textOrNull,
  desiredTZ: textOrNull,
  status: one,
  useSSL: choice('true', 'false', '"true" or "false"').default('false'),
  noPhpPasswordEncryption: one,
  encryption_type: filled.default('none'),
  encryption_username: textOrNull,
  encryption_gatewayAddress: textOrNull,
  encryption_groupName: textOrNull,
  encryption_groupSecret: textOrNull.meta(SECRET),
  encryption_sshHostAddress: textOrNull,
  encryption_sshPort: port
    .nullable()
    .default(null)
    .meta({ also: { type: 'integer', minimum: 1, maximum: 65_535 } }),
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
  allow_insecure_http: flag,
  login: object({
    username: filled,
    password: filled.meta(SECRET),
    client_id: number,
    client_secret: filled.meta(SECRET),
  }),
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
    credentials: object({ password: filled.meta(SECRET), encryption_password: textOrNull.meta(SECRET) }),
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
  ca_certificate: filled.optional().meta(FILE),
  client_certificate: filled.optional().meta(FILE),
  client_key: filled.optional().meta(SECRET),
})

export type OnboardOptions = z.output<typeof onboardOptions>

function asText(value: unknown): unknown {
  return typeof value === 'number' ? String(value) : value
}

/** Of what a file or a variable may hold for it; undefined: nothing of the kind. */
function asBoolean(value: unknown): boolean | undefined {
  if (value === true || value === 1 || value === '1' || value === 'true') return true
  return value === false || value === 0 || value === '0' || value === 'false' ? false : undefined
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
