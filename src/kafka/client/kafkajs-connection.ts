// How a kafkajs client reaches its brokers. Knows nothing of groups and topics.

import kafkajs, { type Kafka, type KafkaConfig, type Mechanism, type SASLOptions } from 'kafkajs'
import type { ConnectionOptions } from 'node:tls'
import type {
  KafkaConfig as ConnectionConfig,
  KafkaSaslConfig,
  KafkaTlsConfig,
} from '../../config/stream/stream-config.ts'
import { watchedSockets } from './broker-watch.ts'
import type { BrokerWatch } from './broker-watch.ts'
import { registerCodecs } from './kafkajs-codecs.ts'
import { kafkajsLog } from './kafkajs-log.ts'
import type { LogListener } from './kafkajs-log.ts'
import type { KafkajsWire } from './kafkajs-wire.ts'
import { guardLogin } from './login-guard.ts'
import { oauthBearer } from './oauth-bearer.ts'

export interface KafkaConnection extends Pick<
  ConnectionConfig,
  'brokers' | 'clientId' | 'tls' | 'sasl' | 'allowInsecureLogin'
> {
  /** Told how the brokers answer. */
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
  registerCodecs()
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
  if (sasl.mechanism === 'oauthbearer') return oauthBearer(sasl.token)
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
