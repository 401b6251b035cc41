// The requests of an onboarding, A1 to A11 of the service document, byte for byte (service-interface.md#onboarding-requests;
// spec/onboarding-requests.json). Pure.

import type {
  ApiLogin,
  ClientUpdate,
  ConnectionTest,
  NewClient,
  NewConnection,
  NewDashboards,
  NewUser,
} from '../../config/onboard/onboard-load.ts'
import { clientProperties, connectionProperties } from '../../config/onboard/onboard-options.ts'
import type { Secret } from '../../core/secret.ts'
import type { Endpoint } from '../contract.ts'

export interface OnboardingRequest {
  readonly endpoint: Endpoint
  readonly method: 'GET' | 'POST' | 'PUT'
  /** The option that has the address. */
  readonly address: 'base_url' | 'dashboard_url'
  /** With its query. */
  readonly path: string
  /** Alternating names and values. */
  readonly headers: readonly string[]
  /** Absent when there is none. */
  readonly body?: string
}

/** The parts of the answer to A1 that later requests contain. `userId` is a placeholder if requests are only shown. */
export interface OnboardingSession {
  readonly token: Secret
  readonly userId: Id
}

/** An id: a number, or a placeholder in words if requests are only shown. */
export type Id = number | string

/** The type of a connection test among jobs (service-interface.md#job). */
export const TEST_JOB_TYPE = 27

const JSON_BODY = ['Content-Type', 'application/json']
const FORM_BODY = ['Content-Type', 'application/x-www-form-urlencoded']
/** For requests about jobs, as a browser sends it. */
const JOB_ANSWER = ['Accept', 'application/json, text/plain, */*']

/** A1: log in. */
export function tokenRequest({ username, password, clientId, clientSecret }: ApiLogin): OnboardingRequest {
  const body = {
    username,
    password: password.reveal(),
    grant_type: 'password',
    scope: 'default',
    clientId,
    clientSecret: clientSecret.reveal(),
  }
  return request('A1', 'POST', '/v1/tokens', JSON_BODY, JSON.stringify(body))
}

/** A2: create the client, without a token (decisions.md#signups-need-no-token). */
export function signupRequest(signup: NewClient): OnboardingRequest {
  const body = {
    tier: signup.tier,
    company: signup.company,
    first_name: signup.firstName,
    last_name: signup.lastName,
    email: signup.email,
    role: signup.role,
    shop: { customer_id: signup.shop.customerId, subscription_id: signup.shop.subscriptionId },
  }
  return request('A2', 'POST', '/v3/signups', JSON_BODY, JSON.stringify(body))
}

/** A3: ask for the signup, without a token (decisions.md#signups-need-no-token). */
export function signupPoll(signupId: string): OnboardingRequest {
  return request('A3', 'GET', `/v3/signups/${encodeURIComponent(signupId)}`, JSON_BODY)
}

/** A4: create the user. */
export function userRequest({ token }: OnboardingSession, clientId: Id, user: NewUser): OnboardingRequest {
  const { admin, billing, readonly, technical } = user.rights
  const body = {
    force_create: 1,
    email: user.email,
    client_id: clientId,
    first_name: user.firstName,
    last_name: user.lastName,
    client_rights: { admin, billing, readonly, technical },
  }
  const headers = ['Authorization', `Bearer ${token.reveal()}`, ...JSON_BODY]
  return request('A4', 'POST', '/v3/invites', headers, JSON.stringify(body))
}

/** A5: set the properties. */
export function updateRequest(session: OnboardingSession, clientId: Id, update: ClientUpdate): OnboardingRequest {
  const headers = [...cookie(session), ...JSON_BODY]
  return request('A5', 'PUT', `/v1/clients/${encodeURIComponent(clientId)}`, headers, updateBody(update))
}

/** A6: add the connection. */
export function connectionRequest(
  session: OnboardingSession,
  clientId: Id,
  connection: NewConnection,
): OnboardingRequest {
  const { name, displayName, password, encryptionPassword, properties } = connection
  const body = {
    type: 'mysql',
    name,
    display_name: displayName,
    credentials: { password: password.reveal(), encryption_password: encryptionPassword?.reveal() ?? null },
    properties: inOrder(connectionProperties, {
      ...properties,
      encryption_groupSecret: properties.encryption_groupSecret?.reveal() ?? null,
    }),
  }
  const headers = [...cookie(session), ...JSON_BODY]
  return request('A6', 'POST', connectionsPath(clientId), headers, JSON.stringify(body))
}

/** A7: list the connections. */
export function connectionsPoll(session: OnboardingSession, clientId: Id): OnboardingRequest {
  const headers = ['Accept', 'application/json', ...cookie(session)]
  return request('A7', 'GET', `${connectionsPath(clientId)}?include_deleted=false`, headers)
}

/** A8: start the connection test.
 *  @param dashboardUrl goes into the Referer header */
export function testRequest(
  dashboardUrl: string,
  session: OnboardingSession,
  clientId: Id,
  connectionId: Id,
  { referer }: ConnectionTest,
): OnboardingRequest {
  const form = new URLSearchParams([
    ['jobType', String(TEST_JOB_TYPE)],
    ['workload[connectionId]', String(connectionId)],
    ['workload[syncAndSample]', '1'],
  ])
  const page = referer
    .replaceAll('{dashboard_url}', () => dashboardUrl)
    .replaceAll('{client_id}', String(clientId))
    .replaceAll('{connection_id}', String(connectionId))
  const headers = [...FORM_BODY, ...dashboardCookie(session), ...JOB_ANSWER, 'Referer', page]
  return request('A8', 'POST', `/v2/client/${encodeURIComponent(clientId)}/job`, headers, form.toString())
}

/** A9: ask for the connection test. */
export function testPoll(session: OnboardingSession, clientId: Id, { pollNumber }: ConnectionTest): OnboardingRequest {
  const headers = [...JOB_ANSWER, ...dashboardCookie(session)]
  return request('A9', 'GET', `/v2/client/${encodeURIComponent(clientId)}/job/type/${pollNumber}`, headers)
}

/** A10: create the dashboards. */
export function dashboardsRequest(
  session: OnboardingSession,
  clientId: Id,
  connectionId: Id,
  dashboards: NewDashboards,
  userId: Id,
): OnboardingRequest {
  const { database, tablePrefix } = dashboards
  const body = {
    connections: { db: { connection_id: connectionId, database, table_prefix: tablePrefix } },
    package: dashboards.package,
    user_id: userId,
  }
  const headers = [...cookie(session), ...JSON_BODY]
  return request('A10', 'POST', dashboardsPath(clientId), headers, JSON.stringify(body))
}

/** A11: ask for the dashboards. */
export function dashboardsPoll(session: OnboardingSession, clientId: Id, dashboardId: string): OnboardingRequest {
  const headers = [...cookie(session), ...JSON_BODY]
  return request('A11', 'GET', `${dashboardsPath(clientId)}/${encodeURIComponent(dashboardId)}`, headers)
}

/** The body of A5, which contains no secret. */
export function updateBody({ name, properties }: ClientUpdate): string {
  return JSON.stringify({ name, properties: inOrder(clientProperties, properties) })
}

/** Puts members into the order of the schema, which is that of service-interface.md. */
function inOrder({ shape }: { readonly shape: object }, values: object): object {
  return Object.fromEntries(Object.keys(shape).map((name) => [name, Reflect.get(values, name)]))
}

function connectionsPath(clientId: Id): string {
  return `/v1/v2/clients/${encodeURIComponent(clientId)}/connections/input-connections`
}

function dashboardsPath(clientId: Id): string {
  return `/v1/clients/${encodeURIComponent(clientId)}/autodash`
}

function cookie({ token }: OnboardingSession): string[] {
  return ['Cookie', `DASHSESS2=${token.reveal()}`]
}

function dashboardCookie({ token, userId }: OnboardingSession): string[] {
  return ['Cookie', `dashuid=${userId}; DASHSESS2=${token.reveal()}`]
}

function request(
  endpoint: Endpoint,
  method: OnboardingRequest['method'],
  path: string,
  headers: readonly string[],
  body?: string,
): OnboardingRequest {
  const address = endpoint === 'A8' || endpoint === 'A9' ? 'dashboard_url' : 'base_url'
  return { endpoint, method, address, path, headers, ...(body !== undefined && { body }) }
}
