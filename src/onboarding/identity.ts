// Checks whether a journal belongs to this onboarding, by the options that identify what each creating request makes.

import { failure } from './failures.ts'
import { disguised, CREATING, type Creating, type Known } from './journal-entries.ts'
import type { OnboardingPlan } from './types.ts'

/** The options that identify what a creating request makes. If one has changed since it was sent, the config describes something else. */
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

/** Tells whether any creating request was sent. */
export function isBegun(known: Known): boolean {
  return CREATING.some((endpoint) => known.made[endpoint].state !== 'none')
}

/** Checks that a journal belongs to this onboarding. Throws a ConnectorError (config) that names every difference. Values for requests that
 *  were not sent yet may differ.
 *  @param renewed requests that will be sent again: their values may differ too, except for A2, the client */
export function checkIdentity(known: Known, plan: OnboardingPlan, path: string, renewed: readonly Creating[]): void {
  if (!isBegun(known)) return
  const address = difference('base_url', known.baseUrl, plan.baseUrl)
  const others = CREATING.flatMap((endpoint) => {
    const { state, of: sentIdentity } = known.made[endpoint]
    if (state === 'none' || (endpoint !== 'A2' && renewed.includes(endpoint))) return []
    return Object.entries(IDENTITIES[endpoint](plan)).flatMap(([option, value]) =>
      difference(option, sentIdentity[option], value),
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

/** The difference in one option in words; [] where the values are equal. A value with a secret in it is disguised (hashed) in a journal. */
function difference(option: string, inJournal: string | undefined, config: string): string[] {
  if (inJournal === config || inJournal === disguised(config)) return []
  return [`${option} is ${JSON.stringify(inJournal ?? null)} there and ${JSON.stringify(config)} in the config`]
}
