// The errors that end a run because a schema registry refuses us, or because something else answers in its place.

import type { Code } from '../core/codes.ts'
import { ConnectorError } from '../core/errors.ts'
import { redirectRemedy } from '../service/status-messages.ts'
import { describeSchemaBody } from './read-response.ts'
import type { RegistryResponse } from './retrying-client.ts'

/** The error for an answer that would be the same for any attempt and any schema.
 *  @param what was asked for: "schema 17"
 *  @param address of the registry, without user and password */
export function registryRefusal(answer: RegistryResponse, what: string, address: string): ConnectorError {
  const { status, words, leadsTo = 'nowhere' } = answer
  const refusal = (cause: string, code: Code = 'registry.refused'): ConnectorError =>
    // `said` is called around the registry's own words: where data must not be shown, it leaves them out
    new ConnectorError('config', code, (said) => {
      const quoted = said(words === '' ? '' : ` (${words})`)
      return `The schema registry ${address} answered ${status}${quoted} when asked for ${what}${cause}`
    })
  if (status === 401)
    return refusal(': it does not know the login. Check username and password, or token, in schema_registry.')
  if (status === 403)
    return refusal(': the login may not read it. Check what username or token in schema_registry may read.')
  if (status === 404 || status === 405) {
    const advice = 'it must hold the path that the registry stands under (Apicurio: /apis/ccompat/v7)'
    const found = `, and nothing there answers as a schema registry does. Check url in schema_registry: ${advice}.`
    return refusal(found, 'registry.not-a-registry')
  }
  if (status >= 300 && status < 400) {
    const remedy = redirectRemedy('login', 'url in schema_registry', 'of the registry ')
    return refusal(`, a redirect to ${leadsTo}. ${remedy}`)
  }
  return refusal('. Check url in schema_registry, and any proxy in between.')
}

/** The error for a 2xx that is no answer of a registry. */
export function notARegistry({ status, body }: RegistryResponse, what: string, address: string): ConnectorError {
  const held = body === undefined ? 'bytes that are not UTF-8' : describeSchemaBody(body)
  const found = `The schema registry ${address} answered ${status} with ${held} when asked for ${what}`
  const guess =
    'this is not a schema registry but something in front of it or in its place, a proxy or a login page perhaps'
  const remedy = 'Check url in schema_registry and any proxy in between.'
  return new ConnectorError('config', 'registry.not-a-registry', `${found}: ${guess}. ${remedy}`)
}
