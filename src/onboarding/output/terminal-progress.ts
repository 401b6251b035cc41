// On a terminal: one line per step, rewritten in place while it runs.

import type { Clock } from '../../core/types.ts'
import { displayWidth, wrap, printable, beginning } from '../../text/printable.ts'
import type { Progress, StepReport } from '../types.ts'
import { isOver, lineOf } from './progress.ts'

const CLEAR = '\r\u001b[2K'
const TICK_MS = 1_000

interface TerminalParts {
  readonly write: (text: string) => void
  /** The terminal's columns as they are now: it may have been resized. */
  readonly columns: () => number
  readonly clock: Pick<Clock, 'now' | 'wait'>
}

/** Redraws the running step every second until it is disposed. */
export function terminalProgress({ write, columns, clock }: TerminalParts): Progress & Disposable {
  const over = new AbortController()
  let running: { readonly report: StepReport; readonly at: number } | undefined
  let drawn = ''
  const widthNow = (): number => Math.max(1, columns() - 1)

  /** Clears the drawn line, even if a terminal that became narrower has folded it. */
  function clear(): string {
    const folds = Math.ceil(displayWidth(drawn) / Math.max(1, columns())) - 1
    drawn = ''
    return folds > 0 ? `\r\u001b[${folds}A\u001b[J` : CLEAR
  }

  function draw(): void {
    if (!running) return
    const { report, at } = running
    const line = terminalLine({ ...report, elapsedMs: report.elapsedMs + clock.now() - at }, widthNow())
    write(clear() + line)
    drawn = line
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
      drawn = ''
      write('\n')
    },
    note(text) {
      write(`${clear()}${wrap(`    ${printable(text)}`, widthNow(), '    ')}\n`)
      draw()
    },
    [Symbol.dispose]() {
      over.abort()
      if (running) write('\n')
    },
  }
}

/** Cuts a step's line to at most `width` columns. */
export function terminalLine(report: StepReport, width: number): string {
  const line = lineOf(report)
  return displayWidth(line) <= width ? line : `${beginning(line, width - 1)}…`
}
