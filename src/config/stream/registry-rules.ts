// What one option of the group `schema_registry` says about another, and about the topics that need it. Never quotes a value.

import { readAddress } from '../address.ts'
import type { Findings } from '../findings.ts'
import { pathText } from '../findings.ts'
import type { Partly } from '../read-tree.ts'
import type { StreamOptions } from './stream-options.ts'
import { shortSecret } from '../short-secret.ts'
import { tlsProblems } from '../tls-problems.ts'
import type { TopicEntry } from './topic-rules.ts'

type RegistryOptions = Partly<NonNullable<StreamOptions['schema_registry']>>

const GROUP = 'schema_registry'
const ENCODINGS = ['value_encoding', 'key_encoding'] as const

/** @param registry undefined: the file has no such group
 *  @param warnings grows by whole sentences */
export function checkRegistry(
  registry: RegistryOptions | undefined,
  entries: readonly TopicEntry[],
  findings: Findings,
  warnings: string[],
): void {
  const users = entries.flatMap(({ at, options }) =>
    ENCODINGS.filter((option) => options[option] === 'registry').map((option) => at.concat(option)),
  )
  if (registry === undefined) {
    if (findings.has([GROUP])) return
    for (const path of users) findings.add(path, `is registry, but \`${GROUP}\` says nowhere where that is: add it`)
    return
  }
  if (users.length === 0 && entries.length > 0)
    warnings.push(`\`${GROUP}\` has no effect: no topic has \`value_encoding: registry\` or \`key_encoding: registry\``)
  checkUrl(registry, findings)
  for (const option of ['password', 'token'] as const) {
    const short = registry[option] === undefined ? undefined : shortSecret(registry[option])
    if (short !== undefined) warnings.push(`\`${GROUP}.${option}\` ${short}`)
  }
  checkLogin(registry, findings)
  for (const [option, problem] of tlsProblems(registry)) findings.add([GROUP, option], problem)
}

/** By http: may go what is no secret. */
function checkUrl(registry: RegistryOptions, findings: Findings): void {
  if (registry.url === undefined) return
  const secret = registry.token === undefined ? 'password' : 'token'
  const allow = pathText([GROUP, 'allow_insecure_http'])
  const kept = { secret: `the ${secret}`, option: pathText([GROUP, secret]), allow }
  const hasLogin = registry[secret] !== undefined || findings.has([GROUP, secret])
  const read = readAddress(registry.url, !hasLogin || registry.allow_insecure_http === true, kept)
  if ('problem' in read) findings.add([GROUP, 'url'], read.problem)
}

function checkLogin(registry: RegistryOptions, findings: Findings): void {
  const isThere = (option: 'username' | 'password' | 'token'): boolean =>
    registry[option] !== undefined || findings.has([GROUP, option])
  if (isThere('username') && registry.username?.includes(':'))
    findings.add([GROUP, 'username'], 'holds a colon, which a user name of basic authentication cannot')
  if (isThere('token') && (isThere('username') || isThere('password')))
    findings.add([GROUP, 'token'], 'does not go with `username` and `password`: choose one way')
  else if (isThere('username') && !isThere('password')) findings.add([GROUP, 'password'], 'is required with `username`')
  else if (isThere('password') && !isThere('username')) findings.add([GROUP, 'username'], 'is required with `password`')
}
