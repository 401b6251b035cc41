// The options of the group `where`, of `write` and of `stream`, as the service to write to: the rules that join them. Never quotes
// a secret; connects to nothing.

import type { z } from 'zod'

import type { Secret } from '../core/secret.ts'
import { readAddress } from './address.ts'
import type { Findings } from './findings.ts'
import type { Partly } from './read-tree.ts'
import { shortSecret } from './secrets.ts'
import { tlsProblems } from './tls.ts'
import type { where, WriteOptions } from './write/write-options.ts'

/** Where to write, and as whom. */
export interface ServiceConfig {
  /** Of production or sandbox, as configured; without a slash at the end. */
  readonly baseUrl: string
  /** The option `baseUrl` is from. */
  readonly addressOption: 'import_url' | 'sandbox_import_url' | 'sandbox.import_url'
  readonly sandbox: boolean
  readonly clientId: number
  readonly apiKey: Secret
  /** PEM. */
  readonly caCertificate?: string | undefined
  /** PEM; given if and only if `clientKey` is, and a pair. */
  readonly clientCertificate?: string | undefined
  readonly clientKey?: Secret | undefined
}

type WhereOptions = Partly<z.output<z.ZodObject<typeof where>> & Pick<WriteOptions, 'sandbox'>>

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
  const { sandbox: group } = options
  const isNamed = group?.mode === 'on'
  const sandbox = isNamed || options.use_sandbox === true
  const sandboxOption = isNamed ? 'sandbox.import_url' : 'sandbox_import_url'
  const addressOption = sandbox ? sandboxOption : 'import_url'
  const read = (option: ServiceConfig['addressOption'], text: string | undefined): string | undefined => {
    if (text === undefined) return undefined
    const address = readAddress(text, options.allow_insecure_http === true)
    if ('url' in address) return address.url
    findings.add(option.split('.'), address.problem)
    return undefined
  }
  const production = read('import_url', options.import_url)
  const trial = read(sandboxOption, isNamed ? group.import_url : options.sandbox_import_url)
  const baseUrl = sandbox ? trial : production
  if (baseUrl === undefined)
    findings.add(addressOption.split('.'), sandbox ? 'is required when `use_sandbox` is true' : 'is required')
  const isUnclear = findings.has(['use_sandbox']) || findings.has(['sandbox'])
  return baseUrl === undefined || isUnclear ? {} : { baseUrl, sandbox, addressOption }
}

/** What is possible, and hardly meant. */
function oddityOf(key: string): string | undefined {
  if (key.trim() !== key)
    return 'begins or ends with white space, which is sent as part of it: take it off unless it belongs to the key'
  if (/^[*•]+$/.test(key)) return 'is nothing but asterisks, as a form shows a key that it hides: give the key itself'
  if (/^\$\{.*\}$/s.test(key))
    return 'looks like a reference, ${…}, but variables are not expanded in this file: put the key itself here'
  if (/[\r\n]/.test(key)) return 'holds a line end, which is sent as part of it: give the key in one line'
  if (/^(["']).*\1$/.test(key)) return 'stands in quotes of its own, which are sent as part of it: take them off'
  if (/^(?:Bearer\s|apikey=)/i.test(key))
    return 'begins with Bearer or apikey=, which is sent as part of it: give the key alone'
  return shortSecret(key)
}
