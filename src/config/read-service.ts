// The options of the group `where`, right one by one, as the service to write to: the rules that join them. Never quotes a
// secret; connects to nothing.

import { Secret } from '../core/secret.ts'
import { readAddress } from './address.ts'
import { pemText } from './pem.ts'
import { shortSecret } from './short-secret.ts'
import { tlsProblems } from './tls-problems.ts'
import type { ServiceConfig } from './write-config.ts'
import type { OptionName, WriteOptions } from './write-options.ts'

export type WhereOptions = Pick<
  WriteOptions,
  | 'import_url'
  | 'use_sandbox'
  | 'sandbox_import_url'
  | 'client_id'
  | 'api_key'
  | 'allow_insecure_http'
  | 'ca_certificate'
  | 'client_certificate'
  | 'client_key'
>

/** By option: what is wrong with it, which is left out of the values. */
export type Problems = Map<OptionName, string>

type Values = { readonly [Name in keyof WhereOptions]?: WhereOptions[Name] | undefined }

/** What is right of it, also when something else is wrong; without `baseUrl` that is nothing.
 *  @param problems grows, one an option
 *  @param warnings grows by whole sentences */
export function readService(values: Values, problems: Problems, warnings: string[]): Partial<ServiceConfig> {
  return {
    ...readWhere(values, problems),
    ...readClient(values, problems, warnings),
    ...readTls(values, problems),
  }
}

function readWhere(values: Values, problems: Problems): Partial<ServiceConfig> {
  const sandbox = values.use_sandbox === true
  const production = address('import_url', values, problems)
  const trial = address('sandbox_import_url', values, problems)
  // Nothing goes there while the sandbox is used.
  if (sandbox && problems.get('import_url') === 'is required') problems.delete('import_url')
  if (!sandbox && production === undefined) note(problems, 'import_url', 'is required')
  if (sandbox && trial === undefined) note(problems, 'sandbox_import_url', 'is required when `use_sandbox` is true')
  const baseUrl = sandbox ? trial : production
  if (baseUrl === undefined || problems.has('use_sandbox')) return {}
  return { baseUrl, sandbox, addressOption: sandbox ? 'sandbox_import_url' : 'import_url' }
}

function address(option: 'import_url' | 'sandbox_import_url', values: Values, problems: Problems): string | undefined {
  const text = values[option]
  if (text === undefined) return undefined
  const read = readAddress(text, values.allow_insecure_http === true)
  if ('url' in read) return read.url
  problems.set(option, read.problem)
  return undefined
}

function readClient(values: Values, problems: Problems, warnings: string[]): Partial<ServiceConfig> {
  const { client_id: clientId, api_key: key } = values
  const missing = problems.get('api_key')
  if (missing === 'is required' || missing === 'is empty') problems.set('api_key', `${missing}: ${ORIGIN}`)
  const client = clientId === undefined ? {} : { clientId }
  if (key === undefined) return client
  if (!key.isWellFormed()) {
    problems.set('api_key', 'holds half a character (a lone surrogate), which no address can carry')
    return client
  }
  const oddity = oddityOf(key)
  if (oddity !== undefined) warnings.push(`\`api_key\` ${oddity}`)
  return { ...client, apiKey: new Secret(key) }
}

const ORIGIN = 'a key is made in the connections area of the product, by adding a data source of the import kind'

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

function readTls(values: Values, problems: Problems): Partial<ServiceConfig> {
  for (const [option, problem] of tlsProblems(values)) note(problems, option, problem)
  const { ca_certificate: ca, client_certificate: certificate, client_key: key } = values
  return {
    ...(ca === undefined ? {} : { caCertificate: pemText(ca) }),
    ...(certificate === undefined || key === undefined
      ? {}
      : { clientCertificate: pemText(certificate), clientKey: new Secret(pemText(key)) }),
  }
}

/** What was found first is nearer to the mistake. */
function note(problems: Problems, option: OptionName, problem: string): void {
  if (!problems.has(option)) problems.set(option, problem)
}
