// What is wrong when a registry refuses us, or when no registry answers: the errors that end a run.

import type { Code } from '../core/codes.ts'
import { ConnectorError } from '../core/errors.ts'
import type { MessageParts } from '../core/errors.ts'
import { redirectRemedy } from '../service/status-messages.ts'
import { describeSchemaBody } from './read-response.ts'
import type { RegistryResponse } from './retrying-client.ts'

/** For an answer that would be the same for any attempt and any schema.
 *  @param what was asked for: "schema 17"
 *  @param address of the registry, without user and password */
export function registryRefusal(answer: RegistryResponse, what: string, address: string): ConnectorError {
  const { status, words } = answer
  const found: MessageParts = (said) =>
    `The schema registry ${address} answered ${status}${said(words === '' ? '' : ` (${words})`)} when asked for ${what}`
  if (status === 401) {
    return config(
      'registry.refused',
      (said) =>
        `${found(said)}: it does not know the login. Check username and password, or token, in schema_registry.`,
    )
  }
  if (status === 403) {
    return config(
      'registry.refused',
      (said) => `${found(said)}: the login may not read it. Check what username or token in schema_registry may read.`,
    )
  }
  if (status === 404) {
    return config(
      'registry.not-a-registry',
      (said) =>
        `${found(said)}, and nothing there answers as a schema registry does. Check url in schema_registry: it must hold ` +
        'the path that the registry stands under (Apicurio: /apis/ccompat/v7).',
    )
  }
  if (status >= 300 && status < 400) {
    const where = answer.leadsTo === undefined ? 'nowhere' : answer.leadsTo
    return config(
      'registry.refused',
      `The schema registry ${address} answered ${status} when asked for ${what}, a redirect to ${where}. ` +
        redirectRemedy('login', 'url in schema_registry', 'of the registry '),
    )
  }
  return config('registry.refused', (said) => `${found(said)}. Check url in schema_registry, and any proxy in between.`)
}

/** A 2xx that is no answer of a registry. */
export function notARegistry({ status, body }: RegistryResponse, what: string, address: string): ConnectorError {
  const held = body === undefined ? 'bytes that are not UTF-8' : describeSchemaBody(body)
  return config(
    'registry.not-a-registry',
    `The schema registry ${address} answered ${status} with ${held} when asked for ${what}: this is not a schema registry ` +
      'but something in front of it or in its place, a proxy or a login page perhaps. Check url in schema_registry and any proxy in between.',
  )
}

function config(code: Code, message: string | MessageParts): ConnectorError {
  return new ConnectorError('config', code, message)
}
