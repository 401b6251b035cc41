// What a test that started the local service may ask of its interface A. Adds nothing to it.

import { ConnectorError } from '../../core/errors.ts'
import type { Onboarding } from './onboarding.ts'
import { type ClientOverview, clientOverview, type SignupOverview, signupOverview } from './overview.ts'
import type { PlanChange, Plans } from './plans.ts'

export interface OnboardingControl {
  /** What becomes of the jobs that start now. */
  readonly plans: Plans
  /** For jobs that start from now on; those that hang start again, with the plan that their kind has then. Throws a
   *  ConnectorError (config) that lists everything wrong with `change`. */
  plan(change: PlanChange): void
  /** As it was when the service started. */
  resetPlans(): void
  /** As `GET /_local/clients` answers. */
  clients(): readonly ClientOverview[]
  /** In the order they came, those that failed or still go on too. */
  signups(): readonly SignupOverview[]
  /** A new key for imports of a client, good at once; it is shown this once. Throws a ConnectorError (config) when there is
   *  no such client. */
  makeImportKey(clientId: number): string
}

export function onboardingControl(onboarding: Onboarding): OnboardingControl {
  return {
    get plans() {
      return onboarding.plans
    },
    plan: (change) => onboarding.plan(change),
    resetPlans: () => onboarding.resetPlans(),
    clients: () => clientOverview(onboarding),
    signups: () => signupOverview(onboarding),
    makeImportKey(clientId) {
      const key = onboarding.makeImportKey(clientId)
      if (key === undefined) throw new ConnectorError('config', `There is no client ${clientId}.`)
      return key
    },
  }
}
