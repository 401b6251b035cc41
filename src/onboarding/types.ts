// What an onboarding is to make, how long it waits, what its steps share, and how it can end.

import type { OnboardConfig, OnboardTiming } from '../config/onboard/onboard-load.ts'
import type { Clock } from '../core/types.ts'
import type { OnboardingApi } from '../service/onboarding/onboarding-api.ts'
import type { Journal } from './journal.ts'
import type { Sessions } from './sessions.ts'

/** Where, as who, and what to make. */
export interface OnboardingPlan extends Omit<OnboardConfig, 'timing' | TlsOption> {
  readonly timing: Timing
}

type TlsOption = 'caCertificate' | 'clientCertificate' | 'clientKey'

/** Milliseconds. */
export interface Timing extends OnboardTiming {
  /** How long, after a stop signal, the answer to a creating request is waited for. */
  readonly graceMs: number
}

/** In this order. */
export type StepName = 'login' | 'client' | 'user' | 'properties' | 'connection' | 'test' | 'dashboards'

/** before: done by an earlier run. */
export type StepState = 'working' | 'waiting' | 'done' | 'before' | 'failed' | 'asks' | 'stopped'

export interface StepReport {
  readonly step: StepName
  readonly state: StepState
  /** The service's word for it, or what happened; scrubbed. */
  readonly word: string | undefined
  readonly polls: number
  readonly elapsedMs: number
}

/** Shows the user how it goes; must not throw. */
export interface Progress {
  step(report: StepReport): void
  note(text: string): void
}

/** stopped: the process was told to stop; asks: a person must check the service's state before anything more is created. */
export type Halt = { readonly status: 'stopped' } | { readonly status: 'asks'; readonly question: string }

export type Got<T> = { readonly status: 'got'; readonly value: T } | Halt

/** Ends a run in mid-step; only `runOnboarding` catches it. */
export class Halted extends Error {
  override readonly name = 'Halted'
  readonly halt: Halt

  constructor(halt: Halt) {
    super(halt.status)
    this.halt = halt
  }
}

export function haltIfStopped({ signal }: Pick<Run, 'signal'>): void {
  if (signal.aborted) throw new Halted({ status: 'stopped' })
}

/** What the steps of one run share. They throw Halted where it halts, and a ConnectorError where it fails. */
export interface Run {
  readonly plan: OnboardingPlan
  readonly api: OnboardingApi
  readonly journal: Journal
  readonly sessions: Sessions
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Of `clock`: when the total time is over. */
  readonly deadline: number
  readonly steps: StepProgress
  /** Takes every secret out of a text. */
  readonly scrub: (text: string) => string
}

/** Reports one step after another. */
export interface StepProgress {
  readonly begin: (step: StepName) => void
  /** An earlier run has done it. */
  readonly skip: (step: StepName, word?: string) => void
  readonly report: (state: StepState, word?: string) => void
  /** One more poll. */
  readonly polled: () => void
  readonly note: (text: string) => void
}
