// Checks the options that say where a token is fetched. Never quotes a value.

import { readAddress } from '../address.ts'
import type { Findings, Path } from '../findings.ts'
import { pathText } from '../findings.ts'
import type { Partly } from '../read-tree.ts'
import { shortSecret } from '../secrets.ts'
import { checkTls } from '../tls.ts'
import type { StreamOptions } from './stream-options.ts'

type OauthOptions = Partly<NonNullable<NonNullable<StreamOptions['kafka']['sasl']>['oauth']>>

/** @param path of the group */
export function checkOauth(oauth: OauthOptions, path: Path, findings: Findings): void {
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
  checkTls(oauth, path, findings)
}
