// Prints the progress of `onboard`: as plain lines, or with --json as JSON lines.

import { elapsedText } from '../../text/figures.ts'
import { printable, shortened } from '../../text/printable.ts'
import type { Progress, StepReport, StepName } from '../step-progress.ts'

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

const STEPS = Object.keys(STEP_TITLES) as readonly StepName[]

/** "1 poll", "4 polls"; '' for none. */
function pollsText(count: number): string {
  if (count === 0) return ''
  return count === 1 ? '1 poll' : `${count} polls`
}

/** Writes progress as JSON lines. @param write writes an object as a line */
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

/** A state that does not change is reported again after this. */
const SILENCE_MS = 30_000
/** Most characters that are shown of a word. */
const MOST_OF_WORD = 300

/** Writes progress as plain lines: one when a step begins, when its state changes, every half minute, and when it ends.
 *  @param write writes a line, and adds its line break */
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

/** "2/7 Create client: waiting, 12.3 s, 2 polls (Queued) …": the service's word last, and an ellipsis while the step goes on. */
function lineOf(report: StepReport): string {
  const { step, state, word, elapsedMs } = report
  const goesOn = state === 'working' || state === 'waiting'
  const since = state === 'working' || state === 'before' ? [] : [elapsedText(elapsedMs), pollsText(report.polls)]
  const number = `${STEPS.indexOf(step) + 1}/${STEPS.length}`
  const head = `${number} ${STEP_TITLES[step]}: ${state === 'before' ? 'done before' : state}`
  const inBrackets = word === undefined ? '' : ` (${printable(shortened(word, MOST_OF_WORD))})`
  return [head, ...since.filter((part) => part !== '')].join(', ') + inBrackets + (goesOn ? ' …' : '')
}
