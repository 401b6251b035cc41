// What the steps of an onboarding share, how they report progress, and how a run can end.

import type { OnboardConfig } from '../config/onboard/onboard-load.ts'
import type { Clock } from '../core/types.ts'
import type { OnboardingApi } from '../service/onboarding/onboarding-api.ts'
import type { Journal } from './journal.ts'
import type { Sessions } from './sessions.ts'

/** The addresses, the login, and what to create. */
export type OnboardingPlan = Omit<OnboardConfig, 'caCertificate' | 'clientCertificate' | 'clientKey'>

/** Steps in this order. */
export type StepName = 'login' | 'client' | 'user' | 'properties' | 'connection' | 'test' | 'dashboards'

/** before: done by an earlier run; asks: a person must decide. */
export type StepState = 'working' | 'waiting' | 'done' | 'before' | 'failed' | 'asks' | 'stopped'

export interface StepReport {
  readonly step: StepName
  readonly state: StepState
  /** The state as the service names it, or what happened; scrubbed. */
  readonly word: string | undefined
  readonly polls: number
  readonly elapsedMs: number
}

/** Shows the progress to the user; must not throw. */
export interface Progress {
  step(report: StepReport): void
  note(text: string): void
}

/** stopped: the process was told to stop; asks: a person must check the service's state before anything more is created. */
export type Halt = { readonly status: 'stopped' } | { readonly status: 'asks'; readonly question: string }

export type Got<T> = { readonly status: 'got'; readonly value: T } | Halt

/** Ends a run in the middle of a step; only `runOnboarding` catches it. */
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

/** State that the steps of one run share. A step throws Halted when the run halts, and a ConnectorError when it
 *  fails. */
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
  /** Takes every secret out of a text. */
  readonly scrub: (text: string) => string
}

/** Reports one step after another; nothing before the first one. */
export class StepProgress {
  readonly #progress: Progress
  readonly #clock: Pick<Clock, 'now'>
  readonly #scrub: (text: string) => string
  #step: StepName | undefined
  #startedAt = 0
  #polls = 0

  /** @param scrub is applied before any layout, which could cut a secret in two */
  constructor(progress: Progress, clock: Pick<Clock, 'now'>, scrub: (text: string) => string) {
    this.#progress = progress
    this.#clock = clock
    this.#scrub = scrub
  }

  begin(step: StepName): void {
    this.#enter(step)
    this.report('working')
  }

  /** An earlier run has done it. */
  skip(step: StepName, word?: string): void {
    this.#enter(step)
    this.report('before', word)
  }

  report(state: StepState, word?: string): void {
    if (this.#step === undefined) return
    const elapsedMs = this.#clock.now() - this.#startedAt
    const clean = word === undefined ? undefined : this.#scrub(word)
    this.#progress.step({ step: this.#step, state, word: clean, polls: this.#polls, elapsedMs })
  }

  /** One more poll. */
  polled(): void {
    this.#polls++
  }

  note(text: string): void {
    this.#progress.note(this.#scrub(text))
  }

  #enter(step: StepName): void {
    this.#step = step
    this.#startedAt = this.#clock.now()
    this.#polls = 0
  }
}
