// Logins as brokers see them.

import kafkajs, { type ISocketFactory, type Mechanism } from 'kafkajs'
import { describe, expect, it } from 'vitest'
import { guardLogin, oauthBearer, withFreshPassword } from './sasl-login.ts'
import { SENT_AS_IT_STANDS, type SaslMechanism } from '../../config/stream/kafka-options.ts'

type BrokerLogin = Parameters<typeof guardLogin>[0]
type PasswordOptions = Parameters<typeof withFreshPassword>[0]
import { once } from 'node:events'
import { Socket } from 'node:net'
import { kafkaProblem } from './kafka-problem.ts'
import { Secret } from '../../core/secret.ts'

type Authenticate = Parameters<ReturnType<typeof oauthBearer>['authenticationProvider']>[0]['saslAuthenticate']

function sized(text: string): Buffer {
  const size = Buffer.alloc(4)
  size.writeInt32BE(Buffer.byteLength(text))
  return Buffer.concat([size, Buffer.from(text)])
}

/** @param answers texts, or errors @returns what was sent */
async function logIn(
  answers: readonly (string | Error)[],
  extensions?: Readonly<Record<string, string>>,
): Promise<string[]> {
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
  await oauthBearer(async () => new Secret('tökén'), extensions)
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

  it.each<[string, Readonly<Record<string, string>>]>([
    ['', {}],
    ['logicalCluster=lkc-1\u0001', { logicalCluster: 'lkc-1' }],
    ['b=2\u0001a=1 = x\u0001C=3\u0001', { b: '2', a: '1 = x', C: '3' }],
  ])('sends extensions behind the token, in their order: %j', async (bytes, extensions) => {
    expect(await logIn([''], extensions)).toEqual([`n,,\u0001auth=Bearer tökén\u0001${bytes}\u0001`])
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

  it('asks for another token once the broker has refused this one', async () => {
    const token = new Secret('first')
    const asked: (Secret | undefined)[] = []
    const login = oauthBearer(async (refused) => (asked.push(refused), token))
    const saslAuthenticate: Authenticate = () => Promise.reject(refusal)
    const args = { host: 'one', port: 9092, logger: undefined as never, saslAuthenticate }
    await expect(login.authenticationProvider(args).authenticate()).rejects.toThrow('invalid_token')
    expect(asked).toEqual([undefined, token])
  })

  it('takes a token of another owner for no wrong configuration: the client is replaced', async () => {
    const text = 'Cannot change principals during re-authentication from User.a: User.b'
    const error = await logIn([Object.assign(new Error(text), { type: 'SASL_AUTHENTICATION_FAILED' })]).catch(
      (error: unknown) => error,
    )
    expect(error).toMatchObject({ name: 'KafkaJSNonRetriableError', retriable: false })
    expect(kafkaProblem(error, { brokers: [], group: 'g' })).toEqual({
      kind: 'passing',
      text: 'the renewed token names another owner than the one before, so the connections are opened anew',
    })
  })

  it('that gets no token ends the client, and says whose fault it is', async () => {
    const gone = Object.assign(new Error('the token server a:1 gives no token: timeout'), {
      code: 'NO_TOKEN',
      remedy: 'Check it.',
    })
    const login = oauthBearer(() => Promise.reject(gone))
    const error = await login
      .authenticationProvider({} as never)
      .authenticate()
      .catch((error: unknown) => error)
    expect(error).toMatchObject({ name: 'KafkaJSNonRetriableError', retriable: false })
    const problem = { kind: 'passing', text: gone.message, code: 'identity.unreachable', remedy: 'Check it.' }
    expect(kafkaProblem(error, { brokers: [], group: 'g' })).toEqual(problem)
  })

  it('leaves a connection that ends what it is', async () => {
    const error = new Error('Closed connection')
    await expect(logIn([error])).rejects.toBe(error)
  })
})

const plain = { mechanism: 'plain' } as const
const bearer = { mechanism: 'oauthbearer' } as const

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

const MECHANISMS = Object.keys(SENT_AS_IT_STANDS) as SaslMechanism[]

it.each(MECHANISMS)(
  'a login by %s without TLS stays on this machine where what it sends is enough to log in',
  async (mechanism) => {
    const login = { tls: undefined, sasl: { mechanism }, allowInsecureLogin: false }
    const everywhere = [...HERE, ...THERE]
    expect(await opened(login, everywhere)).toEqual(mechanism.startsWith('scram-') ? everywhere : HERE)
  },
)

it('the file of a password is read again at each login, before kafkajs looks at it', async () => {
  const passwords = ['second', 'third']
  const again = async (): Promise<Secret> => {
    const next = passwords.shift()
    if (next === undefined) throw new Error('the file is gone')
    return new Secret(next)
  }
  const options: PasswordOptions & Partial<Pick<Mechanism, 'authenticationProvider'>> = withFreshPassword(
    { mechanism: 'plain', username: 'ada', password: 'first' },
    again,
  )
  const used: string[] = []
  expect(options.authenticationProvider).toBeUndefined()
  options.authenticationProvider = () => ({ authenticate: async () => void used.push(options.password) })
  const login = (): Promise<void> => options.authenticationProvider!({} as never).authenticate()
  await Promise.all([login(), login()])
  await expect(login()).rejects.toThrow('the file is gone')
  expect(used).toEqual(['second', 'third'])
})

it.each<[string, BrokerLogin]>([
  ['with TLS', { tls: {}, sasl: plain, allowInsecureLogin: false }],
  ['that tells no secret', { tls: undefined, sasl: { mechanism: 'scram-sha-512' }, allowInsecureLogin: false }],
  ['that is allowed', { tls: undefined, sasl: bearer, allowInsecureLogin: true }],
  ['that is none', { tls: undefined, sasl: undefined, allowInsecureLogin: false }],
])('a login %s goes anywhere', async (_, login) => {
  expect(await opened(login, [...HERE, ...THERE])).toEqual([...HERE, ...THERE])
})
