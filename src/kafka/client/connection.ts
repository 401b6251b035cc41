// How a kafkajs client is made, reaches its brokers and is closed.

import type { ConnectionOptions } from 'node:tls'
import kafkajs, { type Kafka, type KafkaConfig, type Mechanism, type SASLOptions } from 'kafkajs'
import type { Consumer } from 'kafkajs'
import type {
  KafkaConfig as ConnectionConfig,
  KafkaSaslConfig,
  KafkaTlsConfig,
} from '../../config/stream/stream-config.ts'
import { watchedSockets } from './broker-watch.ts'
import type { BrokerWatch } from './broker-watch.ts'
import { kafkajsLog } from './client-log.ts'
import type { LogListener } from './client-log.ts'
import { guardLogin, oauthBearer } from './login.ts'
import { registerStandIns } from './stand-ins.ts'
import type { KafkajsWire } from './wire.ts'

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
  registerStandIns()
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
