// Checks whether the schema registry answers, and as a registry does. It is asked once, for something that every registry has.

import { ConnectorError } from '../../core/errors.ts'
import { notARegistry, registryRefusal } from '../../registry/registry-errors.ts'
import type { RegistryRoute } from '../source/registry-route.ts'
import { fail, ok, type CheckFinding } from './check-report.ts'

const ASK_MS = 5000
/** The path at which every registry lists the kinds of schemas that it takes, as a JSON array; and words for that list. */
const TYPES_PATH = '/schemas/types'
const TYPES = 'the types of its schemas'

/** Asks the registry. A fault of it is a finding, and never thrown.
 *  @param signal aborts when the check is to end early
 *  @param askMs how long to wait for the answer */
export async function registryFinding(
  { ask, address }: Pick<RegistryRoute, 'ask' | 'address'>,
  signal: AbortSignal,
  askMs = ASK_MS,
): Promise<CheckFinding> {
  const registry = `The schema registry ${address}`
  const limit = AbortSignal.timeout(askMs)
  try {
    const asked = await ask(TYPES_PATH, AbortSignal.any([signal, limit]))
    if ('failed' in asked) {
      const { failed, remedy = 'Check schema_registry.url, and whether it runs.' } = asked
      const what = limit.aborted
        ? `does not answer within ${askMs / 1000} s. Check schema_registry.url and the network.`
        : `cannot be asked: ${failed}. ${remedy}`
      return fail('registry.unreachable', `${registry} ${what}`)
    }
    // there is no `body` where it is not text in UTF-8
    const { status, body = '' } = asked
    if (status === 200 && body.trimStart().startsWith('[')) return ok(`${registry} answers.`)
    throw (status < 300 ? notARegistry : registryRefusal)(asked, TYPES, address)
  } catch (error) {
    if (error instanceof ConnectorError) return fail(error.code!, error.message)
    throw error
  }
}
