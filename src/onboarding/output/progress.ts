// An onboarding's progress: as JSON lines, as plain lines, and on a terminal.

import { elapsedText } from '../../text/figures.ts'
import { printable, shortened } from '../../text/printable.ts'
import type { Progress, StepReport, StepName } from '../types.ts'

/** Titles of the steps, in their order. */
const STEP_TITLES: Readonly<Record<StepName, string>> = {
  login: 'Log in',
  client: 'Create client',
  user: 'Create user',
  properties: 'Set properties',
  connection: 'Add connection',
  test: 'Test connection',
  dashboards: 'Create dashboards',
}

export const STEPS = Object.keys(STEP_TITLES) as readonly StepName[]

/** "2/7". */
function stepNumber(step: StepName): string {
  return `${STEPS.indexOf(step) + 1}/${STEPS.length}`
}

/** Whether the step will not be reported again. */
export function isOver({ state }: StepReport): boolean {
  return state !== 'working' && state !== 'waiting'
}

/** "1 poll", "4 polls"; '' for none. */
function polls(count: number): string {
  if (count === 0) return ''
  return count === 1 ? '1 poll' : `${count} polls`
}

/** Tells progress as JSON lines. @param write one object per line */
export function jsonProgress(write: (event: Readonly<Record<string, unknown>>) => void): Progress {
  return {
    step: ({ step, state, word, polls, elapsedMs }) =>
      write({
        event: 'step',
        step,
        number: STEPS.indexOf(step) + 1,
        of: STEPS.length,
        state,
        ...(word === undefined ? {} : { word }),
        polls,
        elapsed_ms: Math.round(elapsedMs),
      }),
    note: (text) => write({ event: 'note', text }),
  }
}

const SILENCE_MS = 30_000
const MAX_WORD = 300

/** Tells progress as plain lines: one when a step begins, when its state changes, every half minute, and when it
 *  ends.
 *  @param write a line, without its line break */
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

/** One line of a step, the service's word last, since a narrow terminal cuts it there. */
export function lineOf(report: StepReport): string {
  const { step, state, word, elapsedMs } = report
  const since = state === 'working' || state === 'before' ? [] : [elapsedText(elapsedMs), polls(report.polls)]
  const head = `${stepNumber(step)} ${STEP_TITLES[step]}: ${state === 'before' ? 'done before' : state}`
  const inBrackets = word === undefined ? '' : ` (${printable(shortened(word, MAX_WORD))})`
  return [head, ...since.filter((part) => part !== '')].join(', ') + inBrackets + (isOver(report) ? '' : ' …')
}
