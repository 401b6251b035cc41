// The options of the group `where`, of `write` and of `stream`, as the service to write to: the rules that join them. Never quotes
// a secret; connects to nothing.

import type { z } from 'zod'

import type { Secret } from '../core/secret.ts'
import { readAddress } from './address.ts'
import type { Findings } from './findings.ts'
import type { Partly } from './read-tree.ts'
import { shortSecret } from './secrets.ts'
import { tlsProblems } from './tls.ts'
import type { where } from './write/write-options.ts'

/** Where to write, and as whom. */
export interface ServiceConfig {
  /** Of production or sandbox, as configured; without a slash at the end. */
  readonly baseUrl: string
  /** The option `baseUrl` is from. */
  readonly addressOption: 'import_url' | 'sandbox_import_url'
  readonly sandbox: boolean
  readonly clientId: number
  readonly apiKey: Secret
  /** PEM. */
  readonly caCertificate?: string | undefined
  /** PEM; given if and only if `clientKey` is, and a pair. */
  readonly clientCertificate?: string | undefined
  readonly clientKey?: Secret | undefined
}

type WhereOptions = Partly<z.output<z.ZodObject<typeof where>>>

/** What is right of it, also when something else is wrong; without `baseUrl` that is nothing. */
export function readService(options: WhereOptions, findings: Findings): Partial<ServiceConfig> {
  const { client_id: clientId, api_key: apiKey, ca_certificate: ca, client_certificate: certificate } = options
  if (apiKey !== undefined) findings.warn(['api_key'], oddityOf(apiKey.reveal()))
  for (const [option, problem] of tlsProblems(options)) findings.add([option], problem)
  const { client_key: key } = options
  return {
    ...readWhere(options, findings),
    ...(clientId !== undefined && { clientId }),
    ...(apiKey !== undefined && { apiKey }),
    ...(ca !== undefined && { caCertificate: ca }),
    ...(certificate !== undefined && key !== undefined && { clientCertificate: certificate, clientKey: key }),
  }
}

function readWhere(options: WhereOptions, findings: Findings): Partial<ServiceConfig> {
  const sandbox = options.use_sandbox === true
  const addressOption = sandbox ? 'sandbox_import_url' : 'import_url'
  const [production, trial] = (['import_url', 'sandbox_import_url'] as const).map((option) => {
    const text = options[option]
    if (text === undefined) return undefined
    const read = readAddress(text, options.allow_insecure_http === true)
    if ('url' in read) return read.url
    findings.add([option], read.problem)
    return undefined
  })
  const baseUrl = sandbox ? trial : production
  if (baseUrl === undefined)
    findings.add([addressOption], sandbox ? 'is required when `use_sandbox` is true' : 'is required')
  return baseUrl === undefined || findings.has(['use_sandbox']) ? {} : { baseUrl, sandbox, addressOption }
}

/** What is possible, and hardly meant. */
function oddityOf(key: string): string | undefined {
  if (key.trim() !== key)
    return 'begins or ends with white space, which is sent as part of it: take it off unless it belongs to the key'
  if (/^[*•]+$/.test(key)) return 'is nothing but asterisks, as a form shows a key that it hides: give the key itself'
  if (/^\$\{.*\}$/s.test(key))
    return 'looks like a reference, ${…}, and the value of no variable is put in here: give the key itself'
  if (/[\r\n]/.test(key)) return 'holds a line end, which is sent as part of it: give the key in one line'
  if (/^(["']).*\1$/.test(key)) return 'stands in quotes of its own, which are sent as part of it: take them off'
  if (/^(?:Bearer\s|apikey=)/i.test(key))
    return 'begins with Bearer or apikey=, which is sent as part of it: give the key alone'
  return shortSecret(key)
}
