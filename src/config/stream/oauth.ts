// The group `oauth`, in `kafka.sasl` and `schema_registry`: options of the server that tokens come from, and their rules. Quotes no value.

import { z } from 'zod'
import { readAddress } from '../address.ts'
import { pathText, type Findings, type Path } from '../findings.ts'
import { certificates, oneHeader, reloadedSecret } from '../option-types.ts'
import type { Partly } from '../read-tree.ts'
import { shortSecret } from '../secrets.ts'
import { checkTls } from '../tls.ts'

export const oauthOptions = z.strictObject({
  token_url: z
    .string()
    .optional()
    .meta({
      title: 'Token address',
      description: 'Address that gives tokens (token_endpoint). Either this or the issuer.',
      examples: ['https://login.example.com/oauth2/token'],
    }),
  issuer: z
    .string()
    .optional()
    .meta({
      title: 'Issuer',
      description: 'Address of the issuer, below which its OpenID configuration names the token address.',
      examples: ['https://login.example.com/realms/data'],
    }),
  client_id: oneHeader.optional().meta({
    title: 'Client ID',
    description: 'Name of this program at the token server. Required.',
    examples: ['warehouse'],
  }),
  client_secret: reloadedSecret('Client secret', 'Secret of that client.', 'fetch'),
  client_auth: z.enum(['basic', 'post']).optional().meta({
    title: 'Client authentication',
    description: 'How the secret is sent: in a header, or in the form. By default as the issuer says, else basic.',
  }),
  assertion: reloadedSecret('Assertion', 'Instead of a secret: a token that vouches for this client.', 'fetch'),
  scope: oneHeader.optional().meta({ title: 'Scope', description: 'What the token is for, separated by spaces.' }),
  audience: oneHeader
    .optional()
    .meta({ title: 'Audience', description: 'Whom the token is for, where the server asks.' }),
  ...certificates({ peer: 'token server', trusted: 'in addition to' }),
})

/** Checks the rules between options of the group, which is at `path`. */
export function checkOauth(oauth: Partly<z.output<typeof oauthOptions>>, path: Path, findings: Findings): void {
  for (const alternatives of [
    ['token_url', 'issuer'],
    ['client_secret', 'assertion'],
  ] as const) {
    const [first, second] = alternatives
    const given = findings.given(alternatives, oauth, path)
    if (given.length === 0) findings.add([...path, first], `is required, or \`${second}\``)
    if (given.length > 1) findings.add([...path, second], `cannot be combined with \`${first}\`: choose one`)
  }
  if (oauth.client_id === undefined) findings.add([...path, 'client_id'], 'is required')
  const sent = { secret: 'the secret of the client', option: pathText([...path, 'client_secret']), allow: undefined }
  for (const name of ['token_url', 'issuer'] as const) {
    const text: string | undefined = oauth[name]
    const allowsHttp = false
    const address = text === undefined ? undefined : readAddress(text, allowsHttp, sent)
    if (address && 'problem' in address) findings.add([...path, name], address.problem)
  }
  findings.warn([...path, 'client_secret'], oauth.client_secret && shortSecret(oauth.client_secret.reveal()))
  checkTls(oauth, path, findings)
}
