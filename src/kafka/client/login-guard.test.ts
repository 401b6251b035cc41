// To which brokers a connection is opened at all.

import { once } from 'node:events'
import { Socket } from 'node:net'
import type { ISocketFactory } from 'kafkajs'
import { expect, it } from 'vitest'
import type { BrokerLogin } from './login-guard.ts'
import { guardLogin } from './login-guard.ts'

const plain = { mechanism: 'plain' }
const bearer = { mechanism: 'oauthbearer' }

/** Hosts that a connection was opened to, of these. */
async function opened(login: BrokerLogin, hosts: readonly string[]): Promise<string[]> {
  const asked: string[] = []
  const open: ISocketFactory = ({ host }) => {
    asked.push(host)
    return new Socket()
  }
  const guarded = guardLogin(login, open)
  for (const host of hosts) {
    const socket = guarded({ host, port: 9092, ssl: undefined as never, onConnect: () => {} })
    if (asked.includes(host)) continue
    const [error] = (await once(socket, 'error')) as [Error & { code: string }]
    expect(error.code).toBe('OPEN_LOGIN')
  }
  return asked
}

const HERE = ['localhost', '127.0.0.1', '::1']
const THERE = ['kafka.example.com', '127.1', '10.0.0.1', '127.0.0.1.example.com', '0.0.0.0', '::2']

it.each<[string, BrokerLogin]>([
  ['plain', { tls: undefined, sasl: plain, allowInsecureLogin: false }],
  ['oauthbearer', { tls: undefined, sasl: bearer, allowInsecureLogin: false }],
])('a login by %s without TLS stays on this machine', async (_, login) => {
  expect(await opened(login, [...HERE, ...THERE])).toEqual(HERE)
})

it.each<[string, BrokerLogin]>([
  ['with TLS', { tls: {}, sasl: plain, allowInsecureLogin: false }],
  ['that tells no secret', { tls: undefined, sasl: { mechanism: 'scram-sha-512' }, allowInsecureLogin: false }],
  ['that is allowed', { tls: undefined, sasl: bearer, allowInsecureLogin: true }],
  ['that is none', { tls: undefined, sasl: undefined, allowInsecureLogin: false }],
])('a login %s goes anywhere', async (_, login) => {
  expect(await opened(login, [...HERE, ...THERE])).toEqual([...HERE, ...THERE])
})
