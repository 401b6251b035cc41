// How a kafkajs client is made, reaches its brokers and is closed.

import type { ConnectionOptions } from 'node:tls'
import kafkajs, {
  type Kafka,
  type KafkaConfig,
  type Mechanism,
  type SASLOptions,
  type logCreator,
  type Logger,
  type logLevel,
} from 'kafkajs'
import type { Consumer, ISocketFactory } from 'kafkajs'
import type {
  KafkaConfig as ConnectionConfig,
  KafkaSaslConfig,
  KafkaTlsConfig,
} from '../../config/stream/stream-config.ts'
import { watchedSockets } from './broker-watch.ts'
import type { BrokerWatch } from './broker-watch.ts'
import type { KafkajsWire } from './wire.ts'
import { ConnectorError } from '../../core/errors.ts'
import { Socket } from 'node:net'
import type { Secret } from '../../core/secret.ts'
import { isThisMachine } from '../../core/network.ts'
import { kafkaErrorType } from './kafka-problem.ts'

export interface KafkaConnection extends Pick<
  ConnectionConfig,
  'brokers' | 'clientId' | 'tls' | 'sasl' | 'allowInsecureLogin'
> {
  /** Called as the brokers answer. */
  readonly watch?: BrokerWatch | undefined
}

/** Few and short: a longer outage is the supervisor's business, which looks the coordinator up again. kafkajs's own
 *  (5 times, up to 30 s) leave a consumer asleep long after its broker is back. */
export const RETRY = { retries: 3, initialRetryTime: 100, maxRetryTime: 1000 } as const
/** kafkajs gives a connection one second: too little for a broker that is far or busy. */
const CONNECT_MS = 5000
const REQUEST_MS = 10_000

/** @throws ConnectorError when the environment silences its log */
export function kafkajsClient(
  connection: KafkaConnection,
  wire: Pick<KafkajsWire, 'socketFactory'>,
  listener: LogListener,
): Kafka {
  const log = kafkajsLog(listener)
  const { watch } = connection
  const config: KafkaConfig = {
    brokers: [...connection.brokers],
    clientId: connection.clientId,
    connectionTimeout: CONNECT_MS,
    requestTimeout: REQUEST_MS,
    retry: RETRY,
    socketFactory: guardLogin(
      connection,
      watch === undefined ? wire.socketFactory : watchedSockets(wire.socketFactory, watch),
    ),
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

function saslOptions(sasl: KafkaSaslConfig): SASLOptions | Mechanism {
  if (sasl.mechanism === 'oauthbearer') return oauthBearer(sasl.readToken ?? (() => Promise.resolve(sasl.token)))
  const { mechanism, username, password } = sasl
  const options: SASLOptions = { mechanism, username, password: password.reveal() }
  return options
}

/** kafkajs asks the first broker, and no other while that one hangs: each client begins with the next. */
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
  /** How long a broker may hold a fetch that finds nothing: the wire needs it too. */
  readonly maxWaitMs: number
  /** Of one fetch. Both are soft: brokers send whole batches of a producer, and there is no limit by records. */
  readonly maxBytesPerPartition: number
  readonly maxBytes: number
  /** New partitions, and topics that are gone, are noticed so often. */
  readonly metadataMaxAgeMs: number
}

/** What kafkajs sleeps whenever all its partitions are paused, and so how late it notices that one no longer is; after joining,
 *  when all are, too. Each broker's fetcher does, so that a shorter one would keep a client of many brokers busy. */
const NAP_MS = 20

export function kafkajsGroupClient(options: GroupClientOptions, wire: KafkajsWire, listener: LogListener): Consumer {
  return kafkajsClient(options.connection, wire, listener).consumer({
    groupId: options.group,
    sessionTimeout: options.sessionTimeoutMs,
    rebalanceTimeout: options.rebalanceTimeoutMs,
    heartbeatInterval: options.heartbeatMs,
    // the wire writes the other one into what is sent
    maxWaitTimeInMs: Math.min(NAP_MS, options.maxWaitMs),
    maxBytesPerPartition: options.maxBytesPerPartition,
    maxBytes: options.maxBytes,
    metadataMaxAge: options.metadataMaxAgeMs,
    // a topic that was deleted must not come back, empty, because it was asked for
    allowAutoTopicCreation: false,
    // it would go on with the same dead coordinator
    retry: { ...RETRY, restartOnFailure: async () => false },
  })
}

/** How long a polite good-bye may take. */
const CLOSE_MS = 1000

/** Never rejects: there is nothing left to save. */
export async function closeKafkajs(client: { disconnect(): Promise<void> }, wire: KafkajsWire): Promise<void> {
  const cut = setTimeout(() => wire[Symbol.dispose](), CLOSE_MS)
  await client.disconnect().catch(() => undefined)
  clearTimeout(cut)
  wire[Symbol.dispose]()
}

/** @returns resolves when it is connected; it is connected at the first call, and after a failure at the next */
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

// kafkajs's own log, listened to: some of what is needed stands nowhere else.

export interface LogListener {
  /** kafkajs is about to jump to another offset, and to forget where it was. Synchronous: what is thrown here keeps it
   *  from both. */
  outOfRange?(topic: string, partition: number): void
  /** The client is about to give up; CRASH comes only after its connections are closed, which may take minutes. */
  crashed?(message: string): void
  /** A broker answered with an error, in kafkajs's words. */
  brokerError?: ((error: string) => void) | undefined
  /** Worth a line in our log. */
  log?: ((message: string) => void) | undefined
}

export interface KafkajsLog {
  readonly level: logLevel
  readonly creator: logCreator
  /** @throws ConnectorError when the environment has silenced the log of the client made with it */
  check(log: Pick<Logger, 'namespace'>): void
}

/** Levels of kafkajs: error, warn. What is below may hold requests and their data. */
const { WARN, ERROR } = kafkajs.logLevel
const OUT_OF_RANGE = 'Offset out of range, resetting to default offset'
/** Logged in other words, or for the second time at once. */
const KNOWN = [
  'Failed to connect to seed broker, trying another broker from the list',
  'The group is rebalancing, re-joining',
  'The coordinator is not aware of this member',
]
const PROBE = 'can this be heard?'

/** Hands on warnings and errors, without their stacks and data. */
export function kafkajsLog(listener: LogListener): KafkajsLog {
  let isHeard = false
  const creator: logCreator =
    () =>
    ({ level, log }) => {
      if (level > WARN) return
      const { message } = log
      const error = typeof log['error'] === 'string' ? log['error'] : undefined
      if (message === OUT_OF_RANGE) listener.outOfRange?.(String(log['topic']), Number(log['partition']))
      else if (level === ERROR && message.startsWith('Crash: '))
        listener.crashed?.(message.replace(/^Crash: \w+: /, ''))
      else if (message.startsWith('Response ')) listener.brokerError?.(error ?? message)
      else if (message === PROBE) isHeard = true
      else if (!KNOWN.some((known) => message.startsWith(known)))
        listener.log?.(error === undefined ? message : `${message}: ${error}`)
    }
  const check = (log: Pick<Logger, 'namespace'>): void => {
    log.namespace('Probe').error(PROBE)
    if (isHeard) return
    const advice = 'it is how a lost offset is noticed. Unset KAFKAJS_LOG_LEVEL.'
    throw new ConnectorError('config', `KAFKAJS_LOG_LEVEL silences the Kafka client's log, and ${advice}`)
  }
  return { level: WARN, creator, check }
}

// The login with a token (SASL OAUTHBEARER, RFC 7628), and where a login goes at all.

/** What ends parts of a message; alone it confirms a refusal. */
const MARK = '\u0001'

/** @param readToken called at each login: tokens expire */
export function oauthBearer(readToken: () => Promise<Secret>): Mechanism {
  return {
    mechanism: 'oauthbearer',
    authenticationProvider: ({ saslAuthenticate }) => ({
      authenticate: async () => {
        const token = await readToken()
        const refusal = await ask(saslAuthenticate, `n,,${MARK}auth=Bearer ${token.reveal()}${MARK}${MARK}`)
        if (refusal === '') return
        await ask(saslAuthenticate, MARK)
        throw refused(refusal)
      },
    }),
  }
}

type Authenticate = Parameters<Mechanism['authenticationProvider']>[0]['saslAuthenticate']

/** @returns what the broker answers; '' is yes @throws when it says no, or nothing */
async function ask(saslAuthenticate: Authenticate, text: string): Promise<string> {
  const bytes = Buffer.from(text)
  const size = Buffer.alloc(4)
  size.writeInt32BE(bytes.length)
  try {
    const answer = await saslAuthenticate<string>({
      request: { encode: () => Buffer.concat([size, bytes]) },
      // the answer too has its size in front
      response: { decode: (raw) => raw, parse: (raw) => raw.toString('utf8', 4) },
    })
    return answer ?? ''
  } catch (error) {
    throw kafkaErrorType(error) === 'SASL_AUTHENTICATION_FAILED' ? refused((error as Error).message) : error
  }
}

/** As kafkajs's own mechanisms end. */
function refused(why: string): Error {
  // its types know no arguments
  const Refused = kafkajs.KafkaJSSASLAuthenticationError as unknown as new (message: string) => Error
  return new Refused(`SASL OAUTHBEARER authentication failed: ${why}`)
}

export interface BrokerLogin {
  /** Undefined: connections are not encrypted. */
  readonly tls: object | undefined
  readonly sasl: { readonly mechanism: string } | undefined
  readonly allowInsecureLogin: boolean
}

/** @returns opens no connection over which a secret would go in the clear: its socket ends with an OpenLoginError */
export function guardLogin({ tls, sasl, allowInsecureLogin }: BrokerLogin, open: ISocketFactory): ISocketFactory {
  const isReadable = sasl?.mechanism === 'plain' || sasl?.mechanism === 'oauthbearer'
  if (tls || !isReadable || allowInsecureLogin) return open
  return (options) => {
    if (isThisMachine(options.host)) return open(options)
    // after who asked for it listens: of an error that is thrown, kafkajs keeps no code
    return new Socket().destroy(new OpenLoginError())
  }
}

class OpenLoginError extends Error {
  readonly code = 'OPEN_LOGIN'

  constructor() {
    super('a login that others can read is not sent there')
  }
}
