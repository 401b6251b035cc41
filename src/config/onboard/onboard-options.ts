// The options of `onboard`: types, bounds, defaults, and metadata for the schema and the example of its file (spec/file-schema.ts,
// spec/example.ts): `also` is a second schema that a value may have, `example` a value, `shown` puts an optional group into the example.

import { z } from 'zod'
import { Secret } from '../../core/secret.ts'
import { certificates, filled, must, secret, secondsBetween } from '../option-types.ts'

const DEFAULT_REFERER = '{dashboard_url}/v2/client/{client_id}/settings/connections/{connection_id}'

/** Any text, even an empty one, where the service sets the rules. */
const text = z.string()
const textOrNull = text.nullable().default(null)
const secretOrNull = textOrNull.transform((given) => (given === null ? null : new Secret(given)))
const email = filled.regex(/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u, { error: 'must be an e-mail address' })
const flag = z.boolean().default(false)
/** A whole number, or a text of its digits. */
const number = z
  .int()
  .min(0)
  .meta({ also: { type: 'string', pattern: String.raw`^\d{1,30}$` } })

/** Metadata of an option.
 *  @param example its value in the example. `undefined` when the example shows the default, or nothing */
const described = (description: string, example?: unknown) => ({
  description,
  ...(example !== undefined && { example }),
})
/** Metadata of a secret.
 *  @param variable of the environment, which the example refers to. `undefined` when the example does not show the option */
const describedSecret = (description: string, variable?: string) => ({
  ...described(description, variable && `\${${variable}}`),
  airbyte_secret: true,
})

/** A number that is sent as a text of digits. @param what follows "must be" in messages */
const digits = (pattern: RegExp, what: string) =>
  z
    .preprocess(asText, z.string(must(what)).regex(pattern, { error: `must be ${what}` }))
    .meta({ also: { type: 'integer' } })

/** A truth value that is sent as one of two texts. @param what follows "must be" in messages */
const booleanAs = (yes: string, no: string, what: string) =>
  z
    .preprocess((value) => eitherOf(value, yes, no), z.enum([yes, no], must(what)))
    .meta({ also: { enum: [true, false, 0, 1] } })

/** A truth value that is sent as 1 or 0. */
const oneOrZero = z
  .preprocess((value) => eitherOf(value, 1, 0), z.union([z.literal(0), z.literal(1)], must('0 or 1')))
  .meta({ also: { type: 'boolean' } })

const PORT = 'a port, 1 to 65535'
const PORT_NUMBER = { also: { type: 'integer', minimum: 1, maximum: 65_535 } }

const port = digits(/^(?!0)\d{1,5}$/, PORT)
  .refine((text) => Number(text) <= 65_535, { error: `must be ${PORT}` })
  .meta(PORT_NUMBER)

/** An option with one possible value, which is always sent. */
const alwaysOne = z
  .preprocess(asText, z.literal('1', must('"1"')))
  .default('1')
  .meta({ also: { const: 1 } })

/** The placeholders that a referer may hold. */
const PLACEHOLDERS: ReadonlySet<string> = new Set(['{dashboard_url}', '{client_id}', '{connection_id}'])

const referer = filled
  .refine((template) => (template.match(/\{[^}]*\}?/g) ?? []).every((name) => PLACEHOLDERS.has(name)), {
    error: `may hold ${[...PLACEHOLDERS].join(', ')} only in braces`,
    abort: true,
  })
  .refine((template) => /^(\{dashboard_url\}|https?:\/\/)[!-~]*$/.test(template), {
    error: 'must be an address that begins with {dashboard_url} or https://, without spaces',
  })

/** Properties are sent in the order in which they stand here; those of the connection too. */
export const clientProperties = z
  .strictObject({
    blackout_hours: text.default(''),
    default_currency: text
      .regex(/^[A-Z]{3}$/, { error: 'must be a currency code such as EUR' })
      .meta(described('A currency code such as EUR.', 'EUR')),
    forced_update_hours: text.default(''),
    has_guest_checkout: booleanAs('1', '0', '"0" or "1"').default('0'),
    has_privacy_protection: textOrNull,
    hosted_warehouse: textOrNull,
    is_implemented: flag,
    shop_store_db_name: filled.optional().meta(described('Default: connection.properties.dbName.')),
    shop_store_table_prefix: text.optional().meta(described('Default: dashboards.table_prefix.')),
    shop_version: filled.meta({ example: '2.4' }),
    perform_updates: booleanAs('1', '0', '"0" or "1"').default('1'),
    phone_number: textOrNull,
    stale_email_summary_action: text.meta({ example: 'none' }),
    timezone: filled
      .refine(isZone, { error: 'must be the name of a time zone such as Europe/Berlin' })
      .meta(described('A name from the IANA time zone database such as Europe/Berlin.', 'Europe/Berlin')),
    website_url: textOrNull.meta({ example: 'https://shop.example.com' }),
    week_start_day: digits(/^[0-7]$/, 'the number of a day, 0 to 7').meta(described('Number of a day.', '1')),
  })
  .describe('Properties of the client, by the names of the service document.')

export const connectionProperties = z
  .strictObject({
    dbName: filled.meta({ example: 'shop' }),
    host: filled.meta({ example: 'db.example.com' }),
    port: port.default('3306'),
    username: filled.meta({ example: 'analytics' }),
    sourceTZ: textOrNull,
    desiredTZ: textOrNull,
    status: alwaysOne,
    useSSL: booleanAs('true', 'false', '"true" or "false"').default('false'),
    noPhpPasswordEncryption: alwaysOne,
    encryption_type: filled
      .default('none')
      .meta(described('none: no tunnel. The options that begin with encryption_ configure one.')),
    encryption_username: textOrNull,
    encryption_gatewayAddress: textOrNull,
    encryption_groupName: textOrNull,
    encryption_groupSecret: secretOrNull.meta(describedSecret('A secret: ${NAME} or { file: /path }.')),
    encryption_sshHostAddress: textOrNull,
    encryption_sshPort: port.nullable().default(null).meta(PORT_NUMBER),
    encryption_sshUsername: textOrNull,
  })
  .describe('Properties of the connection, by the names of the service document.')

const rights = z
  .strictObject({
    admin: oneOrZero.default(1).meta(described('Administration.', 1)),
    billing: oneOrZero.default(0).meta(described('Billing.')),
    readonly: oneOrZero.default(0).meta(described('Reading only.')),
    technical: oneOrZero.default(0).meta(described('Technical matters.')),
  })
  .prefault({})
  .meta({ ...described('What the user may do: 0 or 1 each.'), shown: true })

const PERSON = 'Of the person in charge.'
const SHOP = 'A text: in quotes if it looks like a number.'
const LIKE_CLIENT = 'Default: that of client.'

export const onboardOptions = z.strictObject({
  base_url: filled.meta(
    described('The onboarding address. https, unless the host is this machine.', 'https://onboarding.example.com'),
  ),
  dashboard_url: filled.meta(
    described('The dashboard address. https, unless the host is this machine.', 'https://dashboard.example.com'),
  ),
  allow_insecure_http: flag.meta(
    described('Allow an http: address of another machine. Secrets are then sent unencrypted.'),
  ),
  login: z
    .strictObject({
      username: filled.meta(described('The name of that user.', 'operator@example.com')),
      password: secret.meta(describedSecret('Its password: ${NAME} or { file: /path }.', 'ONBOARD_PASSWORD')),
      client_id: number.meta(described('A whole number, sent as clientId.', 1)),
      client_secret: secret.meta(
        describedSecret('The secret that belongs to it: ${NAME} or { file: /path }.', 'ONBOARD_CLIENT_SECRET'),
      ),
    })
    .describe('An existing user who may create clients, with the credentials that the operator issued.'),
  client: z
    .strictObject({
      tier: filled.meta(described('Its tier.', 'standard')),
      company: filled.meta(described('Its company.', 'Example Shop')),
      name: filled.optional().meta(described('Later name of the client. Default: company.')),
      first_name: filled.meta(described(PERSON, 'Ada')),
      last_name: filled.meta(described(PERSON, 'Example')),
      email: email.meta(described(PERSON, 'ada@example.com')),
      role: filled.meta(described('The role of that person.', 'owner')),
      shop: z
        .strictObject({
          customer_id: filled.meta(described(SHOP, '1001')),
          subscription_id: filled.meta(described(SHOP, '2002')),
        })
        .describe('The shop of the client.'),
    })
    .describe('The client to create. Ask the operator of the service for the possible tiers and roles.'),
  user: z
    .strictObject({
      email: email.optional().meta(described(LIKE_CLIENT, 'admin@example.com')),
      first_name: filled.optional().meta(described(LIKE_CLIENT, 'Alan')),
      last_name: filled.optional().meta(described(LIKE_CLIENT, 'Example')),
      rights,
    })
    .prefault({})
    .meta({ ...described('The user to create on the client. Missing values are those of client.'), shown: true }),
  properties: clientProperties,
  connection: z
    .strictObject({
      type: z.literal('mysql', must('mysql')).default('mysql').meta(described('The only type.')),
      name: filled.meta(described('Its name.', 'store')),
      display_name: filled.optional().meta(described('Display name. Default: name.')),
      credentials: z
        .strictObject({
          password: secret.meta(describedSecret('Of its user: ${NAME} or { file: /path }.', 'STORE_DB_PASSWORD')),
          encryption_password: secretOrNull.meta(describedSecret('Of the tunnel: ${NAME} or { file: /path }.')),
        })
        .describe('Secrets of the store database.'),
      properties: connectionProperties,
    })
    .describe("The connection to the client's store database, found again by its name after a crash."),
  connection_test: z
    .strictObject({
      poll_number: number.default(27).meta(described('Job type of the test, at the end of the address of its poll.')),
      referer: referer
        .default(DEFAULT_REFERER)
        .meta(described('Referer of the test; {dashboard_url}, {client_id} and {connection_id} are replaced.')),
    })
    .prefault({})
    .describe('How the connection is tested.'),
  dashboards: z
    .strictObject({
      package: filled.meta(described('The package (template).', 'standard')),
      database: filled.optional().meta(described('Default: connection.properties.dbName.')),
      table_prefix: text.default('').meta(described("Prefix of the store's tables.")),
      user_id: number
        .optional()
        .meta(described('Their owner. Default: the user created above, else the one of login.')),
    })
    .describe('The dashboards. Ask the operator of the service which packages (templates) there are.'),
  request_timeout_seconds: secondsBetween(0.1, 3_600).default(60).meta(described('Timeout of a single request.')),
  retry_for_seconds: secondsBetween(0, 604_800)
    .default(120)
    .meta(described('How long a request that fails for a temporary reason is retried.')),
  polling: z
    .strictObject({
      first_seconds: secondsBetween(0.01, 3_600)
        .default(2)
        .meta(described('First pause between polls; each next one is half as long again.')),
      max_seconds: secondsBetween(0.01, 3_600).default(30).meta(described('Longest pause between polls.')),
    })
    .prefault({})
    .describe('How often a job is polled.'),
  timeouts: z
    .strictObject({
      client_seconds: secondsBetween(0.1, 604_800).default(1_800).meta(described("The client's signup.")),
      connection_seconds: secondsBetween(0.1, 604_800).default(3_600).meta(described('The connection.')),
      test_seconds: secondsBetween(0.1, 604_800).default(3_600).meta(described('The test of the connection.')),
      dashboards_seconds: secondsBetween(0.1, 604_800).default(3_600).meta(described('The dashboards.')),
      total_seconds: secondsBetween(0.1, 604_800).default(14_400).meta(described('After it, nothing more is created.')),
    })
    .prefault({})
    .describe('Timeout of each job, and of all together.'),
  ...certificates({ peer: 'service', trusted: 'in addition to' }),
})

export type OnboardOptions = z.output<typeof onboardOptions>

function asText(value: unknown): unknown {
  return typeof value === 'number' ? String(value) : value
}

/** Replaces what a file or a variable may hold for a boolean by `yes` or `no`. Any other value stays as it is. */
function eitherOf(value: unknown, yes: unknown, no: unknown): unknown {
  if (value === true || value === 1 || value === '1' || value === 'true') return yes
  return value === false || value === 0 || value === '0' || value === 'false' ? no : value
}

function isZone(name: string): boolean {
  // an offset such as +01:00 names no zone
  if (!/^[A-Za-z]/.test(name)) return false
  // throws for an unknown zone
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
