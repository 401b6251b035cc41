// The progress of a run as its steps report it, and where each report goes.
//
// A step calls `begin` or `skip` first. After `begin` it calls `report` for each change and at its end, `polled` before the
// report of each poll. `note` may come at any time.

import type { Clock } from '../core/types.ts'

/** Steps in this order. */
export type StepName = 'login' | 'client' | 'user' | 'properties' | 'connection' | 'test' | 'dashboards'

/** before: done by an earlier run; asks: the user must decide. */
export type StepState = 'working' | 'waiting' | 'done' | 'before' | 'failed' | 'asks' | 'stopped'

export interface StepReport {
  readonly step: StepName
  readonly state: StepState
  /** The state as the service names it, or what happened; scrubbed. */
  readonly word: string | undefined
  readonly polls: number
  /** Since the step began. */
  readonly elapsedMs: number
}

/** Shows the progress to the user; must not throw. */
export interface Progress {
  step(report: StepReport): void
  note(text: string): void
}

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

  /** Reports a step that an earlier run has done. */
  skip(step: StepName, word?: string): void {
    this.#enter(step)
    this.report('before', word)
  }

  /** Reports the state of the present step; nothing before the first one. */
  report(state: StepState, word?: string): void {
    if (this.#step === undefined) return
    const elapsedMs = this.#clock.now() - this.#startedAt
    const clean = word === undefined ? undefined : this.#scrub(word)
    this.#progress.step({ step: this.#step, state, word: clean, polls: this.#polls, elapsedMs })
  }

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
