// A whole onboarding, request by request, is what service-interface.md#onboarding-requests lists: method, path, headers
// and body, byte for byte (onboarding-requests.json). So is what --dry-run shows.

import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { clientOverview, signupOverview } from '../src/local-service/onboarding/overview.ts'
import { workFolder } from '../integration_tests/connector.ts'
import { ioOf, NO_INPUT, Said } from '../src/process/testing/said.ts'
import { onboardCommand } from '../src/commands/onboard/onboard.ts'
import { startLocalService } from '../src/local-service/start.ts'
import { startRecorder, type Recorded } from './record-requests.ts'

interface Listed {
  readonly endpoint: string
  readonly method: string
  readonly address: 'base_url' | 'dashboard_url'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const { requests } = JSON.parse(readFileSync(new URL('onboarding-requests.json', import.meta.url), 'utf8')) as {
  requests: Listed[]
}

/** What HTTP itself needs. */
const HTTP_OWN = /^(host|connection|content-length)$/i

const GIVEN = {
  USERNAME: 'demo@example.com',
  PASSWORD: 'demo-password',
  OAUTH_CLIENT_ID: '1',
  CLIENT_SECRET: 'demo-secret',
  TIER: 'pro',
  COMPANY: 'Café Müller & Söhne',
  FIRST_NAME: 'Ada',
  LAST_NAME: 'Lovelace',
  EMAIL: 'ada@example.com',
  ROLE: 'owner',
  CUSTOMER_ID: '0012',
  SUBSCRIPTION_ID: 's/2',
  USER_EMAIL: 'grace@example.com',
  USER_FIRST_NAME: 'Grace',
  USER_LAST_NAME: 'Hopper',
  DATABASE: 'shop',
  TABLE_PREFIX: 'm2_',
  CONNECTION_NAME: 'store',
  CONNECTION_DISPLAY_NAME: 'The store',
  DATABASE_PASSWORD: 'p"w\\%2F+é',
  PACKAGE: 'basic',
}

function configOf(base: string, dashboard: string): string {
  return `
base_url: ${base}
dashboard_url: ${dashboard}
login: { username: ${GIVEN.USERNAME}, password: "\${PASSWORD}", client_id: 1, client_secret: "\${CLIENT_SECRET}" }
client:
  tier: ${GIVEN.TIER}
  company: ${GIVEN.COMPANY}
  first_name: ${GIVEN.FIRST_NAME}
  last_name: ${GIVEN.LAST_NAME}
  email: ${GIVEN.EMAIL}
  role: ${GIVEN.ROLE}
  shop: { customer_id: "${GIVEN.CUSTOMER_ID}", subscription_id: ${GIVEN.SUBSCRIPTION_ID} }
user:
  email: ${GIVEN.USER_EMAIL}
  first_name: ${GIVEN.USER_FIRST_NAME}
  last_name: ${GIVEN.USER_LAST_NAME}
  rights: { technical: true }
properties:
  default_currency: EUR
  timezone: Europe/Berlin
  week_start_day: 1
  shop_version: "2.4"
  stale_email_summary_action: none
  website_url: https://shop.example.com
  has_guest_checkout: true
connection:
  name: ${GIVEN.CONNECTION_NAME}
  display_name: ${GIVEN.CONNECTION_DISPLAY_NAME}
  credentials: { password: { file: db-password } }
  properties: { dbName: ${GIVEN.DATABASE}, host: db.example.com, username: analytics, sourceTZ: UTC, useSSL: true }
connection_test: { referer: "{dashboard_url}/settings/{client_id}/connections/{connection_id}" }
dashboards: { package: ${GIVEN.PACKAGE}, table_prefix: ${GIVEN.TABLE_PREFIX} }
polling: { first_seconds: 0.01 }
`
}

async function run(config: string, more: Readonly<Record<string, unknown>>): Promise<{ code: unknown; text: string }> {
  await using work = await workFolder()
  await work.file('db-password', `${GIVEN.DATABASE_PASSWORD}\n`)
  const said = new Said()
  const io = { ...ioOf(NO_INPUT, said, said), env: { PASSWORD: GIVEN.PASSWORD, CLIENT_SECRET: GIVEN.CLIENT_SECRET } }
  const code = await onboardCommand({ config: await work.file('onboard.yaml', config), ...more }, io)
  return { code, text: await said.text() }
}

it('sends what the service document lists, and nothing more', async () => {
  const job = { durationMs: 0, outcome: 'completed' }
  await using service = await startLocalService({
    onboarding: { plans: { signup: job, connection: job, connectionTest: job, dashboards: job } },
  })
  const recorded: (Recorded & { address: string })[] = []
  await using base = await startRecorder(service.url, (request) => recorded.push({ ...request, address: 'base_url' }))
  await using dashboard = await startRecorder(service.url, (request) =>
    recorded.push({ ...request, address: 'dashboard_url' }),
  )
  const { code, text } = await run(configOf(base.url, dashboard.url), {})
  expect(code, text).toBe(0)

  const client = clientOverview(service.onboarding).at(-1)!
  const [user] = client.users
  const [connection] = client.connections
  const values: Record<string, string> = {
    ...GIVEN,
    DATABASE_PASSWORD: JSON.stringify(GIVEN.DATABASE_PASSWORD).slice(1, -1),
    ACCESS_TOKEN: /^Bearer (.*)$/.exec(recorded[3]!.headers.find(([name]) => name === 'Authorization')![1])![1]!,
    SIGNUP_ID: signupOverview(service.onboarding)[0]!.id,
    CLIENT_ID: String(client.id),
    USER_ID: /dashuid=(\d+)/.exec(recorded[7]!.headers.find(([name]) => name === 'Cookie')![1])![1]!,
    CONNECTION_ID: String(connection!.id),
    DASHBOARD_ID: client.dashboards[0]!.id,
    DASHBOARD_URL: dashboard.url,
  }
  expect(user!.email).toBe(GIVEN.USER_EMAIL)
  const filled = (template: string): string => template.replaceAll(/\{([A-Z_]+)\}/g, (_, name: string) => values[name]!)
  const sent = recorded.map(({ address, method, path, headers, body }) => ({
    address,
    method,
    path,
    headers: headers.filter(([name]) => !HTTP_OWN.test(name)),
    body,
  }))
  const listed = requests.map(({ address, method, path, headers, body }) => ({
    address,
    method,
    path: filled(path),
    headers: Object.entries(headers).map(([name, value]) => [name, filled(value)]),
    body: filled(body),
  }))
  expect(sent).toEqual(listed)
})

it('shows the same with --dry-run, secrets masked, and sends nothing', async () => {
  const { code, text } = await run(configOf('http://127.0.0.1:1', 'http://127.0.0.1:2/x'), {
    'dry-run': true,
    json: true,
  })
  expect(code).toBe(0)
  const planned = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  const masked: Record<string, string> = {
    ...GIVEN,
    PASSWORD: '******',
    CLIENT_SECRET: '******',
    DATABASE_PASSWORD: '******',
    DASHBOARD_URL: 'http://127.0.0.1:2/x',
  }
  const filled = (template: string): string =>
    template.replaceAll(/\{([A-Z_]+)\}/g, (_, name: string) => masked[name] ?? `<${name}>`)
  expect(planned).toEqual(
    requests.map(({ endpoint, method, address, path, headers, body }) => ({
      event: 'request',
      endpoint,
      method,
      url: `${address === 'base_url' ? 'http://127.0.0.1:1' : 'http://127.0.0.1:2/x'}${filled(path)}`,
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, filled(value)])),
      body: body === '' ? undefined : filled(body),
    })),
  )
})
