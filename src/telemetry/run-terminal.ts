// Shows a run on a terminal: a table (run-table.ts) redrawn in place with every snapshot, and log lines above it.

import { displayWidth } from '../text/display-width.ts'
import { printable } from '../text/printable.ts'
import { isWanted } from './log.ts'
import type { LogLevel } from '../process/io.ts'
import { codedText, unpainted, withCode, type Paint } from '../process/paint.ts'
import type { RunDisplay, RunFacts } from '../run/run-facts.ts'
import { sinceStart } from '../run/run-figures.ts'
import { renderRun, type TerminalSize } from './run-table.ts'

export interface RunTerminalParts {
  /** Resolves when more can be written; may reject. */
  readonly write: (text: string) => Promise<void>
  /** Returns the current size, as the terminal may have been resized; `undefined` when it is not known. */
  readonly size: () => TerminalSize | undefined
  readonly least: LogLevel
  /** Milliseconds since 1970. */
  readonly wallClock: () => number
  /** Absent when there are no colours. */
  readonly paint?: Paint
}

/** How far back rates look while the run goes on. */
const RATE_SPAN_MS = 5_000
const USUAL_SIZE: TerminalSize = { columns: 80, rows: 24 }
const CLEAR_LINE_END = '\u001b[K'
const CLEAR_BELOW = '\u001b[J'
const UP_ONE = '\u001b[1A'

/** Each picture is one write over the last one, so it does not flicker. While the terminal accepts no output (stopped with
 *  Ctrl-S), no more pictures are drawn. */
export function runTerminal({ write, size, least, wallClock, paint = unpainted }: RunTerminalParts): RunDisplay {
  /** Oldest first. One older than the span is among them, so that rates cover the whole span. */
  const recent: RunFacts[] = []
  let drawn: readonly string[] = []
  let drawnColumns = 0
  let unwritten = 0
  let isLast = false
  let isOver = false

  async function send(text: string): Promise<void> {
    unwritten++
    await write(text).catch(() => {})
    unwritten--
  }

  /** @param above lines that stay */
  async function draw(above: readonly string[]): Promise<void> {
    const { columns, rows } = size() ?? USUAL_SIZE
    const facts = isOver ? undefined : recent.at(-1)
    const earlier = recent.length > 1 ? recent[0] : undefined
    const lines = facts === undefined ? [] : renderRun(facts, isLast ? sinceStart(facts) : earlier, { columns, rows })
    const text = [...above, ...lines].map((line) => `${line}${CLEAR_LINE_END}\n`).join('')
    const up = drawn.length > 0 ? `\r${upBy(drawn, columns)}` : ''
    // a row that the terminal folded stays joined to the next one, and both are folded anew by the next resize, unless it is cleared;
    // from the second row on, as some terminals keep a whole screen that is cleared in their history
    const back = columns === drawnColumns || up === '' ? up : `${up}${CLEAR_LINE_END}\n${CLEAR_BELOW}${UP_ONE}`
    drawn = lines
    drawnColumns = columns
    await send(`${back}${text}${CLEAR_BELOW}`)
  }

  return {
    show(facts) {
      recent.push(facts)
      while (recent.length > 2 && recent[1]!.at <= facts.at - RATE_SPAN_MS) recent.shift()
      if (unwritten === 0 && !isOver) void draw([])
    },
    async log(level, message, { code, event } = {}) {
      if (!isWanted(level, least)) return
      const { columns } = size() ?? USUAL_SIZE
      const tag = tagOf(level, code ?? event)
      const text = `${headOf(level, wallClock())}${message}`
      const [first, ...others] = codedText(text, tag, Math.max(1, columns - 1), '    ', paint).split('\n')
      const tone = level === 'error' ? 'bad' : level === 'warn' ? 'odd' : undefined
      await draw([tone ? first!.replace(level, (word) => paint(tone, word)) : first!, ...others])
    },
    [Symbol.dispose]() {
      // what stays on the screen has the rates of the whole run
      isLast = true
      void draw([])
      drawn = []
      isOver = true
    },
  }
}

/** Shows only the log, a line per entry, on a terminal that cannot move its cursor. */
export function plainTerminal({ write, least, wallClock }: Omit<RunTerminalParts, 'size'>): RunDisplay {
  return {
    show() {},
    async log(level, message, { code, event } = {}) {
      if (!isWanted(level, least)) return
      await write(
        `${headOf(level, wallClock())}${withCode(message, tagOf(level, code ?? event))
          .split(/[\r\n]+/)
          .map(printable)
          .join(' ')}\n`,
      ).catch(() => {})
    },
    [Symbol.dispose]() {},
  }
}

/** Returns the code or event to show, where a person may have to act. */
function tagOf(level: LogLevel, name: string | undefined): string | undefined {
  return level === 'warn' || level === 'error' ? name : undefined
}

/** "08:15:30Z warn  ". */
function headOf(level: LogLevel, now: number): string {
  return `${new Date(now).toISOString().slice(11, 19)}Z ${level.padEnd(5)} `
}

/** Moves the cursor above the drawn lines. A terminal that became narrower has folded them. */
function upBy(drawn: readonly string[], columns: number): string {
  const rows = drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(displayWidth(line) / Math.max(1, columns))), 0)
  return `\u001b[${rows}A`
}
