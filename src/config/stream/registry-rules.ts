// Checks the group `schema_registry`, and whether it is there for the topics that need it. Never quotes a value.

import { BEARER } from '../../core/secret.ts'
import { readAddress } from '../address.ts'
import type { Findings } from '../findings.ts'
import { pathText } from '../findings.ts'
import type { Partly } from '../read-tree.ts'
import { shortSecret } from '../secrets.ts'
import { checkTls } from '../tls.ts'
import { checkOauth } from './oauth.ts'
import { isKafkas } from './registry-options.ts'
import type { StreamOptions } from './stream-options.ts'
import type { TopicEntry } from './topic-entry.ts'

type KafkaOptions = Partly<StreamOptions['kafka']>
type RegistryOptions = Partly<NonNullable<StreamOptions['schema_registry']>>

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
  checkTls(registry, [GROUP], findings)
}

function checkRegistryOauth({ oauth = {}, ...rest }: RegistryOptions, kafka: KafkaOptions, findings: Findings): void {
  for (const option of ['username', 'password', 'token'] as const)
    if (rest[option] !== undefined) findings.add([GROUP, option], 'cannot be combined with `oauth`')
  if (!isKafkas(oauth)) checkOauth(oauth, [GROUP, 'oauth'], findings)
  else if (!kafka.sasl?.oauth) findings.add([GROUP, 'oauth'], "is Kafka's, and `kafka.sasl.oauth` is missing")
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
