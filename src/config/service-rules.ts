// Reads the options that say where to write, of `write` and `stream`, and checks them together. Never quotes a secret, never connects.

import type { z } from 'zod'
import type { Secret } from '../core/secret.ts'
import { readAddress } from './address.ts'
import { withoutUndefined } from './config-of.ts'
import { pathText, type Findings, type Path } from './findings.ts'
import { placeInOlder, readSandbox } from './older-names.ts'
import type { Partly } from './read-tree.ts'
import { memberAt } from './references.ts'
import { shortSecret } from './secrets.ts'
import { checkTls } from './tls.ts'
import type { serviceOptions } from './write/write-options.ts'

/** The service that is written to, and the client (a customer account) whose tables are. */
export interface ServiceConfig {
  /** The address of production or sandbox, as configured; without a slash at the end. */
  readonly baseUrl: string
  /** The option `baseUrl` is from, as the file calls it. */
  readonly addressOption: string
  readonly sandbox: boolean
  readonly clientId: number
  readonly apiKey: Secret
  /** PEM. */
  readonly caCertificate?: string | undefined
  /** PEM; given if and only if `clientKey` is, and a pair. */
  readonly clientCertificate?: string | undefined
  readonly clientKey?: Secret | undefined
}

/** The valid parts of a config; without `baseUrl` no request can be made. `httpHost`: host of an address whose only fault is http:. */
export type ServiceReading = Partial<ServiceConfig> & { readonly httpHost?: string }

type ServiceOptions = Partly<z.output<z.ZodObject<typeof serviceOptions>>>

/** Reads the valid parts, and adds to `findings` what is wrong with others.
 *  @param given the file as it was parsed, which may have older options instead of `sandbox` */
export function readService(options: ServiceOptions, given: unknown, findings: Findings): ServiceReading {
  const { client_id: clientId, api_key: apiKey, ca_certificate: ca } = options
  const { client_certificate: certificate, client_key: key } = options
  if (apiKey !== undefined) findings.warn(['api_key'], oddityOf(apiKey.reveal()))
  checkTls(options, [], findings)
  return {
    ...readBaseUrl(options, given, findings),
    ...withoutUndefined({ clientId, apiKey, caCertificate: ca }),
    ...(certificate !== undefined && key !== undefined && { clientCertificate: certificate, clientKey: key }),
  }
}

/** Reads the address that is written to: of production, or of the sandbox where that is on. */
function readBaseUrl(options: ServiceOptions, given: unknown, findings: Findings): ServiceReading {
  const sandbox = readSandbox(options, given, findings)
  const isSandboxOn = sandbox?.mode === 'on'
  const readAt = (path: Path, text: string | undefined): ServiceReading => {
    if (text === undefined) return {}
    const address = readAddress(text, options.allow_insecure_http === true)
    const place = placeInOlder(path, given)
    const addressOption = pathText(place)
    if ('url' in address) return { baseUrl: address.url, sandbox: isSandboxOn, addressOption }
    findings.add(place, address.problem)
    return address.httpHost === undefined ? {} : { httpHost: address.httpHost, addressOption }
  }
  // read, and so checked, even where the sandbox is on
  const production = readAt(['import_url'], options.import_url)
  const service = isSandboxOn ? readAt(['sandbox', 'import_url'], sandbox.import_url) : production
  // a form sends an empty text for an option that was left out
  const isEmpty = memberAt(given, 'import_url') === ''
  if (!isSandboxOn && options.import_url === undefined)
    findings.add(['import_url'], isEmpty ? 'is empty: give the address of the import interface' : 'is required')
  return sandbox === undefined || findings.has(['sandbox']) ? {} : service
}

/** The warning for an API key that is possible but probably a mistake. `undefined` when there is none. */
function oddityOf(key: string): string | undefined {
  if (key.trim() !== key)
    return 'begins or ends with white space, which is sent as part of it: remove it unless it belongs to the key'
  if (/^[*•]+$/.test(key)) return 'is nothing but asterisks, as a form shows a key that it hides: give the key itself'
  if (/^\$\{.*\}$/s.test(key))
    return 'looks like a reference, ${…}, but variables are not expanded in this file: put the key itself here'
  if (/[\r\n]/.test(key)) return 'contains a line break, which is sent as part of it: give the key in one line'
  if (/^(["']).*\1$/.test(key)) return 'stands in quotes of its own, which are sent as part of it: take them off'
  if (/^(?:Bearer\s|apikey=)/i.test(key))
    return 'begins with Bearer or apikey=, which is sent as part of it: give the key alone'
  return shortSecret(key)
}
