// A stream's facts as lines of a terminal: a table of topics, and why it waits. Pure; draws nothing.

import { counted, thousands } from '../../text/figures.ts'
import { printable, wrap } from '../../text/printable.ts'
import { beginning, displayWidth } from '../../text/text-table.ts'
import { stoppedWords } from './stopped-words.ts'
import type { StreamFacts } from './stream-facts.ts'
import { lagWords, streamFigures, underWay } from './stream-figures.ts'
import type { StreamRow } from './stream-figures.ts'
import { waits } from './waits.ts'

/** Of a terminal, in characters. */
export interface TerminalSize {
  readonly columns: number
  readonly rows: number
}

interface Column {
  readonly heading: string
  readonly cell: (row: StreamRow) => string
  /** The lowest gives way first where the terminal is narrow. */
  readonly weight: number
}

const COLUMNS: readonly Column[] = [
  { heading: 'Records', cell: ({ records }) => thousands(records), weight: 5 },
  { heading: 'Rows sent', cell: ({ rows }) => (rows === undefined ? '' : thousands(rows)), weight: 2 },
  { heading: 'Rejected', cell: ({ rejected }) => thousands(rejected), weight: 4 },
  { heading: 'Ignored', cell: ({ ignored }) => thousands(ignored), weight: 1 },
  { heading: 'Lag', cell: lagWords, weight: 6 },
  { heading: 'Records/s', cell: ({ perSecond }) => (perSecond === undefined ? '-' : thousands(perSecond)), weight: 3 },
]
/** A topic's name keeps so many characters before a column goes. */
const NARROWEST = 12

/** At most `rows - 1` lines of at most `columns - 1` characters: neither the last line nor the last column of a terminal
 *  is used. Where the topics are too many, those with the greatest lag are shown.
 *  @param since earlier facts of the same stream, for rates */
export function renderStream(facts: StreamFacts, since: StreamFacts | undefined, size: TerminalSize): string[] {
  const width = Math.max(1, size.columns - 1)
  const height = Math.max(1, size.rows - 1)
  const state = stoppedWords(facts)?.message ?? sentence([...underWay(facts), ...waits(facts, facts.at)])
  const below = wrap(state, width, '  ')
    .split('\n')
    .map((line) => fitted(line, width))
  const { topics, total } = streamFigures(facts, since)
  const room = height - below.length - 1
  const isWhole = topics.length + (topics.length > 1 ? 1 : 0) <= room
  // else a line goes to the total, and one to what is left out
  const shown = isWhole ? topics : furthestBehind(topics, room - 2)
  if (shown.length === 0) return below.slice(0, height)
  const rows = topics.length > 1 ? [...shown, total] : shown
  const lines = table(rows, width)
  if (!isWhole) lines.splice(-1, 0, fitted(`… and ${counted(topics.length - shown.length, 'more topic')}`, width))
  return [...lines, ...below]
}

function sentence(phrases: readonly string[]): string {
  const text = phrases.join('; ')
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

function furthestBehind(topics: readonly StreamRow[], count: number): StreamRow[] {
  if (count <= 0) return []
  const byLag = topics.toSorted((a, b) => Number((b.lag ?? -1n) - (a.lag ?? -1n)))
  const kept = new Set(byLag.slice(0, count))
  return topics.filter((row) => kept.has(row))
}

function table(rows: readonly StreamRow[], width: number): string[] {
  const names = rows.map(({ topic }) => printable(topic))
  const columns = COLUMNS.map(({ heading, cell, weight }) => {
    const cells = [heading, ...rows.map(cell)]
    return { cells, weight, width: Math.max(...cells.map((text) => text.length)) }
  })
  const longest = Math.max('Topic'.length, ...names.map(displayWidth))
  const left = (): number => width - columns.reduce((sum, column) => sum + column.width + 2, 0)
  while (columns.length > 0 && left() < Math.min(longest, NARROWEST)) {
    const lightest = columns.reduce((least, column) => (column.weight < least.weight ? column : least))
    columns.splice(columns.indexOf(lightest), 1)
  }
  const first = Math.min(longest, left())
  return ['Topic', ...names].map((name, line) => {
    const cut = fitted(name, first)
    const cells = columns.map(({ cells, width }) => `  ${cells[line]!.padStart(width)}`).join('')
    return `${cut}${' '.repeat(first - displayWidth(cut))}${cells}`.trimEnd()
  })
}

/** Cut with `…` where it is too long. */
function fitted(text: string, width: number): string {
  return displayWidth(text) <= width ? text : `${beginning(text, width - 1)}…`
}
