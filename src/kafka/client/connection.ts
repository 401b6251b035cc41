// Creates kafkajs clients, with their login, log and limits, and closes them.

import type { ConnectionOptions } from 'node:tls'
import kafkajs, { type Consumer, type Kafka, type KafkaConfig } from 'kafkajs'
import type { KafkaConfig as ConnectionConfig, KafkaTlsConfig } from '../../config/stream/stream-config.ts'
import type { BrokerWatch } from './broker-watch.ts'
import type { KafkajsWire } from './wire.ts'
import type { ReadSecret } from '../../core/secret.ts'
import { until } from '../../process/waiting.ts'
import { kafkajsLog, type LogListener } from './kafkajs-log.ts'
import { guardLogin, saslOptions } from './sasl-login.ts'

export interface KafkaConnection extends Pick<
  ConnectionConfig<ReadSecret>,
  'brokers' | 'clientId' | 'tls' | 'sasl' | 'allowInsecureLogin'
> {
  /** Notices brokers that do not answer. Told of each request and answer. */
  readonly watch?: BrokerWatch | undefined
}

/** Retries of kafkajs are few and short: after a longer outage the client is replaced, and the new one looks the coordinator up again. With
 *  kafkajs's defaults (5 times, up to 30 s) a consumer sleeps long after its broker is back. */
const RETRY = { retries: 3, initialRetryTime: 100, maxRetryTime: 1000 } as const
/** kafkajs's default of one second is too short for a broker that is far away or busy. */
const CONNECT_MS = 5000
const REQUEST_MS = 10_000
/** How long before a login expires kafkajs logs in again, at the next request. With its default of 10 s it would do so before every request
 *  where logins are good for less than that, and brokers refuse two logins within a second. */
const LOGIN_AGAIN_MS = 2_000

/** Makes a client; it connects to nothing yet.
 *  @throws ConnectorError if the environment silences its log, which is how a client that ends is noticed */
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

/** Moves brokers from the front of the list to its end, so that each new client begins with another: while the first broker hangs, kafkajs
 *  asks no other. @param by how many to move (modulo their number) */
export function rotateBrokers(connection: KafkaConnection, by: number): KafkaConnection {
  const { brokers } = connection
  const first = by % brokers.length
  return { ...connection, brokers: [...brokers.slice(first), ...brokers.slice(0, first)] }
}

export interface GroupClientOptions {
  readonly connection: KafkaConnection
  readonly group: string
  readonly sessionTimeoutMs: number
  readonly rebalanceTimeoutMs: number
  /** Shorter than the session timeout. */
  readonly heartbeatMs: number
  /** Limits of one fetch: of each partition, and of all together. Brokers exceed them to send a batch whole. */
  readonly maxBytesPerPartition: number
  readonly maxBytes: number
  /** How often new partitions and deleted topics are noticed. */
  readonly metadataMaxAgeMs: number
}

/** How long kafkajs sleeps when all partitions of a broker are paused, as they are after each join, and so how late it notices that one is
 *  resumed. kafkajs has a fetch loop per broker, so a shorter time would keep a client of many brokers busy. */
const IDLE_MS = 20

export function kafkajsGroupClient(options: GroupClientOptions, wire: KafkajsWire, listener: LogListener): Consumer {
  return kafkajsClient(options.connection, wire, listener).consumer({
    groupId: options.group,
    sessionTimeout: options.sessionTimeoutMs,
    rebalanceTimeout: options.rebalanceTimeoutMs,
    heartbeatInterval: options.heartbeatMs,
    // kafkajs also takes it for the time that a broker may hold a fetch; fetches.ts writes another time into each fetch
    maxWaitTimeInMs: IDLE_MS,
    maxBytesPerPartition: options.maxBytesPerPartition,
    maxBytes: options.maxBytes,
    metadataMaxAge: options.metadataMaxAgeMs,
    // asking for a deleted topic must not create an empty one
    allowAutoTopicCreation: false,
    // restarted by itself, kafkajs would go on with the same dead coordinator
    retry: { ...RETRY, restartOnFailure: async () => false },
  })
}

/** How long a clean disconnect may take. */
const CLOSE_MS = 1000

/** Disconnects a client, cleanly if that is soon done: kafkajs waits for requests of connections that may be gone. Never rejects. */
export async function closeKafkajs(client: { disconnect(): Promise<void> }, wire: KafkajsWire): Promise<void> {
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(), CLOSE_MS)
  await until(client.disconnect(), timeout.signal).catch(() => undefined)
  clearTimeout(timer)
  wire[Symbol.dispose]()
}

/** @returns a function that connects at its first call, and again after a failure. It resolves when the client is connected */
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
