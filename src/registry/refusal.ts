// What is wrong when a registry refuses us, or when no registry answers: the errors that end a run. Knows no schema's content.

import { ConnectorError } from '../core/errors.ts'
import type { Answered } from './ask.ts'
import { describeSchemaBody } from './read-answer.ts'

/** An answer no other attempt would change, and no other schema either.
 *  @param what was asked for: "schema 17"
 *  @param address of the registry, without user and password */
export function registryRefusal(answer: Answered, what: string, address: string): ConnectorError {
  const { status, words } = answer
  const said = words === '' ? '' : ` (${words})`
  const found = `The schema registry ${address} answered ${status}${said} when asked for ${what}`
  if (status === 401) {
    return config(`${found}: it does not know the login. Check username and password, or token, in schema_registry.`)
  }
  if (status === 403) {
    return config(`${found}: the login may not read it. Check what username or token in schema_registry may read.`)
  }
  if (status === 404) {
    return config(
      `${found}, and nothing there answers as a schema registry does. Check url in schema_registry: it must hold ` +
        'the path that the registry stands under (Apicurio: /apis/ccompat/v7).',
    )
  }
  if (status >= 300 && status < 400) {
    const where = answer.leadsTo === undefined ? 'nowhere' : answer.leadsTo
    return config(
      `The schema registry ${address} answered ${status} when asked for ${what}, a redirect to ${where}. Redirects are ` +
        'never followed, as they could carry the login elsewhere: set url in schema_registry to the address of the registry itself.',
    )
  }
  return config(`${found}. Check url in schema_registry, and what stands between.`)
}

/** A 2xx that is no answer of a registry. */
export function stranger({ status, body }: Answered, what: string, address: string): ConnectorError {
  const held = body === undefined ? 'bytes that are not UTF-8' : describeSchemaBody(body)
  return config(
    `The schema registry ${address} answered ${status} with ${held} when asked for ${what}: this is no schema registry ` +
      'but something before or instead of it, a proxy or a login page perhaps. Check url in schema_registry and what stands between.',
  )
}

function config(message: string): ConnectorError {
  return new ConnectorError('config', message)
}
