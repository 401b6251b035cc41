// Creates kafkajs clients, with their login and log, and closes them.

import type { ConnectionOptions } from 'node:tls'
import kafkajs from 'kafkajs'
import type { Consumer, ISocketFactory, Kafka, KafkaConfig, Mechanism, SASLOptions } from 'kafkajs'
import type {
  KafkaConfig as ConnectionConfig,
  KafkaSaslConfig,
  KafkaTlsConfig,
} from '../../config/stream/stream-config.ts'
import { SENT_AS_IT_STANDS } from '../../config/stream/kafka-options.ts'
import type { SaslMechanism } from '../../config/stream/kafka-options.ts'
import type { BrokerWatch } from './broker-watch.ts'
import type { KafkajsWire } from './wire.ts'
import { Socket } from 'node:net'
import type { ReadSecret } from '../../core/secret.ts'
import { isThisMachine } from '../../config/this-machine.ts'
import { asError, until } from '../../process/waiting.ts'
import { isLoginRefused, kafkaErrorType } from './kafka-problem.ts'
import { kafkajsLog } from './kafkajs-log.ts'
import type { LogListener } from './kafkajs-log.ts'

export interface KafkaConnection extends Pick<
  ConnectionConfig<ReadSecret>,
  'brokers' | 'clientId' | 'tls' | 'sasl' | 'allowInsecureLogin'
> {
  /** Called as the brokers answer. */
  readonly watch?: BrokerWatch | undefined
}

/** Few and short: after a longer outage the client is replaced, and the new one looks the coordinator up again. With kafkajs's
 *  defaults (5 times, up to 30 s) a consumer sleeps long after its broker is back. */
export const RETRY = { retries: 3, initialRetryTime: 100, maxRetryTime: 1000 } as const
/** kafkajs's default of one second is too short for a broker that is far away or busy. */
const CONNECT_MS = 5000
const REQUEST_MS = 10_000
/** How long before the end of a session kafkajs logs in again, at the next request. With its default of 10 s it would do so before
 *  every request of a short session, and brokers refuse two logins within a second. */
const LOGIN_AGAIN_MS = 2_000

/** @throws ConnectorError if the environment silences its log */
export function kafkajsClient(
  connection: KafkaConnection,
  wire: Pick<KafkajsWire, 'socketFactory'>,
  listener: LogListener,
): Kafka {
  const log = kafkajsLog(listener)
  const config: KafkaConfig = {
    brokers: [...connection.brokers],
    clientId: connection.clientId,
    connectionTimeout: CONNECT_MS,
    requestTimeout: REQUEST_MS,
    reauthenticationThreshold: LOGIN_AGAIN_MS,
    retry: RETRY,
    socketFactory: guardLogin(connection, wire.socketFactory),
    logLevel: log.level,
    logCreator: log.creator,
    ...(connection.tls ? { ssl: tlsOptions(connection.tls) } : {}),
    ...(connection.sasl ? { sasl: saslOptions(connection.sasl) } : {}),
  }
  const client = new kafkajs.Kafka(config)
  log.check(client.logger())
  return client
}

function tlsOptions(tls: KafkaTlsConfig): ConnectionOptions {
  return {
    ...(tls.caCertificate === undefined ? {} : { ca: tls.caCertificate }),
    ...(tls.clientCertificate === undefined ? {} : { cert: tls.clientCertificate }),
    ...(tls.clientKey === undefined ? {} : { key: tls.clientKey.reveal() }),
  }
}

function saslOptions(sasl: KafkaSaslConfig<ReadSecret>): SASLOptions | Mechanism {
  const { mechanism, secret } = sasl
  if (mechanism === 'oauthbearer') return oauthBearer(secret, sasl.extensions)
  return withFreshPassword({ mechanism, username: sasl.username, password: '' }, secret)
}

type PasswordOptions = Extract<SASLOptions, { password: string }>
type Provider = Mechanism['authenticationProvider']

/** kafkajs sets its own provider where an option's `authenticationProvider` is absent, and that one looks at the password when it
 *  logs in. Ours reads it before.
 *  @param secret called at each login */
export function withFreshPassword(options: PasswordOptions, secret: ReadSecret): PasswordOptions {
  let provider: Provider | undefined
  return Object.defineProperty(options, 'authenticationProvider', {
    get: () => provider,
    set(own: Provider) {
      provider = (given) => ({
        async authenticate() {
          options.password = (await secret().catch(unread)).reveal()
          await own(given).authenticate()
        },
      })
    },
  })
}

/** Rotates the brokers: kafkajs asks no other than the first one while that one hangs, so each client begins with the next. */
export function beginningAt(connection: KafkaConnection, times: number): KafkaConnection {
  const { brokers } = connection
  const first = times % brokers.length
  return { ...connection, brokers: [...brokers.slice(first), ...brokers.slice(0, first)] }
}

/** Times in milliseconds. */
export interface GroupClientOptions {
  readonly connection: KafkaConnection
  readonly group: string
  readonly sessionTimeoutMs: number
  readonly rebalanceTimeoutMs: number
  /** Shorter than the session timeout. */
  readonly heartbeatMs: number
  /** How long a broker may hold a fetch that finds nothing. */
  readonly maxWaitMs: number
  /** Limit of one fetch. Both limits are soft: brokers send whole batches, and there is no limit by number of
   *  records. */
  readonly maxBytesPerPartition: number
  readonly maxBytes: number
  /** How often new partitions and deleted topics are noticed. */
  readonly metadataMaxAgeMs: number
}

/** How long kafkajs sleeps whenever all partitions of a broker are paused, and so how late it notices a resume. They all are after
 *  joining, too. There is a fetch loop per broker, so a shorter time would keep a client of many brokers busy. */
const IDLE_MS = 20

export function kafkajsGroupClient(options: GroupClientOptions, wire: KafkajsWire, listener: LogListener): Consumer {
  return kafkajsClient(options.connection, wire, listener).consumer({
    groupId: options.group,
    sessionTimeout: options.sessionTimeoutMs,
    rebalanceTimeout: options.rebalanceTimeoutMs,
    heartbeatInterval: options.heartbeatMs,
    // also how long kafkajs sleeps; the wire writes the real wait into each fetch
    maxWaitTimeInMs: Math.min(IDLE_MS, options.maxWaitMs),
    maxBytesPerPartition: options.maxBytesPerPartition,
    maxBytes: options.maxBytes,
    metadataMaxAge: options.metadataMaxAgeMs,
    // asking for a deleted topic must not create an empty one
    allowAutoTopicCreation: false,
    // kafkajs would go on with the same dead coordinator
    retry: { ...RETRY, restartOnFailure: async () => false },
  })
}

/** How long a clean disconnect may take. */
const CLOSE_MS = 1000

/** Never rejects. */
export async function closeKafkajs(client: { disconnect(): Promise<void> }, wire: KafkajsWire): Promise<void> {
  const cut = new AbortController()
  const timer = setTimeout(() => cut.abort(), CLOSE_MS)
  // it waits for requests of connections that may be gone
  await until(client.disconnect(), cut.signal).catch(() => undefined)
  clearTimeout(timer)
  wire[Symbol.dispose]()
}

/** @returns connects at the first call, and again after a failure; resolves when connected */
export function connectOnce(client: { connect(): Promise<void> }): () => Promise<void> {
  let connecting: Promise<void> | undefined
  return async () => {
    connecting ??= client.connect()
    try {
      await connecting
    } catch (error) {
      connecting = undefined
      throw error
    }
  }
}

// Login with a token (SASL OAUTHBEARER, RFC 7628), and the guard against a login over an open connection.

/** Separates parts of a message; alone it acknowledges a refusal. */
const SEPARATOR = '\u0001'

// its type declares one argument
const Final = kafkajs.KafkaJSNonRetriableError as new (error: Error | string, more?: { cause: unknown }) => Error

/** kafkajs would go on with the login that it has begun, and fall silent: instead, the client is replaced. */
function unread(error: unknown): never {
  const cause = asError(error)
  throw new Final(cause, { cause })
}

/** A renewed token may name its owner in another way, and brokers take it on a new connection only. A client that opens some of its
 *  connections anew may fall silent, so the whole of it is replaced at once. */
const OTHER_OWNER = /Cannot change principals/
const ANEW = 'the renewed token names another owner than the one before, so the connections are opened anew'

/** @param readToken called at each login, and after one with the token that the broker refused
 *  @param extensions by their names: what is sent beside the token */
export function oauthBearer(readToken: ReadSecret, extensions: Readonly<Record<string, string>> = {}): Mechanism {
  const beside = Object.entries(extensions).map(([name, value]) => `${name}=${value}${SEPARATOR}`)
  return {
    mechanism: 'oauthbearer',
    authenticationProvider: ({ saslAuthenticate }) => ({
      authenticate: async () => {
        const token = await readToken().catch(unread)
        const sent = `n,,${SEPARATOR}auth=Bearer ${token.reveal()}${SEPARATOR}${beside.join('')}${SEPARATOR}`
        try {
          const refusal = await ask(saslAuthenticate, sent)
          if (refusal === '') return
          await ask(saslAuthenticate, SEPARATOR)
          throw refused(refusal)
        } catch (error) {
          if (OTHER_OWNER.test((error as Error).message)) throw new Final(ANEW)
          // another one, where there is another: the next login waits for it
          if (isLoginRefused(error)) void readToken(token).catch(() => {})
          throw error
        }
      },
    }),
  }
}

type Authenticate = Parameters<Mechanism['authenticationProvider']>[0]['saslAuthenticate']

/** @returns the broker's answer; '' means success @throws if it refuses, or does not answer */
async function ask(saslAuthenticate: Authenticate, text: string): Promise<string> {
  const bytes = Buffer.from(text)
  const size = Buffer.alloc(4)
  size.writeInt32BE(bytes.length)
  try {
    const answer = await saslAuthenticate<string>({
      request: { encode: () => Buffer.concat([size, bytes]) },
      // the answer begins with its size too
      response: { decode: (raw) => raw, parse: (raw) => raw.toString('utf8', 4) },
    })
    return answer ?? ''
  } catch (error) {
    throw kafkaErrorType(error) === 'SASL_AUTHENTICATION_FAILED' ? refused((error as Error).message) : error
  }
}

/** The same error as from kafkajs's own mechanisms. */
function refused(why: string): Error {
  // its type declares no arguments
  const Refused = kafkajs.KafkaJSSASLAuthenticationError as unknown as new (message: string) => Error
  return new Refused(`SASL OAUTHBEARER authentication failed: ${why}`)
}

interface BrokerLogin {
  /** `undefined` when connections are not encrypted. */
  readonly tls: object | undefined
  readonly sasl: { readonly mechanism: SaslMechanism } | undefined
  readonly allowInsecureLogin: boolean
}

/** @returns a factory that opens no connection on which a secret would be sent unencrypted: the socket ends with an OpenLoginError */
export function guardLogin({ tls, sasl, allowInsecureLogin }: BrokerLogin, open: ISocketFactory): ISocketFactory {
  if (tls || !sasl || SENT_AS_IT_STANDS[sasl.mechanism] === undefined || allowInsecureLogin) return open
  return (options) => {
    if (isThisMachine(options.host)) return open(options)
    // kafkajs keeps the code of a socket's error, but not of an error thrown here
    return new Socket().destroy(new OpenLoginError())
  }
}

class OpenLoginError extends Error {
  readonly code = 'OPEN_LOGIN'

  constructor() {
    super('a login that others can read is not sent there')
  }
}
