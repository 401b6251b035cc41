// Whether the schema registry answers, and as one: asked for something every registry has. Asks once, for no schema.

import { ConnectorError } from '../../core/errors.ts'
import type { RegistryResult } from '../../registry/retrying-client.ts'
import type { RegistryRoute } from '../source/registry-route.ts'
import { fail, ok } from './check-report.ts'
import type { CheckFinding } from './check-report.ts'

const ASK_MS = 5000
/** The kinds of schemas it takes. */
const PATH = '/schemas/types'

/** Never throws.
 *  @param signal aborts when it is to be waited for no longer
 *  @param askMs how long it is waited for */
export async function registryFinding(
  { ask, address }: Pick<RegistryRoute, 'ask' | 'address'>,
  signal: AbortSignal,
  askMs = ASK_MS,
): Promise<CheckFinding> {
  const registry = `The schema registry ${address}`
  const limit = AbortSignal.timeout(askMs)
  try {
    const asked = await ask(PATH, AbortSignal.any([signal, limit]))
    if ('failed' in asked && limit.aborted)
      return fail(
        'registry.unreachable',
        `${registry} does not answer within ${askMs / 1000} s. Check schema_registry.url and the network.`,
      )
    if (isRegistry(asked)) return ok(`${registry} answers.`)
    if ('failed' in asked) return fail('registry.unreachable', `${registry} ${notReached(asked)}`)
    const isRefused = asked.status >= 300 && asked.status !== 404 && asked.status !== 405
    return fail(isRefused ? 'registry.refused' : 'registry.not-a-registry', `${registry} ${refused(asked)}`)
  } catch (error) {
    if (error instanceof ConnectorError) return fail(error.code!, error.message)
    throw error
  }
}

function isRegistry(asked: RegistryResult): boolean {
  return 'status' in asked && asked.status === 200 && asked.body?.trimStart().startsWith('[') === true
}

function notReached({ failed, remedy }: Extract<RegistryResult, { failed: string }>): string {
  return `cannot be asked: ${failed}. ${remedy ?? 'Check schema_registry.url, and whether it runs.'}`
}

function refused({ status, words, leadsTo }: Extract<RegistryResult, { status: number }>): string {
  const quoted = words === '' ? '' : ` (${words})`
  if (status === 401 || status === 403)
    return `refuses this login: ${status}${quoted}. Check schema_registry.username and password, or token.`
  if (status >= 300 && status < 400)
    return `sends its clients elsewhere${leadsTo === undefined ? '' : `, to ${leadsTo}`} (${status}). Use that address in schema_registry.url.`
  if (status === 404 || status === 405 || status < 300)
    return `has no registry with the interface of Confluent at this address (${status}${quoted}). Check the path in schema_registry.url, such as /apis/ccompat/v7.`
  return `answers ${status}${quoted}. Check it.`
}
