// What an onboarding has made, for the user and for machines. Pure; holds no secret.

import type { Known } from './journal-entries.ts'
import type { OnboardingPlan } from './types.ts'

/** As written with --output. Ids are what the service calls things by; absent: it named none. */
export interface OnboardingResult {
  readonly status: 'onboarded'
  readonly base_url: string
  readonly dashboard_url: string
  readonly company: string
  readonly client_id: number
  readonly signup_id?: string
  readonly user_email: string
  /** Of A4's answer: the user's number if it has one, else the invite's. */
  readonly user_id: number
  readonly invite_id?: number
  readonly connection_name: string
  readonly connection_id: number
  readonly job_id?: number
  readonly dashboard_id: string
  /** To be let in where the database is reached through SSH. */
  readonly pubkey?: string
}

/** Of an onboarding that is done. */
export function resultOf({ made, clientId, userId, pubkey }: Known, plan: OnboardingPlan): OnboardingResult {
  const { A2, A4, A6, A8, A10 } = made
  return {
    status: 'onboarded',
    base_url: plan.baseUrl,
    dashboard_url: plan.dashboardUrl,
    company: plan.client.company,
    client_id: Number(clientId),
    ...(typeof A2.id === 'string' ? { signup_id: A2.id } : {}),
    user_email: plan.user.email,
    user_id: Number(userId ?? A4.id),
    ...(typeof A4.id === 'number' && !A4.adopted ? { invite_id: A4.id } : {}),
    connection_name: plan.connection.name,
    connection_id: Number(A6.id),
    ...(typeof A8.id === 'number' ? { job_id: A8.id } : {}),
    dashboard_id: String(A10.id),
    ...(pubkey === undefined ? {} : { pubkey }),
  }
}
