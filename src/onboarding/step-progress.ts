// Takes reports from the steps of a run, and passes them on with what is known of the step.
//
// A step calls `begin` or `skip` first. After `begin` it calls `report` for each change and at its end, `polled` before the
// report of each poll. `note` may come at any time.

import type { Clock } from '../core/types.ts'

/** The steps, in the order in which they run. */
export type StepName = 'login' | 'client' | 'user' | 'properties' | 'connection' | 'test' | 'dashboards'

/** working: the step has begun; waiting: for a job or another attempt; before: done by an earlier run; asks: the user must decide. */
export type StepState = 'working' | 'waiting' | 'done' | 'before' | 'failed' | 'asks' | 'stopped'

export interface StepReport {
  readonly step: StepName
  readonly state: StepState
  /** The state as the service names it, or what happened; scrubbed. */
  readonly word: string | undefined
  /** How many polls the step has sent. */
  readonly polls: number
  /** Time since the step began. */
  readonly elapsedMs: number
}

/** Shows the progress to the user; must not throw. */
export interface Progress {
  step(report: StepReport): void
  note(text: string): void
}

export type StepProgress = ReturnType<typeof stepProgress>

/** Makes what steps tell their progress to. @param scrub is applied before any layout, which could cut a secret in two */
export function stepProgress(progress: Progress, clock: Pick<Clock, 'now'>, scrub: (text: string) => string) {
  let step: StepName | undefined
  let startedAt = 0
  let polls = 0
  const enter = (next: StepName): void => {
    step = next
    startedAt = clock.now()
    polls = 0
  }
  /** Reports the state of the present step; nothing before the first one. */
  const report = (state: StepState, word?: string): void => {
    if (step === undefined) return
    const elapsedMs = clock.now() - startedAt
    progress.step({ step, state, word: word === undefined ? undefined : scrub(word), polls, elapsedMs })
  }
  return {
    report,
    begin(next: StepName): void {
      enter(next)
      report('working')
    },
    /** Reports a step that an earlier run has done. */
    skip(next: StepName, word?: string): void {
      enter(next)
      report('before', word)
    },
    polled: (): void => void polls++,
    note: (text: string): void => progress.note(scrub(text)),
  }
}
