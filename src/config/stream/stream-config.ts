// The config that `stream` works with (what its file says, with defaults), and how it is made of options in which nothing is wrong.

import type { ReadSecret, Secret } from '../../core/secret.ts'
import { urlOf } from '../address.ts'
import { configOf, picked, withoutUndefined, type ConfigOf } from '../config-of.ts'
import { filesReferredTo, memberAt, pathIn, secretReader, type ConfigEnvironment } from '../references.ts'
import { rejectLimits } from '../reject-limits.ts'
import type { ServiceConfig } from '../service-rules.ts'
import type { TlsOptions } from '../tls.ts'
import type { LimitsConfig, RejectLimitsConfig } from '../write/write-load.ts'
import { limits } from '../write/write-options.ts'
import type { PlainPattern } from './plain-pattern.ts'
import { isSameAsKafka } from './registry.ts'
import type { StreamOptions } from './stream-options.ts'
import { wholeNames, type TopicChoice } from './topic-choice.ts'

type TopicOptions = StreamOptions['topics'][number]
type SaslOptions = NonNullable<StreamOptions['kafka']['sasl']>
type OauthOptions = NonNullable<SaslOptions['oauth']>
type RouteOptions = NonNullable<TopicOptions['route']>

/** Times in milliseconds.
 *  @typeParam Source where the secrets of logins come from: as read from a file, a `ReadSecret` or a token server; once there is a client
 *  that asks token servers, `ReadSecret` alone */
export interface StreamConfig<Source = SecretSource> {
  readonly service: ServiceConfig
  readonly limits: LimitsConfig
  readonly kafka: KafkaConfig<Source>
  /** `undefined` when no topic needs it. */
  readonly registry: RegistryConfig<Source> | undefined
  /** The text in front of every table's name, except for names that an entry gives. */
  readonly tablePrefix: string
  /** Added to every row; each once. */
  readonly metadataColumns: StreamOptions['metadata_columns']
  /** Topics, at least one; no two for the same name. */
  readonly topics: readonly TopicConfig[]
  /** Paths of all files that the config refers to. */
  readonly files: readonly string[]
  readonly rejects: StreamRejectsConfig
  /** Limits of topics whose entries have no others. `isShareGiven` says whether the file gives the share: a replay obeys it only then. */
  readonly rejectLimits: RejectLimitsConfig & { readonly isShareGiven: boolean }
  /** The address where /healthz, /readyz and /metrics answer. `undefined` when they do not. */
  readonly health: ConfigOf<StreamOptions['health']>
  readonly commitEveryMs: number
  /** When records wait and none was settled for this time, the process ends with an error that a restart may help. */
  readonly stallDeadlineMs: number
}

export interface KafkaConfig<Source = SecretSource> extends ConfigOf<Omit<StreamOptions['kafka'], 'sasl'>> {
  readonly sasl: KafkaSaslConfig<Source> | undefined
}

export type KafkaTlsConfig = ConfigOf<TlsOptions>

export type KafkaSaslConfig<Source = SecretSource> =
  | {
      readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'
      readonly username: string
      readonly secret: ReadSecret
    }
  | {
      readonly mechanism: 'oauthbearer'
      readonly secret: Source
      /** Sent beside the token. */
      readonly extensions: Readonly<Record<string, string>>
    }

/** A reader of the secret of a login, or the server that its tokens are to be fetched from. */
export type SecretSource = ReadSecret | OauthConfig

/** The server that tokens are fetched from. */
export interface OauthConfig extends KafkaTlsConfig, Pick<OauthOptions, 'scope' | 'audience'> {
  /** The path of its group of options, for messages. */
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
      /** With `oauth: kafka` the same object as that of Kafka's login. */
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
  /** The stream whose records become rows. `undefined` when those of all streams do; without a namespace those of any. */
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
  /** The rules of each listed value's table: the topic's entry with no route, and with what the table has for itself. */
  readonly tables: ReadonlyMap<string, TopicConfig>
  /** Values that have a table though they are not listed: those that match, and at most how many of them. */
  readonly any: { readonly matching: PlainPattern; readonly most: number } | undefined
  readonly others: 'stop' | 'dead-letter' | 'ignore'
}

/** Lists the rules by which an entry's records become rows: those of each listed table, and those of all that are not listed. */
export function rulesOf(entry: TopicConfig): readonly TopicConfig[] {
  if (entry.route === undefined) return [entry]
  return [...entry.route.tables.values(), ...(entry.route.any ? [entry] : [])]
}

/** The choice when the offset to go on at is no longer in the log, or not yet. */
export type OutOfRangePolicy = TopicOptions['out_of_range']

/** How a plain key is read. Where none is given, a whole number is a number, and anything else a text. */
export type PlainKeyType = NonNullable<NonNullable<TopicOptions['keys']>['type']>

export interface StreamRejectsConfig {
  readonly onRejected: 'stop' | 'dead-letter'
  /** The topic or the file that dead letters go to: exactly one, if they are kept. */
  readonly topic: string | undefined
  readonly file: string | undefined
  readonly logKeys: boolean
}

/** Makes the function that reads a secret anew before each login.
 *  @param path of its option
 *  @param secret its value when the config was read */
type ReaderOf = (path: readonly string[], secret: Secret) => ReadSecret

/** Makes the config of options in which nothing was found wrong.
 *  @param service read from the same options
 *  @param given the config as the file has it, with its references */
export function streamConfigOf(
  options: StreamOptions,
  service: ServiceConfig,
  given: unknown,
  environment: ConfigEnvironment,
): StreamConfig {
  const { folder } = environment
  const readerOf: ReaderOf = (path, secret) => secretReader(given, path, secret, environment)
  const isShareGiven = (memberAt(given, 'max_rejected_share') ?? undefined) !== undefined
  const { sasl: saslOptions, ...kafka } = options.kafka
  const sasl = saslOptions && saslOf(saslOptions, readerOf)
  const { topic, file } = options.dead_letters ?? {}
  const copied = { table_prefix: true, health: true, commit_every_seconds: true, stall_deadline_seconds: true }
  return {
    service,
    limits: configOf(picked(options, limits)),
    metadataColumns: [...new Set(options.metadata_columns)],
    kafka: { ...configOf(kafka), brokers: [...new Set(kafka.brokers)], sasl },
    registry: registryOf(options, sasl, readerOf),
    topics: options.topics.map((entry) => topicOf(entry, topic)),
    files: filesReferredTo(given, folder),
    rejects: {
      onRejected: options.dead_letters === undefined ? 'stop' : 'dead-letter',
      topic,
      file: file && pathIn(folder, file),
      logKeys: options.log_keys,
    },
    rejectLimits: { ...configOf(picked(options, rejectLimits)), isShareGiven },
    ...configOf(picked(options, copied)),
  }
}

function saslOf(sasl: SaslOptions, readerOf: ReaderOf): KafkaSaslConfig {
  const { mechanism, username, password, token, oauth, extensions = {} } = sasl
  if (mechanism !== 'oauthbearer')
    return { mechanism, username: username!, secret: readerOf(['kafka', 'sasl', 'password'], password!) }
  const secret = oauth
    ? oauthOf(oauth, ['kafka', 'sasl', 'oauth'], readerOf)
    : readerOf(['kafka', 'sasl', 'token'], token!)
  return { mechanism, secret, extensions }
}

function oauthOf(oauth: OauthOptions, path: readonly string[], readerOf: ReaderOf): OauthConfig {
  const { client_id: clientId, client_secret, assertion, token_url, issuer, ...others } = oauth
  const address = token_url === undefined ? 'issuer' : 'token_url'
  const proof = client_secret === undefined ? 'assertion' : 'client_secret'
  return {
    ...configOf(others),
    group: path.join('.'),
    address: { option: address, url: urlOf((token_url ?? issuer)!) },
    clientId: clientId!,
    proof: { option: proof, read: readerOf([...path, proof], (client_secret ?? assertion)!) },
  }
}

function registryOf(
  { schema_registry: registry, topics }: StreamOptions,
  sasl: KafkaSaslConfig | undefined,
  readerOf: ReaderOf,
): RegistryConfig | undefined {
  const isNeeded = topics.some((topic) => topic.value_encoding === 'registry' || topic.key_encoding === 'registry')
  if (registry === undefined || !isNeeded) return undefined
  const { url, allow_insecure_http: _, oauth, username, password, token, ...others } = registry
  const { logical_cluster: logicalCluster, identity_pool_id: identityPoolId, ...tls } = others
  const bearer = (secret: SecretSource) => ({ kind: 'bearer', secret, logicalCluster, identityPoolId }) as const
  const loginOf = (): RegistryLogin | undefined => {
    if (oauth && isSameAsKafka(oauth)) return bearer(sasl!.secret)
    if (oauth) return bearer(oauthOf(oauth, ['schema_registry', 'oauth'], readerOf))
    if (token) return bearer(readerOf(['schema_registry', 'token'], token))
    if (username === undefined) return undefined
    return { kind: 'basic', username, secret: readerOf(['schema_registry', 'password'], password!) }
  }
  return { url: urlOf(url), login: loginOf(), ...configOf(tls) }
}

function topicOf(given: TopicOptions, deadLetterTopic?: string): TopicConfig {
  const { topic, pattern, stream, namespace, keys, route, ...options } = given
  // no pattern matches the topic of dead letters
  const except = deadLetterTopic === undefined ? [] : [deadLetterTopic]
  const entry = {
    ...configOf(options),
    topic: topic === undefined ? { pattern: wholeNames(pattern!, except), text: pattern! } : { name: topic },
    stream: stream === undefined ? undefined : { name: stream, namespace },
    keys: keysOf(keys),
    tombstones: options.tombstones ?? (options.format === 'debezium' ? 'mark' : 'ignore'),
    epoch: keys?.epoch ?? 0,
    route: undefined,
  }
  return route === undefined ? entry : { ...entry, route: routeOf(route, entry) }
}

function routeOf({ by, tables = {}, any, others }: RouteOptions, entry: TopicConfig): RouteConfig {
  const rulesOfTable = ({ keys, ...tableOptions }: (typeof tables)[string]): TopicConfig => {
    const keyRules = keys && { keys: keysOf(keys), epoch: keys.epoch ?? 0 }
    return { ...entry, ...withoutUndefined(configOf(tableOptions)), ...keyRules }
  }
  return {
    by: configOf(by),
    tables: new Map(Object.entries(tables).map(([value, table]) => [value, rulesOfTable(table)])),
    any,
    others,
  }
}

/** The keys that an entry gives, else those of debezium, from the Kafka key. With other formats each table of the route has keys then. */
function keysOf(keys: TopicOptions['keys']): TopicConfig['keys'] {
  if (keys?.offset) return { from: 'offset', epoch: keys.epoch ?? 0 }
  if (keys?.value !== undefined) return { from: 'value', paths: keys.value }
  return { from: 'key', field: typeof keys?.key === 'string' ? keys.key : undefined, type: keys?.type }
}
