// What an onboarding is to make, how patient it is, and how a part of it can end. Types only.

import type { Clock } from '../core/types.ts'
import type { OnboardingApi } from '../service/onboarding/onboarding-api.ts'
import type { OnboardConfig, OnboardTiming } from '../config/onboard/onboard-config.ts'
import type { Journal } from './journal.ts'
import type { Sessions } from './sessions.ts'

/** Where, as who, and what to make. */
export interface OnboardingPlan extends Omit<OnboardConfig, 'timing' | TlsOption> {
  readonly timing: Timing
}

type TlsOption = 'caCertificate' | 'clientCertificate' | 'clientKey'

/** Milliseconds. */
export interface Timing extends OnboardTiming {
  /** Told to stop, so long an answer to a creating request is waited for. */
  readonly graceMs: number
}

/** In this order. */
export type StepName = 'login' | 'client' | 'user' | 'properties' | 'connection' | 'test' | 'dashboards'

/** before: done by an earlier run. */
export type StepState = 'working' | 'waiting' | 'done' | 'before' | 'failed' | 'asks' | 'stopped'

export interface StepReport {
  readonly step: StepName
  readonly state: StepState
  /** What the service says, or what happened; scrubbed. */
  readonly word: string | undefined
  readonly polls: number
  readonly elapsedMs: number
}

/** Tells the user on the way; must not throw. */
export interface Progress {
  step(report: StepReport): void
  note(text: string): void
}

/** stopped: the process was told to; asks: somebody has to find out what is so, before anything else may be made. */
export type Halt = { readonly status: 'stopped' } | { readonly status: 'asks'; readonly question: string }

export type Got<T> = { readonly status: 'got'; readonly value: T } | Halt

/** What the parts of one run share. What stops it is thrown, a ConnectorError. */
export interface Run {
  readonly plan: OnboardingPlan
  readonly api: OnboardingApi
  readonly journal: Journal
  readonly sessions: Sessions
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Of `clock`: when the total time is over. */
  readonly deadline: number
  readonly track: StepTracker
  /** Takes every secret out of a text. */
  readonly scrub: (text: string) => string
}

/** Tells of one step after another. */
export interface StepTracker {
  readonly begin: (step: StepName) => void
  /** An earlier run has done it. */
  readonly skip: (step: StepName, word?: string) => void
  readonly tell: (state: StepState, word?: string) => void
  /** One more poll. */
  readonly polled: () => void
  readonly note: (text: string) => void
}
