// What `stream` works with: values that cannot be wrong. Knows no file and no schema.

import type { Secret } from '../../core/secret.ts'
import type { LimitsConfig, ServiceConfig } from '../write-config.ts'

/** Times in milliseconds. */
export interface StreamConfig {
  readonly service: ServiceConfig
  readonly limits: LimitsConfig
  readonly kafka: KafkaConfig
  /** There if a topic needs it. */
  readonly registry: RegistryConfig | undefined
  /** In front of every table's name but one an entry gives. */
  readonly tablePrefix: string
  /** At least one; no two for the same name. */
  readonly topics: readonly TopicConfig[]
  readonly rejects: StreamRejectsConfig
  /** Where /healthz, /readyz and /metrics answer; undefined: nowhere. */
  readonly health: { readonly host: string; readonly port: number } | undefined
  readonly commitEveryMs: number
  /** With nothing settled for so long although something is there, the process ends (transient). */
  readonly stallDeadlineMs: number
}

export interface KafkaConfig {
  /** host:port, at least one. */
  readonly brokers: readonly string[]
  readonly group: string
  readonly clientId: string
  readonly sessionTimeoutMs: number
  readonly rebalanceTimeoutMs: number
  readonly heartbeatMs: number
  /** How long brokers may be out of reach before the process ends. */
  readonly brokerDeadlineMs: number
  readonly tls: KafkaTlsConfig | undefined
  readonly sasl: KafkaSaslConfig | undefined
  /** Whether a secret may go in the clear to a broker of another machine. */
  readonly allowInsecureLogin: boolean
  /** New topics of a pattern are looked for so often. */
  readonly topicRefreshMs: number
}

/** PEM texts. */
export interface KafkaTlsConfig {
  readonly caCertificate: string | undefined
  readonly clientCertificate: string | undefined
  readonly clientKey: Secret | undefined
}

export type KafkaSaslConfig =
  | {
      readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'
      readonly username: string
      readonly password: Secret
    }
  | {
      readonly mechanism: 'oauthbearer'
      readonly token: Secret
      /** Reads its file again, for the next login: tokens expire. @throws when that cannot be. Absent: it is in none */
      readonly readToken?: () => Promise<Secret>
    }

/** Where schemas are asked for; PEM texts. */
export interface RegistryConfig {
  /** http(s)://host[:port][/path], without a slash at the end. */
  readonly url: string
  readonly login: { readonly username: string; readonly password: Secret } | { readonly token: Secret } | undefined
  readonly caCertificate: string | undefined
  readonly clientCertificate: string | undefined
  readonly clientKey: Secret | undefined
}

/** One entry of `topics`. */
export interface TopicConfig {
  /** A topic's name, or a pattern for names: matches whole names, never internal topics nor that of the dead letters;
   *  `text`: as the user wrote it. */
  readonly topic: { readonly name: string } | { readonly pattern: RegExp; readonly text: string }
  readonly format: 'json' | 'airbyte' | 'debezium'
  /** Of airbyte: whose records are rows, of any namespace if that is undefined; undefined: those of all streams. */
  readonly stream: { readonly name: string; readonly namespace: string | undefined } | undefined
  /** registry: not JSON itself, but what a schema of the registry makes JSON of. */
  readonly valueEncoding: 'text' | 'registry'
  /** Asked for where the record key tells rows apart. */
  readonly keyEncoding: 'text' | 'registry'
  /** undefined: the topic's name, made into a name as decisions.md#a-table-is-named-by-its-stream-alone says. */
  readonly table: string | undefined
  /** Whether other topics that say so too may have the same table. */
  readonly sharedTable: boolean
  readonly keys: TopicKeysConfig
  readonly nullKeys: 'offset' | 'dead-letter' | 'stop'
  /** `_kafka_epoch` of rows told apart by their offset, be it by `keys` or by `nullKeys`. */
  readonly epoch: number
  readonly tombstones: 'ignore' | 'mark' | 'dead-letter' | 'fail'
  readonly unavailable: 'fail' | 'dead-letter' | 'null'
  readonly truncate: 'stop' | 'ignore'
  readonly start: StartPolicy
  readonly outOfRange: OutOfRangePolicy
  readonly keepLast: boolean
}

/** Where a partition without committed offset begins. */
export type StartPolicy = 'earliest' | 'latest' | { readonly timestamp: bigint }

/** What is done when the offset to go on at is no longer there, or not yet. */
export type OutOfRangePolicy = 'stop' | 'earliest' | 'latest'

/** value: fields of the row, by path. key: the Kafka key, an object's fields, or, with `field`, a plain key under that
 *  name. offset: every record a row, by topic, partition, offset and epoch. */
export type TopicKeysConfig =
  | { readonly from: 'value'; readonly paths: readonly (readonly string[])[] }
  | { readonly from: 'key'; readonly field: string | undefined }
  | { readonly from: 'offset'; readonly epoch: number }

export interface StreamRejectsConfig {
  readonly onRejected: 'stop' | 'dead-letter'
  /** Where dead letters go: exactly one, if they are kept. */
  readonly topic: string | undefined
  readonly file: string | undefined
  readonly logKeys: boolean
}
