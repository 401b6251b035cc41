// What a broker says to a token, and what becomes of it.
// To which brokers a connection is opened at all.

import { once } from 'node:events'
import { Socket } from 'node:net'
import kafkajs from 'kafkajs'
import type { ISocketFactory } from 'kafkajs'
import { describe, expect, it } from 'vitest'
import { Secret } from '../../core/secret.ts'
import { guardLogin, oauthBearer } from './login.ts'
import type { BrokerLogin } from './login.ts'

type Authenticate = Parameters<ReturnType<typeof oauthBearer>['authenticationProvider']>[0]['saslAuthenticate']

function sized(text: string): Buffer {
  const size = Buffer.alloc(4)
  size.writeInt32BE(Buffer.byteLength(text))
  return Buffer.concat([size, Buffer.from(text)])
}

/** @param answers texts, or errors @returns what was sent */
async function logIn(answers: readonly (string | Error)[]): Promise<string[]> {
  const sent: string[] = []
  const saslAuthenticate: Authenticate = async ({ request, response }) => {
    const bytes = await request.encode()
    expect(bytes.readInt32BE(0)).toBe(bytes.length - 4)
    sent.push(bytes.toString('utf8', 4))
    const answer = answers[sent.length - 1]!
    if (answer instanceof Error) throw answer
    return response?.parse(await response.decode(sized(answer)))
  }
  const args = { host: 'one', port: 9092, logger: undefined as never, saslAuthenticate }
  await oauthBearer(async () => new Secret('tökén'))
    .authenticationProvider(args)
    .authenticate()
  return sent
}

const refusal = Object.assign(new kafkajs.KafkaJSNonRetriableError('{"status":"invalid_token"}'), {
  type: 'SASL_AUTHENTICATION_FAILED',
})

describe('oauthBearer', () => {
  it('sends the token as it is, and is in when nothing is said', async () => {
    expect(await logIn([''])).toEqual(['n,,\u0001auth=Bearer tökén\u0001\u0001'])
  })

  it.each([
    ['confirmed', ['{"status":"invalid_token"}', refusal]],
    ['not confirmed', ['{"status":"invalid_token"}', '']],
    ['at once', [refusal]],
  ])('is not in when a refusal is said as data (%s)', async (_, answers) => {
    await expect(logIn(answers)).rejects.toMatchObject({
      name: 'KafkaJSSASLAuthenticationError',
      message: 'SASL OAUTHBEARER authentication failed: {"status":"invalid_token"}',
    })
  })

  it('reads the token again at each login, and is not in where that fails', async () => {
    const tokens = [new Secret('first'), new Secret('second')]
    const login = oauthBearer(async () => tokens.shift() ?? Promise.reject(new Error('the file is gone')))
    const sent: string[] = []
    const saslAuthenticate: Authenticate = async ({ request, response }) => {
      sent.push((await request.encode()).toString('utf8', 4))
      return response?.parse(await response.decode(sized('')))
    }
    const args = { host: 'one', port: 9092, logger: undefined as never, saslAuthenticate }
    await login.authenticationProvider(args).authenticate()
    await login.authenticationProvider(args).authenticate()
    await expect(login.authenticationProvider(args).authenticate()).rejects.toThrow('the file is gone')
    expect(sent).toEqual(['first', 'second'].map((token) => `n,,\u0001auth=Bearer ${token}\u0001\u0001`))
  })

  it('leaves a connection that ends what it is', async () => {
    const error = new Error('Closed connection')
    await expect(logIn([error])).rejects.toBe(error)
  })
})

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
