// Shows a run on a terminal: a picture redrawn in place with every snapshot, and log lines above it. The picture fits the terminal: a table
// with a row per stream or topic and a total, and below it what is under way.

import { COUNT_NAMES, COUNTS, TITLES, type RunRow } from '../run/counts.ts'
import { beginning, displayWidth } from '../text/display-width.ts'
import { counted, thousands } from '../text/figures.ts'
import { printable, wrap } from '../text/printable.ts'
import { isWanted } from './log.ts'
import type { LogLevel } from '../process/io.ts'
import { codedText, unpainted, withCode, type Paint } from '../process/paint.ts'
import type { RunDisplay, RunFacts } from '../run/run-facts.ts'
import { runFigures, sinceStart, topicLags, type RunFigure } from '../run/run-figures.ts'
import { lagWords, stoppedWords, underWay } from './run-words.ts'
import { heldWords, troubles } from './wait-words.ts'

/** The size of a terminal, in characters. */
export interface TerminalSize {
  readonly columns: number
  readonly rows: number
}

export interface RunTerminalParts {
  /** Resolves when more can be written; may reject. */
  readonly write: (text: string) => Promise<void>
  /** Returns the current size, as the terminal may have been resized; `undefined` when it is not known. */
  readonly size: () => TerminalSize | undefined
  /** Log entries of this level or a more severe one are shown. */
  readonly least: LogLevel
  /** Milliseconds since 1970. */
  readonly wallClock: () => number
  /** Absent when there are no colours. */
  readonly paint?: Paint
}

/** The time over which rates are computed while the run goes on. */
const RATE_SPAN_MS = 5_000
const USUAL_SIZE: TerminalSize = { columns: 80, rows: 24 }
const CLEAR_LINE_END = '\u001b[K'
const CLEAR_BELOW = '\u001b[J'
const UP_ONE = '\u001b[1A'

/** Shows a run on a terminal that can move its cursor. Each picture is one write over the last one, so it does not flicker. While the
 *  terminal accepts no output (stopped with Ctrl-S), no more pictures are drawn. */
export function runTerminal({ write, size, least, wallClock, paint = unpainted }: RunTerminalParts): RunDisplay {
  /** The snapshots of RATE_SPAN_MS, oldest first, and the last one before, so that rates cover all of that time. */
  const recent: RunFacts[] = []
  /** The lines of the picture on the screen, and the width it was drawn for. */
  let drawn: readonly string[] = []
  let drawnColumns = 0
  let writesUnderWay = 0
  let isOver = false

  /** Draws the newest snapshot over the last picture, below log lines that stay. @param earlier facts from which on rates are counted */
  async function draw(logLines: readonly string[], earlier = recent.length > 1 ? recent[0] : undefined): Promise<void> {
    const { columns, rows } = size() ?? USUAL_SIZE
    const facts = isOver ? undefined : recent.at(-1)
    const lines = facts === undefined ? [] : renderRun(facts, earlier, { columns, rows })
    const text = [...logLines, ...lines].map((line) => `${line}${CLEAR_LINE_END}\n`).join('')
    const up = drawn.length > 0 ? `\r${upBy(drawn, columns)}` : ''
    // A resized terminal keeps a row that it has folded joined to the next one, and folds both anew at the next resize, unless they are
    // cleared: from the second row on, as some terminals keep a screen that is cleared as a whole in their history.
    const back = columns === drawnColumns || up === '' ? up : `${up}${CLEAR_LINE_END}\n${CLEAR_BELOW}${UP_ONE}`
    drawn = lines
    drawnColumns = columns
    writesUnderWay++
    await write(`${back}${text}${CLEAR_BELOW}`).catch(() => {})
    writesUnderWay--
  }

  return {
    show(facts) {
      recent.push(facts)
      while (recent.length > 2 && recent[1]!.at <= facts.at - RATE_SPAN_MS) recent.shift()
      if (writesUnderWay === 0 && !isOver) void draw([])
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
      // the last picture stays on the screen, with the rates of the whole run
      const last = recent.at(-1)
      // `draw` makes the picture before it waits, so the lines behind do not change it
      void draw([], last && sinceStart(last))
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
      const parts = withCode(message, tagOf(level, code ?? event)).split(/[\r\n]+/)
      await write(`${headOf(level, wallClock())}${parts.map(printable).join(' ')}\n`).catch(() => {})
    },
    [Symbol.dispose]() {},
  }
}

/** Returns the code or event to show, where a person may have to act. */
function tagOf(level: LogLevel, name: string | undefined): string | undefined {
  return level === 'warn' || level === 'error' ? name : undefined
}

/** The time and level in front of a message: "08:15:30Z warn  ". */
function headOf(level: LogLevel, now: number): string {
  return `${new Date(now).toISOString().slice(11, 19)}Z ${level.padEnd(5)} `
}

/** Returns what moves the cursor up to the first drawn line. A terminal that became narrower has folded lines into several rows. */
function upBy(drawn: readonly string[], columns: number): string {
  const rows = drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(displayWidth(line) / Math.max(1, columns))), 0)
  return `\u001b[${rows}A`
}

interface Column {
  readonly heading: string
  readonly cell: (row: RunFigure) => string
  /** Its importance: where the terminal is narrow, the column with the lowest is dropped first. */
  readonly weight: number
}

const LAG: Column = { heading: 'Lag', cell: lagWords, weight: 6 }
const RATE: Column = {
  heading: 'Records/s',
  cell: ({ perSecond }) => (perSecond === undefined ? '-' : thousands(perSecond)),
  weight: 3,
}

function columnsOf({ total, group, replays }: RunFacts): Column[] {
  const counts = COUNT_NAMES.flatMap((name): Column[] => {
    const { heading, weight } = COUNTS[name]
    const cell = ({ counts }: RunFigure): string => (counts[name] === undefined ? '' : thousands(counts[name]))
    return weight === undefined || total.counts[name] === undefined ? [] : [{ heading, cell, weight }]
  })
  return [...counts, ...(group && replays !== true ? [LAG] : []), RATE]
}

/** The least width of the names: before they have less, a column is dropped. */
const NARROWEST = 12

/** Lays out a picture: at most `rows - 1` lines of at most `columns - 1` characters, as neither the last line nor the last column of a
 *  terminal is used. If there are too many topics, those with the greatest lag are shown.
 *  @param since earlier facts of the same run, for rates */
export function renderRun(facts: RunFacts, since: RunFacts | undefined, size: TerminalSize): string[] {
  const width = Math.max(1, size.columns - 1)
  const height = Math.max(1, size.rows - 1)
  const state =
    stoppedWords(facts)?.message ?? sentence([...troubles(facts, facts.at), ...underWay(facts), ...heldWords(facts)])
  const below = wrap(state, width, '  ')
    .split('\n')
    .map((line) => fitted(line, width))
  const all = facts.rows
  // one line is the headings
  const room = height - below.length - 1
  const isWhole = all.length + (all.length > 1 ? 1 : 0) <= room
  // else one line is the total, and one says how many are left out
  const shown = isWhole ? all : furthestBehind(facts, room - 2)
  if (shown.length === 0) return below.slice(0, height)
  const figures = runFigures(facts, since, shown)
  const rows = all.length > 1 ? [...figures.rows, figures.total] : figures.rows
  const lines = tableLines(facts, rows, width)
  if (!isWhole) lines.splice(-1, 0, fitted(`… and ${counted(all.length - shown.length, `more ${facts.noun}`)}`, width))
  return [...lines, ...below]
}

function sentence(phrases: readonly string[]): string {
  const text = phrases.join('; ')
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

/** The rows with the greatest lag, in the order of all rows. One whose lag is not known comes after every other. */
function furthestBehind(facts: RunFacts, count: number): RunFacts['rows'] {
  const { rows } = facts
  if (count <= 0) return []
  // streams have no lag
  if (facts.group === undefined) return rows.slice(0, count)
  const lags = topicLags(facts)
  const lagOf = ({ name }: RunRow): bigint => lags.get(name)?.lag ?? -1n
  const byLag = rows.toSorted((a, b) => Number(lagOf(b) - lagOf(a)))
  const kept = new Set(byLag.slice(0, count))
  return rows.filter((row) => kept.has(row))
}

function tableLines(facts: RunFacts, rows: readonly RunFigure[], width: number): string[] {
  const first = TITLES[facts.noun]
  const names = rows.map(({ name, table, isPart }) => printable(isPart ? `${name} → ${table}` : name))
  const columns = columnsOf(facts).map(({ heading, cell, weight }) => {
    const cells = [heading, ...rows.map(cell)]
    return { cells, weight, width: Math.max(...cells.map((text) => text.length)) }
  })
  const longest = Math.max(first.length, ...names.map(displayWidth))
  const roomForNames = (): number => width - columns.reduce((sum, column) => sum + column.width + 2, 0)
  while (columns.length > 0 && roomForNames() < Math.min(longest, NARROWEST)) {
    const lightest = columns.reduce((least, column) => (column.weight < least.weight ? column : least))
    columns.splice(columns.indexOf(lightest), 1)
  }
  const nameWidth = Math.min(longest, roomForNames())
  return [first, ...names].map((name, line) => {
    const cut = fitted(name, nameWidth)
    const cells = columns.map(({ cells, width }) => `  ${cells[line]!.padStart(width)}`).join('')
    return `${cut}${' '.repeat(nameWidth - displayWidth(cut))}${cells}`.trimEnd()
  })
}

/** Cuts a text with `…` if it is too long. */
function fitted(text: string, width: number): string {
  return displayWidth(text) <= width ? text : `${beginning(text, width - 1)}…`
}
