// Checks the groups `kafka` and `schema_registry`, and the topics that need a registry. Never quotes a value.

import { isThisMachine } from '../this-machine.ts'
import { BEARER } from '../../core/secret.ts'
import { readAddress } from '../address.ts'
import type { Findings, Path } from '../findings.ts'
import { pathText } from '../findings.ts'
import type { Partly } from '../read-tree.ts'
import { shortSecret } from '../secrets.ts'
import { tlsProblems } from '../tls.ts'
import { SENT_AS_IT_STANDS } from './kafka-options.ts'
import type { StreamOptions } from './stream-options.ts'
import type { TopicEntry } from './topic-entry.ts'

type KafkaOptions = Partly<StreamOptions['kafka']>
type OauthOptions = Partly<NonNullable<NonNullable<StreamOptions['kafka']['sasl']>['oauth']>>
type RegistryOptions = Partly<NonNullable<StreamOptions['schema_registry']>>

export function checkKafka(kafka: KafkaOptions, findings: Findings): void {
  const { session_timeout_seconds: session = Infinity, rebalance_timeout_seconds: rebalance = Infinity } = kafka
  if ((kafka.heartbeat_seconds ?? 0) > session / 3)
    findings.add(
      ['kafka', 'heartbeat_seconds'],
      `must be at most a third of \`kafka.session_timeout_seconds\`, which is ${session}`,
    )
  if (rebalance < session && session !== Infinity)
    findings.add(
      ['kafka', 'rebalance_timeout_seconds'],
      `must be at least \`kafka.session_timeout_seconds\`, which is ${session}`,
    )
  for (const [option, problem] of tlsProblems(kafka.tls ?? {})) findings.add(['kafka', 'tls', option], problem)
  checkSasl(kafka, findings)
  checkWay(kafka, findings)
}

function checkSasl({ sasl }: KafkaOptions, findings: Findings): void {
  const mechanism = sasl?.mechanism
  if (sasl === undefined || mechanism === undefined) return
  const bearer = mechanism === 'oauthbearer'
  const isFetched = bearer && sasl.oauth !== undefined
  const wanted = isFetched ? [] : bearer ? ['token'] : ['username', 'password']
  const cannot = `cannot be combined with ${isFetched ? '`oauth`' : `the mechanism ${mechanism}`}`
  for (const option of ['username', 'password', 'token', 'oauth', 'extensions'] as const) {
    const path = ['kafka', 'sasl', option]
    const isMissing = sasl[option] === undefined
    const isOfBearer = option === 'oauth' || option === 'extensions'
    if (wanted.includes(option)) {
      if (isMissing) findings.add(path, `is required with the mechanism ${mechanism}`)
    } else if (!(isOfBearer && bearer) && (!isMissing || findings.has(path))) findings.add(path, cannot)
  }
  if (isFetched) return checkOauth(sasl.oauth, ['kafka', 'sasl', 'oauth'], findings)
  const option = bearer ? 'token' : 'password'
  const secret = sasl[option]?.reveal() ?? ''
  const isPadded = secret.trim() !== secret
  const padded = 'begins or ends with white space, which is sent as part of it'
  if (sasl[option] !== undefined) findings.warn(['kafka', 'sasl', option], isPadded ? padded : shortSecret(secret))
}

function checkOauth(oauth: OauthOptions, path: Path, findings: Findings): void {
  for (const names of [
    ['token_url', 'issuer'],
    ['client_secret', 'assertion'],
  ] as const) {
    const given = names.filter((name) => oauth[name] !== undefined || findings.has([...path, name]))
    if (given.length === 0) findings.add([...path, names[0]], `is required, or \`${names[1]}\``)
    if (given.length > 1) findings.add([...path, names[1]], `cannot be combined with \`${names[0]}\`: choose one`)
  }
  if (oauth.client_id === undefined && !findings.has([...path, 'client_id']))
    findings.add([...path, 'client_id'], 'is required')
  const kept = { secret: 'the secret of the client', option: pathText([...path, 'client_secret']), allow: undefined }
  for (const name of ['token_url', 'issuer'] as const) {
    const text: string | undefined = oauth[name]
    const read = text === undefined ? undefined : readAddress(text, false, kept)
    if (read && 'problem' in read) findings.add([...path, name], read.problem)
  }
  findings.warn([...path, 'client_secret'], oauth.client_secret && shortSecret(oauth.client_secret.reveal()))
  for (const [option, problem] of tlsProblems(oauth)) findings.add([...path, option], problem)
}

/** These logins send the secret itself. */
function checkWay({ sasl, tls, brokers = [], allow_insecure_login: allowed }: KafkaOptions, findings: Findings): void {
  const mechanism = sasl?.mechanism
  const secret = mechanism && SENT_AS_IT_STANDS[mechanism]
  if (secret === undefined) return
  if (allowed === true || tls !== undefined || findings.has(['kafka', 'tls'])) return
  if (brokers.every((broker) => broker === undefined || isThisMachine(broker.replace(/:\d+$/, '')))) return
  findings.add(
    ['kafka', 'sasl'],
    `sends the ${secret} in plain text (${mechanism}), and without \`kafka.tls\` others on the way to brokers can read it: set \`kafka.tls\`, choose a scram mechanism, or set \`kafka.allow_insecure_login\``,
  )
}

const GROUP = 'schema_registry'

/** @param registry `undefined` when the file has no such group */
export function checkRegistry(
  registry: RegistryOptions | undefined,
  entries: readonly TopicEntry[],
  findings: Findings,
  kafka: KafkaOptions = {},
): void {
  const users = entries.flatMap(({ at, options }) =>
    (['value_encoding', 'key_encoding'] as const)
      .filter((option) => options[option] === 'registry')
      .map((option) => at.concat(option)),
  )
  if (registry === undefined) {
    if (findings.has([GROUP])) return
    for (const path of users) findings.add(path, `is registry, but \`${GROUP}\` is missing: add it`)
    return
  }
  if (users.length === 0 && entries.length > 0)
    findings.warn([GROUP], 'has no effect: no topic has `value_encoding: registry` or `key_encoding: registry`')
  checkUrl(registry, findings)
  for (const option of ['password', 'token'] as const)
    findings.warn([GROUP, option], registry[option] && shortSecret(registry[option].reveal()))
  if (registry.token && !BEARER.test(registry.token.reveal().trim()))
    findings.add(
      [GROUP, 'token'],
      'holds what no HTTP header can carry: a line break, a space or a non-ASCII character',
    )
  checkLogin(registry, findings)
  for (const option of ['logical_cluster', 'identity_pool_id'] as const)
    if (registry[option] !== undefined && !registry.token && !registry.oauth && !findings.has([GROUP, 'token']))
      findings.add([GROUP, option], 'is sent beside a token, and `token` is missing')
  if (registry.oauth) checkRegistryOauth(registry, kafka, findings)
  for (const [option, problem] of tlsProblems(registry)) findings.add([GROUP, option], problem)
}

function checkRegistryOauth({ oauth = {}, ...rest }: RegistryOptions, kafka: KafkaOptions, findings: Findings): void {
  for (const option of ['username', 'password', 'token'] as const)
    if (rest[option] !== undefined) findings.add([GROUP, option], 'cannot be combined with `oauth`')
  if (isGroupGiven(oauth)) checkOauth(oauth, [GROUP, 'oauth'], findings)
  else if (!kafka.sasl?.oauth) findings.add([GROUP, 'oauth'], "is Kafka's, and `kafka.sasl.oauth` is missing")
}

/** Whether it is not `kafka`. */
export function isGroupGiven(oauth: object): boolean {
  return Object.values(oauth).some((value) => value !== undefined)
}

/** http: is allowed without a login. */
function checkUrl(registry: RegistryOptions, findings: Findings): void {
  if (registry.url === undefined) return
  const secret = registry.token === undefined && !registry.oauth ? 'password' : 'token'
  const allow = pathText([GROUP, 'allow_insecure_http'])
  const kept = { secret: `the ${secret}`, option: pathText([GROUP, secret]), allow }
  const hasLogin = registry[secret] !== undefined || registry.oauth !== undefined || findings.has([GROUP, secret])
  const read = readAddress(registry.url, !hasLogin || registry.allow_insecure_http === true, kept)
  if ('problem' in read) findings.add([GROUP, 'url'], read.problem)
}

function checkLogin(registry: RegistryOptions, findings: Findings): void {
  const [username, password, token] = (['username', 'password', 'token'] as const).map(
    (option) => registry[option] !== undefined || findings.has([GROUP, option]),
  )
  if (registry.username?.includes(':'))
    findings.add([GROUP, 'username'], 'holds a colon, which a user name of basic authentication cannot')
  if (token && (username || password))
    findings.add([GROUP, 'token'], 'cannot be combined with `username` and `password`: choose one way')
  else if (username && !password) findings.add([GROUP, 'password'], 'is required with `username`')
  else if (password && !username) findings.add([GROUP, 'username'], 'is required with `password`')
}
