// An onboarding's progress as plain lines: one when a step begins, when what is heard of it changes, every half minute, and
// when it is over.

import type { Progress, StepReport } from '../types.ts'
import { printable } from '../../text/printable.ts'
import { shortened } from '../../text/shortened.ts'
import { elapsed, isOver, polls, STATE_WORDS, STEP_TITLES, stepNumber } from './onboard-steps.ts'

const SILENCE_MS = 30_000
const MAX_WORD = 300

/** @param write a line, without its end */
export function lineProgress(write: (line: string) => void): Progress {
  let last: StepReport | undefined
  return {
    step(report) {
      const isNews =
        last?.step !== report.step ||
        last.word !== report.word ||
        last.state !== report.state ||
        report.elapsedMs - last.elapsedMs >= SILENCE_MS
      if (!isNews) return
      last = report
      write(lineOf(report))
    },
    note: (text) => write(`    ${printable(text)}`),
  }
}

function lineOf(report: StepReport): string {
  const { step, state, word, elapsedMs } = report
  const said = word === undefined ? '' : ` (${printable(shortened(word, MAX_WORD))})`
  const since = state === 'working' || state === 'before' ? [] : [elapsed(elapsedMs), polls(report.polls)]
  const head = `${stepNumber(step)} ${STEP_TITLES[step]}: ${STATE_WORDS[state]}${said}`
  return [head, ...since.filter((part) => part !== '')].join(', ') + (isOver(report) ? '' : ' …')
}
