// What the steps of one run share. Types only.

import type { OnboardConfig } from '../config/onboard/onboard-load.ts'
import type { Clock } from '../core/types.ts'
import type { OnboardingApi } from '../service/onboarding/onboarding-api.ts'
import type { Journal } from './journal.ts'
import type { Sessions } from './sessions.ts'
import type { StepProgress } from './step-progress.ts'

/** The addresses, the login, and what to create. */
export type OnboardingPlan = Omit<OnboardConfig, 'caCertificate' | 'clientCertificate' | 'clientKey'>

/** A run as its steps see it. A step throws Halted when the run halts, and a ConnectorError when it fails. */
export interface Run {
  readonly plan: OnboardingPlan
  readonly api: OnboardingApi
  readonly journal: Journal
  readonly sessions: Sessions
  readonly clock: Clock
  readonly signal: AbortSignal
  /** When the total time is over, by `clock`. */
  readonly deadline: number
  readonly steps: StepProgress
  readonly scrub: (text: string) => string
}
