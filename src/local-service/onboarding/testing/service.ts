// A local service for tests of interface A: a clock that the test sets, requests on a socket, bodies as the service
// document lists them.

import { expect } from 'vitest'
import { startLocalService } from '../../start.ts'
import type { LocalServiceOptions } from '../../context.ts'

export interface SentRequest {
  /** An object is sent as JSON, a text as it is; with no body Content-Type says JSON too, as of A3 and A11. */
  readonly body?: object | string
  readonly headers?: Readonly<Record<string, string>>
}

/** Saturday, 2026-11-21 20:00:00 UTC. */
export const START = Date.UTC(2026, 10, 21, 20)

export const LOGIN = {
  username: 'demo@example.com',
  password: 'demo-password',
  grant_type: 'password',
  scope: 'default',
  clientId: 1,
  clientSecret: 'demo-secret',
}

export const SIGNUP = {
  tier: 'pro',
  company: 'Acme',
  first_name: 'Ada',
  last_name: 'Lovelace',
  email: 'ada@example.com',
  role: 'owner',
  shop: { customer_id: 'c-1', subscription_id: 's-1' },
}

export const PROPERTIES = {
  blackout_hours: '',
  default_currency: 'USD',
  forced_update_hours: '',
  has_guest_checkout: '1',
  has_privacy_protection: null,
  hosted_warehouse: null,
  is_implemented: false,
  shop_store_db_name: 'shop',
  shop_store_table_prefix: '',
  shop_version: '2.4',
  perform_updates: '1',
  phone_number: null,
  stale_email_summary_action: 'none',
  timezone: 'America/New_York',
  website_url: null,
  week_start_day: '0',
}

export const CONNECTION = {
  type: 'mysql',
  name: 'shop',
  display_name: 'Shop database',
  credentials: { password: 'database-secret', encryption_password: 'tunnel-secret' },
  properties: {
    dbName: 'shop',
    host: 'db.example.com',
    port: '3306',
    username: 'reader',
    sourceTZ: 'UTC',
    desiredTZ: 'America/New_York',
    status: '1',
    useSSL: 'false',
    noPhpPasswordEncryption: '1',
    encryption_type: 'none',
    encryption_username: null,
    encryption_gatewayAddress: null,
    encryption_groupName: null,
    encryption_groupSecret: null,
    encryption_sshHostAddress: null,
    encryption_sshPort: null,
    encryption_sshUsername: null,
  },
}

export function inviteTo(clientId: number): object {
  return {
    force_create: 1,
    email: 'grace@example.com',
    client_id: clientId,
    first_name: 'Grace',
    last_name: 'Hopper',
    client_rights: { admin: 1, billing: 0, readonly: 0, technical: 1 },
  }
}

export function dashboardsOn(connectionId: number): object {
  return { connections: { db: { connection_id: connectionId, database: 'shop', table_prefix: '' } }, package: 'basic' }
}

export function testForm(connectionId: number): string {
  return `jobType=27&workload%5BconnectionId%5D=${connectionId}&workload%5BsyncAndSample%5D=1`
}

/** What A8 wants beside cookies. */
export const FORM = {
  'content-type': 'application/x-www-form-urlencoded',
  accept: 'application/json, text/plain, */*',
  referer: 'http://127.0.0.1/v2/client/7/settings/connections/1',
}

export function connectionsPath(clientId: number): string {
  return `/v1/v2/clients/${clientId}/connections/input-connections`
}

export function connectionListPath(clientId: number): string {
  return `${connectionsPath(clientId)}?include_deleted=false`
}

/** Jobs take no time unless the options say so. */
export async function testService(options: LocalServiceOptions = {}) {
  /** Milliseconds since 1970; jobs and tokens go by it. */
  const clock = { now: START }
  const plan = { durationMs: 0, outcome: 'completed' }
  const plans = { signup: plan, connection: plan, connectionTest: plan, dashboards: plan, ...options.onboarding?.plans }
  const service = await startLocalService({
    ...options,
    now: () => clock.now,
    onboarding: { ...options.onboarding, plans },
  })
  return Object.assign(clock, {
    service,
    /** @returns `body`: what its JSON says */
    async send(method: string, path: string, { body, headers = {} }: SentRequest = {}) {
      const isJson = typeof body === 'object'
      const type = isJson || body === undefined ? { 'content-type': 'application/json' } : {}
      const answer = await fetch(`${service.url}${path}`, {
        method,
        headers: { ...type, ...headers },
        ...(body === undefined ? {} : { body: isJson ? JSON.stringify(body) : body }),
      })
      expect(answer.headers.get('content-type')).toBe('application/json')
      return { status: answer.status, body: await answer.json() }
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  })
}

export type TestService = Awaited<ReturnType<typeof testService>>
export type LoggedIn = Awaited<ReturnType<typeof logIn>>

export async function logIn(it: TestService, login: object = LOGIN) {
  const { status, body } = await it.send('POST', '/v1/tokens', { body: login })
  expect(status).toBe(201)
  const { access_token: token, user_id: userId } = body as { access_token: string; user_id: number }
  return {
    token,
    userId,
    bearer: { authorization: `Bearer ${token}` },
    cookie: { cookie: `DASHSESS2=${token}` },
    /** As the job endpoints want it. */
    cookies: { cookie: `dashuid=${userId}; DASHSESS2=${token}` },
  }
}

/** The id of a new client; its signup must take no time. */
export async function newClient(it: TestService): Promise<number> {
  const { body } = await it.send('POST', '/v3/signups', { body: SIGNUP })
  const done = await it.send('GET', `/v3/signups/${(body as { id: string }).id}`)
  return (done.body as { client_id: number }).client_id
}

export async function newConnection(it: TestService, clientId: number, { cookie }: LoggedIn): Promise<number> {
  const { status, body } = await it.send('POST', connectionsPath(clientId), { body: CONNECTION, headers: cookie })
  expect(status).toBe(201)
  return (body as { id: number }).id
}

/** An error as it must look, with this reason among others. */
export function refusedAnswer(status: number, reason: RegExp | string): object {
  return {
    status,
    body: {
      code: status,
      message: expect.stringMatching(/./),
      reasons: expect.arrayContaining([expect.stringMatching(reason)]),
    },
  }
}
