// An onboarding's progress on a terminal: one line a step, rewritten in place while it runs.

import type { Clock } from '../core/types.ts'
import type { Progress, StepReport } from '../onboarding/types.ts'
import { beginning, displayWidth } from '../telemetry/display-width.ts'
import { printable } from '../telemetry/printable.ts'
import { wrap } from '../telemetry/wrap.ts'
import { elapsed, isOver, polls, STATE_WORDS, STEP_TITLES, stepNumber } from './onboard-steps.ts'

const CLEAR = '\r\u001b[2K'
const TICK_MS = 1_000

export interface TerminalParts {
  readonly write: (text: string) => void
  readonly columns: number
  readonly clock: Pick<Clock, 'now' | 'wait'>
}

/** Redraws the running step every second until it is disposed. */
export function terminalProgress({ write, columns, clock }: TerminalParts): Progress & Disposable {
  const over = new AbortController()
  let running: { readonly report: StepReport; readonly at: number } | undefined

  function draw(): void {
    if (!running) return
    const { report, at } = running
    write(CLEAR + terminalLine({ ...report, elapsedMs: report.elapsedMs + clock.now() - at }, columns - 1))
  }

  async function tick(): Promise<void> {
    while (!over.signal.aborted) {
      await clock.wait(TICK_MS, over.signal)
      if (!over.signal.aborted) draw()
    }
  }

  void tick()
  return {
    step(report) {
      running = { report, at: clock.now() }
      draw()
      if (!isOver(report)) return
      running = undefined
      write('\n')
    },
    note(text) {
      write(`${CLEAR}${wrap(`    ${text}`, columns - 1, '    ')}\n`)
      draw()
    },
    [Symbol.dispose]() {
      over.abort()
      if (running) write('\n')
    },
  }
}

/** At most `width` columns; what the service says gives way. */
export function terminalLine({ step, state, word, polls: count, elapsedMs }: StepReport, width: number): string {
  const title = Object.values(STEP_TITLES).reduce((most, { length }) => Math.max(most, length), 0)
  const line = [
    stepNumber(step),
    STEP_TITLES[step].padEnd(title),
    STATE_WORDS[state].padEnd(STATE_WORDS.before.length),
    (state === 'before' ? '' : elapsed(elapsedMs)).padStart(9),
    polls(count).padStart(9),
    word === undefined ? '' : printable(word),
  ]
    .join(' ')
    .trimEnd()
  return displayWidth(line) <= width ? line : `${beginning(line, width - 1)}…`
}
