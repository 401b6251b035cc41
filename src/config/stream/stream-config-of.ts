// The options of `stream`, right as they are, as what `stream` works with: names, units, secrets wrapped.

import { isAbsolute, join } from 'node:path'

import { Secret } from '../../core/secret.ts'
import { readAddress } from '../address.ts'
import { keyPathOf } from '../key-path.ts'
import { limitsOf } from '../limits-of.ts'
import { pemText } from '../pem.ts'
import { readStart } from './start-time.ts'
import type {
  KafkaConfig,
  KafkaTlsConfig,
  RegistryConfig,
  StreamConfig,
  StreamRejectsConfig,
  TopicConfig,
  TopicKeysConfig,
} from './stream-config.ts'
import type { StreamOptions } from './stream-options.ts'
import { wholeNames } from './topic-names.ts'
import type { TlsTexts } from '../tls-problems.ts'
import type { ServiceConfig } from '../write-config.ts'

/** @param folder where paths that are not absolute begin */
export function streamConfigOf(options: StreamOptions, service: ServiceConfig, folder: string): StreamConfig {
  const rejects = rejectsOf(options, folder)
  return {
    service,
    limits: limitsOf(options),
    kafka: kafkaOf(options.kafka),
    registry: registryOf(options),
    tablePrefix: options.table_prefix,
    topics: options.topics.map((topic) => topicOf(topic, rejects.topic)),
    rejects,
    health: options.health,
    commitEveryMs: options.commit_every_seconds * 1_000,
    stallDeadlineMs: options.stall_deadline_seconds * 1_000,
  }
}

function rejectsOf({ dead_letters: letters, log_keys: logKeys }: StreamOptions, folder: string): StreamRejectsConfig {
  const file = letters?.file
  return {
    onRejected: letters === undefined ? 'stop' : 'dead-letter',
    topic: letters?.topic,
    file: file === undefined || isAbsolute(file) ? file : join(folder, file),
    logKeys,
  }
}

function kafkaOf(kafka: StreamOptions['kafka']): KafkaConfig {
  return {
    brokers: [...new Set(kafka.brokers)],
    group: kafka.group,
    clientId: kafka.client_id,
    sessionTimeoutMs: kafka.session_timeout_seconds * 1_000,
    rebalanceTimeoutMs: kafka.rebalance_timeout_seconds * 1_000,
    heartbeatMs: kafka.heartbeat_seconds * 1_000,
    brokerDeadlineMs: kafka.broker_deadline_seconds * 1_000,
    tls: kafka.tls && tlsOf(kafka.tls),
    sasl: kafka.sasl && saslOf(kafka.sasl),
    allowInsecureLogin: kafka.allow_insecure_login,
    topicRefreshMs: kafka.topic_refresh_seconds * 1_000,
  }
}

/** Undefined where no topic needs it. */
function registryOf({ schema_registry: registry, topics }: StreamOptions): RegistryConfig | undefined {
  const isNeeded = topics.some((topic) => topic.value_encoding === 'registry' || topic.key_encoding === 'registry')
  if (registry === undefined || !isNeeded) return undefined
  const read = readAddress(registry.url, true)
  if ('problem' in read) throw new TypeError(`The address ${read.problem}.`)
  const { username, password, token } = registry
  const basic = username === undefined ? undefined : { username, password: new Secret(password!) }
  return { url: read.url, login: token === undefined ? basic : { token: new Secret(token) }, ...tlsOf(registry) }
}

function tlsOf(given: TlsTexts): KafkaTlsConfig {
  const { ca_certificate: ca, client_certificate: certificate, client_key: key } = given
  return {
    caCertificate: pem(ca),
    clientCertificate: pem(certificate),
    clientKey: key === undefined ? undefined : new Secret(pemText(key)),
  }
}

function pem(text: string | undefined): string | undefined {
  return text === undefined ? undefined : pemText(text)
}

function saslOf({ mechanism, username, password, token }: NonNullable<StreamOptions['kafka']['sasl']>) {
  if (mechanism === 'oauthbearer') return { mechanism, token: new Secret(token!) }
  return { mechanism, username: username!, password: new Secret(password!) }
}

function topicOf(options: StreamOptions['topics'][number], deadLetterTopic: string | undefined): TopicConfig {
  const { topic, pattern, start } = options
  const except = deadLetterTopic === undefined ? [] : [deadLetterTopic]
  const read = readStart(start)
  if (typeof read === 'object' && 'problem' in read) throw new TypeError(`The start ${read.problem}.`)
  return {
    topic: topic === undefined ? { pattern: wholeNames(pattern!, except), text: pattern! } : { name: topic },
    format: options.format,
    stream: options.stream === undefined ? undefined : { name: options.stream, namespace: options.namespace },
    valueEncoding: options.value_encoding,
    keyEncoding: options.key_encoding,
    table: options.table,
    sharedTable: options.shared_table,
    keys: keysOf(options.keys),
    nullKeys: options.null_keys,
    epoch: options.keys?.epoch ?? 0,
    tombstones: options.tombstones,
    unavailable: options.unavailable,
    truncate: options.truncate,
    start: read,
    outOfRange: options.out_of_range,
    keepLast: options.keep_last,
  }
}

/** Without keys: Debezium's, which are the record's. */
function keysOf(keys: StreamOptions['topics'][number]['keys']): TopicKeysConfig {
  if (keys?.offset) return { from: 'offset', epoch: keys.epoch ?? 0 }
  if (keys?.value !== undefined) return { from: 'value', paths: keys.value.map(keyPathOf) }
  return { from: 'key', field: typeof keys?.key === 'string' ? keys.key : undefined }
}
