// The group `schema_registry`: its options, and rules between them, topics that need a registry, and the login of `kafka`. Quotes no value.

import { z } from 'zod'
import { BEARER } from '../../core/secret.ts'
import { readAddress } from '../address.ts'
import { pathText, type Findings } from '../findings.ts'
import { certificates, filled, oneHeader, reloadedSecret } from '../option-types.ts'
import type { Partly } from '../read-tree.ts'
import { shortSecret } from '../secrets.ts'
import { checkTls } from '../tls.ts'
import type { KafkaOptions } from './kafka-options.ts'
import { checkOauth, oauthOptions } from './oauth.ts'
import type { TopicEntry } from './topic-options.ts'

/** The empty group that `oauth: kafka` is read as. A group that is given is never empty, for it needs an address. */
const SAME_AS_KAFKA = {}

export const registryOptions = z.strictObject({
  url: z.string().meta({
    title: 'Address',
    description: "Address of a registry with Confluent's interface, with its path, without user and password.",
    examples: ['https://registry.example.com', 'http://apicurio:8080/apis/ccompat/v7'],
  }),
  username: filled.optional().meta({ title: 'User name', description: 'User name for basic authentication.' }),
  password: reloadedSecret('Password', 'Password for basic authentication.', 'request'),
  token: reloadedSecret('Token', 'Bearer token, instead of user name and password.', 'request'),
  oauth: z
    .preprocess((value) => (value === 'kafka' ? SAME_AS_KAFKA : value), oauthOptions.optional())
    .optional()
    .meta({
      title: 'OAuth',
      description: "Instead of a token: where to fetch one, as in kafka.sasl.oauth; kafka takes Kafka's.",
      also: { anyOf: [{ const: 'kafka' }] },
    }),
  logical_cluster: oneHeader.optional().meta({
    title: 'Logical cluster',
    description: 'Id of the registry at Confluent Cloud, sent beside a token (target-sr-cluster).',
    examples: ['lsrc-1234'],
  }),
  identity_pool_id: oneHeader.optional().meta({
    title: 'Identity pool',
    description: 'Id of the identity pool at Confluent Cloud, sent beside a token (Confluent-Identity-Pool-Id).',
    examples: ['pool-1234'],
  }),
  allow_insecure_http: z.boolean().default(false).meta({
    title: 'Allow unencrypted HTTP',
    description: 'Allow password or token to an http: address of another machine. They are then sent unencrypted.',
  }),
  ...certificates({ peer: 'registry', trusted: 'in addition to' }),
})

/** Whether the option was `oauth: kafka`, which takes the group of `kafka.sasl`. */
export function isSameAsKafka(oauth: object): boolean {
  return Object.values(oauth).every((value) => value === undefined)
}

type RegistryOptions = Partly<z.output<typeof registryOptions>>

const GROUP = 'schema_registry'

/** Checks the rules between options of the group, and with others.
 *  @param registry `undefined` when the file has no such group, or a faulty one
 *  @param entries of `topics` */
export function checkRegistry(
  registry: RegistryOptions | undefined,
  entries: readonly TopicEntry[],
  findings: Findings,
  kafka: KafkaOptions = {},
): void {
  const pathsOfUse = entries.flatMap(({ at, options }) =>
    (['value_encoding', 'key_encoding'] as const)
      .filter((option) => options[option] === 'registry')
      .map((option) => at.concat(option)),
  )
  if (registry === undefined) {
    if (findings.has([GROUP])) return
    for (const path of pathsOfUse) findings.add(path, `is registry, but \`${GROUP}\` is missing: add it`)
    return
  }
  if (pathsOfUse.length === 0 && entries.length > 0)
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

function checkRegistryOauth({ oauth = {}, ...others }: RegistryOptions, kafka: KafkaOptions, findings: Findings): void {
  for (const option of ['username', 'password', 'token'] as const)
    if (others[option] !== undefined) findings.add([GROUP, option], 'cannot be combined with `oauth`')
  if (!isSameAsKafka(oauth)) checkOauth(oauth, [GROUP, 'oauth'], findings)
  else if (!kafka.sasl?.oauth) findings.add([GROUP, 'oauth'], "is Kafka's, and `kafka.sasl.oauth` is missing")
}

/** Checks the address. Without a login nothing secret is sent there, so http: is allowed. */
function checkUrl(registry: RegistryOptions, findings: Findings): void {
  if (registry.url === undefined) return
  const secret = registry.token === undefined && !registry.oauth ? 'password' : 'token'
  const allow = pathText([GROUP, 'allow_insecure_http'])
  const sent = { secret: `the ${secret}`, option: pathText([GROUP, secret]), allow }
  const hasLogin = registry.oauth !== undefined || findings.given([secret], registry, [GROUP]).length > 0
  const address = readAddress(registry.url, !hasLogin || registry.allow_insecure_http === true, sent)
  if ('problem' in address) findings.add([GROUP, 'url'], address.problem)
}

function checkLogin(registry: RegistryOptions, findings: Findings): void {
  const given = findings.given(['username', 'password', 'token'], registry, [GROUP])
  const [username, password, token] = (['username', 'password', 'token'] as const).map((name) => given.includes(name))
  if (registry.username?.includes(':'))
    findings.add([GROUP, 'username'], 'holds a colon, which a user name of basic authentication cannot')
  if (token && (username || password))
    findings.add([GROUP, 'token'], 'cannot be combined with `username` and `password`: choose one way')
  else if (username && !password) findings.add([GROUP, 'password'], 'is required with `username`')
  else if (password && !username) findings.add([GROUP, 'username'], 'is required with `password`')
}
