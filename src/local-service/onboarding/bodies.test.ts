// The body of every endpoint of interface A: what it must hold, member by member, and what else is refused.

import { expect, it } from 'vitest'
import {
  CONNECTION,
  connectionsPath,
  dashboardsOn,
  inviteTo,
  LOGIN,
  logIn,
  newConnection,
  PROPERTIES,
  refusedAnswer,
  SIGNUP,
  testService,
} from './testing/service.ts'
import { expectStrict } from './testing/strict.ts'

type Change = readonly [change: object, reason: string]

interface Endpoint {
  readonly method?: string
  readonly path: string
  /** Some need a connection of client 7. */
  readonly body: (connectionId: number) => object
  readonly nullable?: readonly string[]
  readonly optional?: readonly string[]
  readonly wrong?: readonly Change[]
}

const RIGHTS = { admin: 1, billing: 0, readonly: 0, technical: 1 }
const DATABASE = CONNECTION.properties
const nullInConnection = Object.entries(DATABASE)
  .filter(([name, value]) => value === null || ['dbName', 'host', 'username', 'sourceTZ', 'desiredTZ'].includes(name))
  .map(([name]) => name)

const ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  A1: {
    path: '/v1/tokens',
    body: () => LOGIN,
    wrong: [
      [{ grant_type: 'refresh_token' }, '^grant_type must be '],
      [{ scope: '' }, '^scope must be '],
      [{ clientId: '1' }, '^clientId must be '],
      [{ clientId: 2 ** 53 }, '^clientId must be '],
    ],
  },
  A2: {
    path: '/v3/signups',
    body: () => SIGNUP,
    wrong: ['tier', 'role'].map((name) => [{ [name]: '' }, `^${name} must be a string that is not empty$`]),
  },
  A4: {
    path: '/v3/invites',
    body: () => inviteTo(7),
    wrong: [
      ...[0, '1', true].map((it): Change => [{ force_create: it }, '^force_create must be 1$']),
      [{ client_id: '7' }, '^client_id must be a whole number$'],
      [{ client_rights: { ...RIGHTS, admin: 2 } }, '^client_rights.admin must be 0 or 1$'],
      [{ client_rights: { ...RIGHTS, readonly: true } }, '^client_rights.readonly must be 0 or 1$'],
      [{ client_rights: { ...RIGHTS, technical: '1' } }, '^client_rights.technical must be 0 or 1$'],
    ],
  },
  A5: {
    method: 'PUT',
    path: '/v1/clients/7',
    body: () => ({ name: 'Acme', properties: PROPERTIES }),
    nullable: ['has_privacy_protection', 'hosted_warehouse', 'phone_number', 'website_url'],
  },
  A6: {
    path: connectionsPath(7),
    body: () => CONNECTION,
    nullable: nullInConnection,
    wrong: [
      [{ type: 'postgresql' }, '^type must be "mysql"$'],
      [{ properties: { ...DATABASE, port: 3306 } }, '^properties.port must be a string$'],
      ...[false, 'yes'].map((useSSL): Change => {
        return [{ properties: { ...DATABASE, useSSL } }, '^properties.useSSL must be "true" or "false"$']
      }),
      ...[1, '0'].map((status): Change => [{ properties: { ...DATABASE, status } }, '^properties.status must be "1"$']),
      [{ properties: { ...DATABASE, noPhpPasswordEncryption: '0' } }, '^properties.noPhp.* must be "1"$'],
    ],
  },
  A10: {
    path: '/v1/clients/7/autodash',
    body: (connectionId) => ({ ...dashboardsOn(connectionId), user_id: 5 }),
    optional: ['user_id'],
    wrong: [[{ package: '' }, '^package must be a string that is not empty$']],
  },
}

it.each(Object.entries(ENDPOINTS))(
  '%s: each member that is missing or of another type is refused, any other member ignored',
  async (_, { method = 'POST', path, body: bodyOf, nullable = [], optional = [], wrong = [] }) => {
    await using it = await testService()
    const me = await logIn(it)
    const body = bodyOf(await newConnection(it, 7, me))
    const headers = me.cookie
    const names = [...nullable.map((name) => `properties.${name}`), 'credentials.encryption_password']
    await expectStrict(it, method, path, { body, headers }, { nullable: names, optional })
    for (const [change, reason] of wrong)
      expect(await it.send(method, path, { body: { ...body, ...change }, headers })).toEqual(refusedAnswer(400, reason))
    expect((await it.send(method, path, { body: { ...body, more: { keys: [] } }, headers })).status).toBeLessThan(300)
  },
)
