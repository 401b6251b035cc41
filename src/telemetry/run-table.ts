// Lays out a run as a table of text that fits a terminal: a row per stream or topic, a total, and what is under way. Pure.

import { COUNT_NAMES, COUNTS, TERMINAL_WEIGHTS, type RunRow } from '../run/counts.ts'
import type { RunFacts } from '../run/run-facts.ts'
import { runFigures, topicLags, type RunFigure } from '../run/run-figures.ts'
import { counted, thousands } from '../text/figures.ts'
import { beginning, displayWidth } from '../text/display-width.ts'
import { printable, wrap } from '../text/printable.ts'
import { lagWords, stoppedWords, underWay } from './run-words.ts'
import { heldWords, troubles } from './wait-words.ts'

/** The size of a terminal, in characters. */
export interface TerminalSize {
  readonly columns: number
  readonly rows: number
}

interface Column {
  readonly heading: string
  readonly cell: (row: RunFigure) => string
  /** The lowest is dropped first if the terminal is narrow. */
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
    const { heading } = COUNTS[name]
    const weight = TERMINAL_WEIGHTS[name]
    const cell = ({ counts }: RunFigure): string => (counts[name] === undefined ? '' : thousands(counts[name]))
    return weight === undefined || total.counts[name] === undefined ? [] : [{ heading, cell, weight }]
  })
  return [...counts, ...(group && replays !== true ? [LAG] : []), RATE]
}

/** A column is dropped before a name has less room than this. */
const NARROWEST = 12

/** Lays out at most `rows - 1` lines of at most `columns - 1` characters: neither the last line nor the last column of a terminal
 *  is used. If there are too many topics, those with the greatest lag are shown.
 *  @param since earlier facts of the same stream, for rates */
export function renderRun(facts: RunFacts, since: RunFacts | undefined, size: TerminalSize): string[] {
  const width = Math.max(1, size.columns - 1)
  const height = Math.max(1, size.rows - 1)
  const state =
    stoppedWords(facts)?.message ?? sentence([...troubles(facts, facts.at), ...underWay(facts), ...heldWords(facts)])
  const below = wrap(state, width, '  ')
    .split('\n')
    .map((line) => fitted(line, width))
  const all = facts.rows
  const room = height - below.length - 1
  const isWhole = all.length + (all.length > 1 ? 1 : 0) <= room
  // else one line is for the total, and one for those left out
  const shown = isWhole ? all : furthestBehind(facts, room - 2)
  if (shown.length === 0) return below.slice(0, height)
  const figures = runFigures(facts, since, shown)
  const rows = all.length > 1 ? [...figures.rows, figures.total] : figures.rows
  const lines = table(facts, rows, width)
  if (!isWhole) lines.splice(-1, 0, fitted(`… and ${counted(all.length - shown.length, `more ${facts.noun}`)}`, width))
  return [...lines, ...below]
}

function sentence(phrases: readonly string[]): string {
  const text = phrases.join('; ')
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

function furthestBehind(facts: RunFacts, count: number): RunFacts['rows'] {
  const { rows } = facts
  if (count <= 0) return []
  // streams have none
  if (facts.group === undefined) return rows.slice(0, count)
  const lags = topicLags(facts)
  const lagOf = ({ name }: RunRow): bigint => lags.get(name)?.lag ?? -1n
  const byLag = rows.toSorted((a, b) => Number(lagOf(b) - lagOf(a)))
  const kept = new Set(byLag.slice(0, count))
  return rows.filter((row) => kept.has(row))
}

function table(facts: RunFacts, rows: readonly RunFigure[], width: number): string[] {
  const first = facts.noun === 'topic' ? 'Topic' : 'Stream'
  const names = rows.map(({ name, table, isPart }) => printable(isPart ? `${name} → ${table}` : name))
  const columns = columnsOf(facts).map(({ heading, cell, weight }) => {
    const cells = [heading, ...rows.map(cell)]
    return { cells, weight, width: Math.max(...cells.map((text) => text.length)) }
  })
  const longest = Math.max(first.length, ...names.map(displayWidth))
  const left = (): number => width - columns.reduce((sum, column) => sum + column.width + 2, 0)
  while (columns.length > 0 && left() < Math.min(longest, NARROWEST)) {
    const lightest = columns.reduce((least, column) => (column.weight < least.weight ? column : least))
    columns.splice(columns.indexOf(lightest), 1)
  }
  const room = Math.min(longest, left())
  return [first, ...names].map((name, line) => {
    const cut = fitted(name, room)
    const cells = columns.map(({ cells, width }) => `  ${cells[line]!.padStart(width)}`).join('')
    return `${cut}${' '.repeat(room - displayWidth(cut))}${cells}`.trimEnd()
  })
}

/** Cuts a text with `…` if it is too long. */
function fitted(text: string, width: number): string {
  return displayWidth(text) <= width ? text : `${beginning(text, width - 1)}…`
}
