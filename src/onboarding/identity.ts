// What identifies an onboarding, endpoint by endpoint, and whether a journal belongs to this one. Pure.

import { failure } from './failures.ts'
import { disguised, CREATING, type Creating, type Known } from './journal-entries.ts'
import type { OnboardingPlan } from './types.ts'

/** The options that say what a creating request is about, with their values. If one changes after the request was sent, the config
 *  describes something else. */
export const IDENTITIES: Readonly<Record<Creating, (plan: OnboardingPlan) => Record<string, string>>> = {
  A2: ({ client }) => ({
    'client.company': client.company,
    'client.email': client.email,
    'client.shop.customer_id': client.shop.customerId,
    'client.shop.subscription_id': client.shop.subscriptionId,
  }),
  A4: ({ user }) => ({ 'user.email': user.email }),
  A6: ({ connection }) => ({ 'connection.name': connection.name }),
  A8: () => ({}),
  A10: ({ dashboards }) => ({ 'dashboards.package': dashboards.package }),
}

/** Whether any creating request was sent. */
export function isBegun(known: Known): boolean {
  return CREATING.some((endpoint) => known.made[endpoint].state !== 'none')
}

/** Checks that a journal belongs to this onboarding. Throws a ConnectorError (config) that names every difference. What was not sent
 *  yet may differ.
 *  @param renewed what will be created again: it may differ too, except for the client */
export function checkIdentity(known: Known, plan: OnboardingPlan, path: string, renewed: readonly Creating[]): void {
  if (!isBegun(known)) return
  const address = difference('base_url', known.baseUrl, plan.baseUrl)
  const others = CREATING.flatMap((endpoint) => {
    const { state, of } = known.made[endpoint]
    if (state === 'none' || (endpoint !== 'A2' && renewed.includes(endpoint))) return []
    return Object.entries(IDENTITIES[endpoint](plan)).flatMap(([option, value]) =>
      difference(option, of[option], value),
    )
  })
  const differences = [...address, ...others]
  if (differences.length === 0) return
  throw failure(
    'config',
    `The journal ${JSON.stringify(path)} belongs to another onboarding: ${differences.join('; ')}. ` +
      'Give this onboarding a journal of its own with --journal, or restore the values to continue the one that was begun.',
  )
}

function difference(option: string, journal: string | undefined, config: string): string[] {
  if (journal === config || journal === disguised(config)) return []
  return [`${option} is ${JSON.stringify(journal ?? null)} there and ${JSON.stringify(config)} in the config`]
}
