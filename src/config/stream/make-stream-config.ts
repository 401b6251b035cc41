// Makes the config of `stream` of options that are right, each alone and with the others.

import type { ReadSecret, Secret } from '../../core/secret.ts'
import { urlOf } from '../address.ts'
import { configOf, given, picked } from '../config-of.ts'
import { pathIn } from '../references.ts'
import { rejectLimits } from '../reject-limits.ts'
import type { ServiceConfig } from '../service-rules.ts'
import { limits } from '../write/write-options.ts'
import { PlainPattern } from './plain-pattern.ts'
import { isKafkas } from './registry-options.ts'
import type {
  KafkaSaslConfig,
  OauthConfig,
  RegistryConfig,
  RegistryLogin,
  RouteConfig,
  SecretSource,
  StreamConfig,
  TopicConfig,
} from './stream-config.ts'
import type { StreamOptions } from './stream-options.ts'
import { wholeNames } from './topic-choice.ts'

type TopicOptions = StreamOptions['topics'][number]
type SaslOptions = NonNullable<StreamOptions['kafka']['sasl']>
type OauthOptions = NonNullable<SaslOptions['oauth']>
type RouteOptions = NonNullable<TopicOptions['route']>

export interface ReadAround {
  /** How the secret of a login is read before each login. */
  readonly readerOf: (path: readonly string[], secret: Secret) => ReadSecret
  /** The folder where paths that are not absolute begin. */
  readonly folder: string
  readonly files: readonly string[]
  readonly isShareGiven: boolean
}

export function streamConfigOf(
  options: StreamOptions,
  service: ServiceConfig,
  { readerOf, folder, files, isShareGiven }: ReadAround,
): StreamConfig {
  const { sasl: saslOptions, ...kafka } = options.kafka
  const sasl = saslOptions && saslOf(saslOptions, readerOf)
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
    kafka: { ...configOf(kafka), brokers: [...new Set(kafka.brokers)], sasl },
    registry: registryOf(options, sasl, readerOf),
    topics: options.topics.map((entry) => topicOf(entry, topic)),
    files,
    rejects: {
      onRejected: options.dead_letters === undefined ? 'stop' : 'dead-letter',
      topic,
      file: file && pathIn(folder, file),
      logKeys: options.log_keys,
    },
    rejectLimits: { ...configOf(picked(options, rejectLimits)), isShareGiven },
    ...configOf(once),
  }
}

function saslOf(sasl: SaslOptions, readerOf: ReadAround['readerOf']): KafkaSaslConfig {
  const { mechanism, username, password, token, oauth, extensions = {} } = sasl
  if (mechanism !== 'oauthbearer')
    return { mechanism, username: username!, secret: readerOf(['kafka', 'sasl', 'password'], password!) }
  const secret = oauth
    ? oauthOf(oauth, ['kafka', 'sasl', 'oauth'], readerOf)
    : readerOf(['kafka', 'sasl', 'token'], token!)
  return { mechanism, secret, extensions }
}

function oauthOf(oauth: OauthOptions, path: readonly string[], readerOf: ReadAround['readerOf']): OauthConfig {
  const { client_id: clientId, client_secret, assertion, token_url, issuer, ...rest } = oauth
  const address = token_url === undefined ? 'issuer' : 'token_url'
  const proof = client_secret === undefined ? 'assertion' : 'client_secret'
  return {
    ...configOf(rest),
    group: path.join('.'),
    address: { option: address, url: urlOf((token_url ?? issuer)!) },
    clientId: clientId!,
    proof: { option: proof, read: readerOf([...path, proof], (client_secret ?? assertion)!) },
  }
}

/** The registry. `undefined` when no topic needs it. */
function registryOf(
  { schema_registry: registry, topics }: StreamOptions,
  sasl: KafkaSaslConfig | undefined,
  readerOf: ReadAround['readerOf'],
): RegistryConfig | undefined {
  const isNeeded = topics.some((topic) => topic.value_encoding === 'registry' || topic.key_encoding === 'registry')
  if (registry === undefined || !isNeeded) return undefined
  const { url, allow_insecure_http: _, oauth, username, password, token, ...rest } = registry
  const { logical_cluster: logicalCluster, identity_pool_id: identityPoolId, ...tls } = rest
  const bearer = (secret: SecretSource) => ({ kind: 'bearer', secret, logicalCluster, identityPoolId }) as const
  const loginOf = (): RegistryLogin | undefined => {
    if (oauth && isKafkas(oauth)) return bearer(sasl!.secret)
    if (oauth) return bearer(oauthOf(oauth, ['schema_registry', 'oauth'], readerOf))
    if (token) return bearer(readerOf(['schema_registry', 'token'], token))
    if (username === undefined) return undefined
    return { kind: 'basic', username, secret: readerOf(['schema_registry', 'password'], password!) }
  }
  return { url: urlOf(url), login: loginOf(), ...configOf(tls) }
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
function keysOf(keys: TopicOptions['keys']): TopicConfig['keys'] {
  if (keys?.offset) return { from: 'offset', epoch: keys.epoch ?? 0 }
  if (keys?.value !== undefined) return { from: 'value', paths: keys.value }
  return { from: 'key', field: typeof keys?.key === 'string' ? keys.key : undefined, type: keys?.type }
}
