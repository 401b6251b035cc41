// An onboarding's progress on a terminal: one line a step, rewritten in place while it runs.

import type { Clock } from '../../core/types.ts'
import { printable, wrap } from '../../text/printable.ts'
import { beginning, displayWidth } from '../../text/text-table.ts'
import type { Progress, StepReport } from '../types.ts'
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
      write(`${CLEAR}${wrap(`    ${printable(text)}`, columns - 1, '    ')}\n`)
      draw()
    },
    [Symbol.dispose]() {
      over.abort()
      if (running) write('\n')
    },
  }
}

/** At most `width` columns; what the service says gives way first, on a narrow terminal the title next. */
export function terminalLine(report: StepReport, width: number): string {
  const known = (width < IN_COLUMNS ? narrow(report, width) : columned(report)).join(' ')
  const word = report.word === undefined ? '' : printable(report.word)
  const hasRoom = known.length + ' w…'.length <= width
  const line = (hasRoom ? `${known} ${word}` : known).trimEnd()
  return displayWidth(line) <= width ? line : `${beginning(line, width - 1)}…`
}

const TITLE = Object.values(STEP_TITLES).reduce((most, { length }) => Math.max(most, length), 0)
const NUMBER = 9
const IN_COLUMNS = ['7/7', ' '.repeat(TITLE), STATE_WORDS.before, ' '.repeat(NUMBER), ' '.repeat(NUMBER)].join(
  ' ',
).length

function columned({ step, state, polls: count, elapsedMs }: StepReport): string[] {
  return [
    stepNumber(step),
    STEP_TITLES[step].padEnd(TITLE),
    STATE_WORDS[state].padEnd(STATE_WORDS.before.length),
    (state === 'before' ? '' : elapsed(elapsedMs)).padStart(NUMBER),
    polls(count).padStart(NUMBER),
  ]
}

function narrow({ step, state, polls: count, elapsedMs }: StepReport, width: number): string[] {
  const facts = [STATE_WORDS[state], state === 'before' ? '' : elapsed(elapsedMs), polls(count)].filter(
    (fact) => fact !== '',
  )
  const title = STEP_TITLES[step]
  const room = width - [stepNumber(step), '', ...facts].join(' ').length
  const shown = title.length <= room ? title : room < 2 ? '' : `${title.slice(0, room - 1)}…`
  return [stepNumber(step), ...(shown === '' ? [] : [shown]), ...facts]
}
