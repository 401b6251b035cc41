// Tells of one step after another: since when it runs, how often was asked. Knows no output.

import type { Clock } from '../core/types.ts'
import type { Progress, StepName, StepState, StepTracker } from './types.ts'

/** Nothing is told before the first step. `scrub`: before anything is laid out, which may cut it. */
export function createTrack(
  progress: Progress,
  clock: Pick<Clock, 'now'>,
  scrub: (text: string) => string,
): StepTracker {
  let step: StepName | undefined
  let startedAt = 0
  let polls = 0
  const tell = (state: StepState, word?: string): void => {
    const clean = word === undefined ? undefined : scrub(word)
    if (step) progress.step({ step, state, word: clean, polls, elapsedMs: clock.now() - startedAt })
  }
  const enter = (next: StepName): void => {
    step = next
    startedAt = clock.now()
    polls = 0
  }
  return {
    begin(next) {
      enter(next)
      tell('working')
    },
    skip(next, word) {
      enter(next)
      tell('before', word)
    },
    tell,
    polled() {
      polls++
    },
    note: (text) => progress.note(scrub(text)),
  }
}
