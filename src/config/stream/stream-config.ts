// The config that `stream` works with: what its file says, checked, with defaults. make-stream-config.ts makes it.

import type { ReadSecret } from '../../core/secret.ts'
import type { ConfigOf } from '../config-of.ts'
import type { ServiceConfig } from '../service-rules.ts'
import type { TlsOptions } from '../tls.ts'
import type { LimitsConfig, RejectLimitsConfig } from '../write/write-load.ts'
import type { PlainPattern } from './plain-pattern.ts'
import type { StreamOptions } from './stream-options.ts'
import type { TopicChoice } from './topic-choice.ts'

type TopicOptions = StreamOptions['topics'][number]
type OauthOptions = NonNullable<NonNullable<StreamOptions['kafka']['sasl']>['oauth']>
type RouteOptions = NonNullable<TopicOptions['route']>

/** Times in milliseconds.
 *  @typeParam Source of the secrets of logins: files, variables and token servers; `ReadSecret` once token servers are asked */
export interface StreamConfig<Source = SecretSource> {
  readonly service: ServiceConfig
  readonly limits: LimitsConfig
  readonly kafka: KafkaConfig<Source>
  /** There if a topic needs it. */
  readonly registry: RegistryConfig<Source> | undefined
  /** The text in front of every table's name but one an entry gives. */
  readonly tablePrefix: string
  /** Added to every row; each once. */
  readonly metadataColumns: StreamOptions['metadata_columns']
  /** Topics, at least one; no two for the same name. */
  readonly topics: readonly TopicConfig[]
  /** Files that it refers to. */
  readonly files: readonly string[]
  readonly rejects: StreamRejectsConfig
  /** Limits of topics whose entries say nothing else. `isShareGiven`: whether the file gives the share, as a replay has none by default. */
  readonly rejectLimits: RejectLimitsConfig & { readonly isShareGiven: boolean }
  /** The address where /healthz, /readyz and /metrics answer. `undefined` when they do not. */
  readonly health: ConfigOf<StreamOptions['health']>
  readonly commitEveryMs: number
  /** When nothing was settled for this time although something is there, the process ends (transient). */
  readonly stallDeadlineMs: number
}

export interface KafkaConfig<Source = SecretSource> extends ConfigOf<Omit<StreamOptions['kafka'], 'sasl'>> {
  readonly sasl: KafkaSaslConfig<Source> | undefined
}

/** PEM texts. */
export type KafkaTlsConfig = ConfigOf<TlsOptions>

export type KafkaSaslConfig<Source = SecretSource> =
  | {
      readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'
      readonly username: string
      /** The password's. */
      readonly secret: ReadSecret
    }
  | {
      readonly mechanism: 'oauthbearer'
      /** The token's. */
      readonly secret: Source
      /** Sent beside the token. */
      readonly extensions: Readonly<Record<string, string>>
    }

export type SecretSource = ReadSecret | OauthConfig

/** The server that tokens are fetched from. */
export interface OauthConfig extends KafkaTlsConfig, Pick<OauthOptions, 'scope' | 'audience'> {
  /** Path of the group of options. */
  readonly group: string
  /** The address that gives tokens, or the issuer's, below which that one is named; without a slash at its end. */
  readonly address: { readonly option: 'token_url' | 'issuer'; readonly url: string }
  readonly clientId: string
  /** The secret that the client proves itself with. */
  readonly proof: { readonly option: 'client_secret' | 'assertion'; readonly read: ReadSecret }
  readonly clientAuth: OauthOptions['client_auth']
}

/** The registry that schemas are asked for. */
export interface RegistryConfig<Source = SecretSource> extends KafkaTlsConfig {
  /** http(s)://host[:port][/path], without a slash at the end. */
  readonly url: string
  readonly login: RegistryLogin<Source> | undefined
}

export type RegistryLogin<Source = SecretSource> =
  | { readonly kind: 'basic'; readonly username: string; readonly secret: ReadSecret }
  | {
      readonly kind: 'bearer'
      /** The same object as Kafka's, if it is Kafka's. */
      readonly secret: Source
      readonly logicalCluster: string | undefined
      readonly identityPoolId: string | undefined
    }

/** One entry of `topics`. */
export interface TopicConfig extends Omit<
  ConfigOf<TopicOptions>,
  'topic' | 'pattern' | 'stream' | 'namespace' | 'keys' | 'tombstones' | 'route'
> {
  readonly topic: TopicChoice
  /** The stream whose records become rows. `undefined` when those of all streams do; without a namespace those of
   *  any. */
  readonly stream: { readonly name: string; readonly namespace: string | undefined } | undefined
  /** value: fields of the row, by path. key: the Kafka key, an object's fields, or, with `field`, a plain key under that name. offset:
   *  one row per record, by topic, partition, offset and epoch. */
  readonly keys:
    | { readonly from: 'value'; readonly paths: readonly (readonly string[])[] }
    | { readonly from: 'key'; readonly field: string | undefined; readonly type?: PlainKeyType | undefined }
    | { readonly from: 'offset'; readonly epoch: number }
  readonly tombstones: NonNullable<TopicOptions['tombstones']>
  /** `_kafka_epoch` of rows that are identified by their offset, be it by `keys` or by `nullKeys`. */
  readonly epoch: number
  /** `undefined` when all its records go to one table. */
  readonly route: RouteConfig | undefined
}

export interface RouteConfig {
  /** The part of a record that names its table. */
  readonly by: Partial<ConfigOf<RouteOptions['by']>>
  /** Entries by value: the entry, with what the table has for itself, and without a route. */
  readonly tables: ReadonlyMap<string, TopicConfig>
  /** Values that are not listed and have a table too, and how many of them. */
  readonly any: { readonly matching: PlainPattern; readonly most: number } | undefined
  readonly others: 'stop' | 'dead-letter' | 'ignore'
}

/** Rules by which an entry's records become rows: one for each of its tables, or kind of tables. */
export function rulesOf(entry: TopicConfig): readonly TopicConfig[] {
  if (entry.route === undefined) return [entry]
  return [...entry.route.tables.values(), ...(entry.route.any ? [entry] : [])]
}

/** The choice when the offset to go on at is no longer there, or not yet. */
export type OutOfRangePolicy = TopicOptions['out_of_range']

/** How a plain key is read; when absent, a whole number as a number, anything else as a text. */
export type PlainKeyType = NonNullable<NonNullable<TopicOptions['keys']>['type']>

export interface StreamRejectsConfig {
  readonly onRejected: 'stop' | 'dead-letter'
  /** The topic or the file that dead letters go to: exactly one, if they are kept. */
  readonly topic: string | undefined
  readonly file: string | undefined
  readonly logKeys: boolean
}
