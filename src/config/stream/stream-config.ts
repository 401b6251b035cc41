// The config that `stream` works with, made of valid options.

import { isAbsolute, join } from 'node:path'

import type { Secret } from '../../core/secret.ts'
import { readAddress } from '../address.ts'
import type { ConfigOf } from '../config-of.ts'
import { configOf, given, picked } from '../config-of.ts'
import type { ServiceConfig } from '../service-rules.ts'
import type { TlsOptions } from '../tls.ts'
import { rejectLimits } from '../reject-limits.ts'
import type { LimitsConfig, RejectLimitsConfig } from '../write/write-load.ts'
import { limits } from '../write/write-options.ts'
import { isGroupGiven } from './kafka-rules.ts'
import { PlainPattern } from './plain-pattern.ts'
import type { Start } from './start-time.ts'
import type { StreamOptions } from './stream-options.ts'
import { wholeNames } from './topics.ts'
import type { TopicChoice } from './topics.ts'

type TopicOptions = StreamOptions['topics'][number]
type OauthOptions = NonNullable<NonNullable<StreamOptions['kafka']['sasl']>['oauth']>
type RouteOptions = NonNullable<TopicOptions['route']>

/** Times in milliseconds. */
export interface StreamConfig {
  readonly service: ServiceConfig
  readonly limits: LimitsConfig
  readonly kafka: KafkaConfig
  /** There if a topic needs it. */
  readonly registry: RegistryConfig | undefined
  /** The text in front of every table's name but one an entry gives. */
  readonly tablePrefix: string
  /** Added to every row; each once. */
  readonly metadataColumns: StreamOptions['metadata_columns']
  /** Topics, at least one; no two for the same name. */
  readonly topics: readonly TopicConfig[]
  /** Files that it refers to. */
  readonly files: readonly string[]
  readonly rejects: StreamRejectsConfig
  readonly rejectLimits: StreamRejectLimits
  /** The address where /healthz, /readyz and /metrics answer. `undefined` when they do not. */
  readonly health: ConfigOf<StreamOptions['health']>
  readonly commitEveryMs: number
  /** When nothing was settled for this time although something is there, the process ends (transient). */
  readonly stallDeadlineMs: number
}

export interface KafkaConfig extends ConfigOf<Omit<StreamOptions['kafka'], 'sasl'>> {
  readonly sasl: KafkaSaslConfig | undefined
}

/** PEM texts. */
export type KafkaTlsConfig = ConfigOf<TlsOptions>

export type KafkaSaslConfig =
  | {
      readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'
      readonly username: string
      readonly password: Secret
      readonly again?: ReadAgain
    }
  | {
      readonly mechanism: 'oauthbearer'
      /** `undefined` when the token is fetched. */
      readonly token?: Secret | undefined
      readonly oauth?: OauthConfig | undefined
      readonly again?: ReadAgain
      /** Sent beside the token. */
      readonly extensions?: Readonly<Record<string, string>>
    }

/** The server that a token is fetched from. Addresses have no slash at their end; exactly one of them is there, and
 *  one of secret and assertion. */
export interface OauthConfig extends ConfigOf<Omit<OauthOptions, 'client_id'>> {
  readonly clientId: string
  /** How the secret or assertion is read at a fetch. */
  readonly again: ReadAgain
}

/** Reads the file of a login's secret again: secrets are renewed, and tokens expire. Absent when it is in no file.
 *  @param refused what a server did not accept; where tokens are fetched, another one is fetched then
 *  @throws Error when that cannot be */
export type ReadAgain = (refused?: Secret) => Promise<Secret>

/** The registry that schemas are asked for. */
export interface RegistryConfig extends KafkaTlsConfig {
  /** http(s)://host[:port][/path], without a slash at the end. */
  readonly url: string
  readonly login: RegistryLogin | undefined
}

export type RegistryLogin = { readonly again?: ReadAgain } & (
  | { readonly username: string; readonly password: Secret }
  | {
      /** `undefined` when the token is fetched. */
      readonly token?: Secret | undefined
      readonly oauth?: OauthConfig | 'kafka' | undefined
      readonly logicalCluster?: string
      readonly identityPoolId?: string
    }
)

/** One entry of `topics`. */
export interface TopicConfig extends Omit<
  ConfigOf<TopicOptions>,
  'topic' | 'pattern' | 'stream' | 'namespace' | 'keys' | 'tombstones' | 'route'
> {
  readonly topic: TopicChoice
  /** The stream whose records become rows. `undefined` when those of all streams do; without a namespace those of
   *  any. */
  readonly stream: { readonly name: string; readonly namespace: string | undefined } | undefined
  readonly keys: TopicKeysConfig
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

/** The offset where a partition without committed offset begins. */
export type StartPolicy = Start

/** The choice when the offset to go on at is no longer there, or not yet. */
export type OutOfRangePolicy = TopicOptions['out_of_range']

/** How a plain key is read; when absent, a whole number as a number, anything else as a text. */
export type PlainKeyType = NonNullable<NonNullable<TopicOptions['keys']>['type']>

/** value: fields of the row, by path. key: the Kafka key, an object's fields, or, with `field`, a plain key under that
 *  name. offset: one row per record, by topic, partition, offset and epoch. */
export type TopicKeysConfig =
  | { readonly from: 'value'; readonly paths: readonly (readonly string[])[] }
  | { readonly from: 'key'; readonly field: string | undefined; readonly type?: PlainKeyType | undefined }
  | { readonly from: 'offset'; readonly epoch: number }

export interface StreamRejectsConfig {
  readonly onRejected: 'stop' | 'dead-letter'
  /** The topic or the file that dead letters go to: exactly one, if they are kept. */
  readonly topic: string | undefined
  readonly file: string | undefined
  readonly logKeys: boolean
}

/** For topics whose entries say nothing else. */
export interface StreamRejectLimits extends RejectLimitsConfig {
  /** Whether the share is given: a replay has none by default. */
  readonly isShareGiven: boolean
}

/** Whether a login takes tokens that are fetched. */
export function usesIdentity({ kafka: { sasl }, registry }: Pick<StreamConfig, 'kafka' | 'registry'>): boolean {
  return [sasl, registry?.login].some((login) => login !== undefined && 'oauth' in login && login.oauth !== undefined)
}

interface Around {
  /** How the secret of a login in that group is read again. `undefined` when it is in no file. */
  readonly again: (...group: string[]) => ReadAgain | undefined
  /** The folder where paths that are not absolute begin. */
  readonly folder: string
  readonly files: readonly string[]
  readonly isShareGiven: boolean
}

export function streamConfigOf(
  options: StreamOptions,
  service: ServiceConfig,
  { again, folder, files, isShareGiven }: Around,
): StreamConfig {
  const { sasl, ...kafka } = options.kafka
  const { topic, file } = options.dead_letters ?? {}
  const once = picked(options, {
    table_prefix: true,
    health: true,
    commit_every_seconds: true,
    stall_deadline_seconds: true,
  })
  return {
    service,
    limits: configOf(picked(options, limits)),
    metadataColumns: [...new Set(options.metadata_columns)],
    kafka: { ...configOf(kafka), brokers: [...new Set(kafka.brokers)], sasl: sasl && saslOf(sasl, again) },
    registry: registryOf(options, again),
    topics: options.topics.map((entry) => topicOf(entry, topic)),
    files,
    rejects: {
      onRejected: options.dead_letters === undefined ? 'stop' : 'dead-letter',
      topic,
      file: file === undefined || isAbsolute(file) ? file : join(folder, file),
      logKeys: options.log_keys,
    },
    rejectLimits: { ...configOf(picked(options, rejectLimits)), isShareGiven },
    ...configOf(once),
  }
}

function saslOf(
  { mechanism, username, password, token, extensions, oauth }: NonNullable<StreamOptions['kafka']['sasl']>,
  againIn: Around['again'],
): KafkaSaslConfig {
  const again = againIn('kafka', 'sasl')
  if (mechanism !== 'oauthbearer') return { mechanism, username: username!, password: password!, ...given({ again }) }
  const fetched = oauth && oauthOf(oauth, againIn('kafka', 'sasl', 'oauth'))
  return { mechanism, ...given({ token, again, extensions, oauth: fetched }) }
}

function oauthOf({ client_id: clientId, token_url, issuer, ...rest }: OauthOptions, again?: ReadAgain): OauthConfig {
  const [tokenUrl, issuerUrl] = [token_url, issuer].map((text) => {
    const read = text === undefined ? undefined : readAddress(text, true)
    return read && 'url' in read ? read.url : undefined
  })
  const secret = (rest.client_secret ?? rest.assertion)!
  const addresses = { tokenUrl, issuer: issuerUrl, clientId: clientId! }
  return { ...configOf(rest), ...addresses, again: again ?? (() => Promise.resolve(secret)) }
}

/** The registry. `undefined` when no topic needs it. */
function registryOf(
  { schema_registry: registry, topics }: StreamOptions,
  againIn: Around['again'],
): RegistryConfig | undefined {
  const isNeeded = topics.some((topic) => topic.value_encoding === 'registry' || topic.key_encoding === 'registry')
  if (registry === undefined || !isNeeded) return undefined
  const { url, allow_insecure_http: _, oauth, ...rest } = registry
  const again = againIn('schema_registry')
  const { username, password, token, logical_cluster: logicalCluster, identity_pool_id: identityPoolId, ...tls } = rest
  const read = readAddress(url, true)
  if ('problem' in read) throw new TypeError(`The address ${read.problem}.`)
  const basic = username === undefined ? undefined : { username, password: password!, ...given({ again }) }
  const beside = given({ again, logicalCluster, identityPoolId })
  const fetched =
    oauth && isGroupGiven(oauth) ? oauthOf(oauth, againIn('schema_registry', 'oauth')) : oauth && ('kafka' as const)
  const bearer = token || fetched ? { ...given({ token, oauth: fetched }), ...beside } : undefined
  return { url: read.url, login: bearer ?? basic, ...configOf(tls) }
}

function topicOf(
  { topic, pattern, stream, namespace, keys, route, ...options }: TopicOptions,
  deadLetterTopic: string | undefined,
): TopicConfig {
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
  const ofTable = ({ keys, ...own }: (typeof tables)[string]): TopicConfig => {
    return { ...entry, ...given(configOf(own)), ...(keys && { keys: keysOf(keys), epoch: keys.epoch ?? 0 }) }
  }
  return {
    by: configOf(by),
    tables: new Map(Object.entries(tables).map(([value, own]) => [value, ofTable(own)])),
    any: any && { matching: PlainPattern.read(any.matching) as PlainPattern, most: any.most },
    others,
  }
}

/** Keys of an entry; where it has none Debezium's, which are the record's. */
function keysOf(keys: TopicOptions['keys']): TopicKeysConfig {
  if (keys?.offset) return { from: 'offset', epoch: keys.epoch ?? 0 }
  if (keys?.value !== undefined) return { from: 'value', paths: keys.value }
  return { from: 'key', field: typeof keys?.key === 'string' ? keys.key : undefined, type: keys?.type }
}
