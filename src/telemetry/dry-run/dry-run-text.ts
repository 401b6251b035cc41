// The result of a dry run as text for people: a table, notes, and whether a run would come to its end. Decides nothing.

import { codedText, firstPainted, type Paint, type Tone } from '../../process/paint.ts'
import { counted, thousands } from '../../text/figures.ts'
import { wrap } from '../../text/printable.ts'
import { changeWords, kindsInWords } from '../summary/compare-summaries.ts'
import type { DryRun } from './dry-run-schema.ts'
import { previewText } from './preview-text.ts'

const HEADINGS = ['records', 'rejected', 'rows', 'rows sent', 'requests', 'bytes']
/** The columns that a narrow terminal shows: name, records, rejected, rows. The first two are name and table, before HEADINGS. */
const NARROW_COLUMNS = [0, 2, 3, 4]
/** The most fields and partitions that are named; --json has all. */
const MOST_FIELDS = 20
const MOST_PARTITIONS = 10

/** Lays a dry run out. @param noun the kind of what is read @returns text that ends in a line feed */
export function dryRunText(dry: DryRun, noun: 'stream' | 'topic', width: number, paint: Paint): string {
  const notes = [
    ...offsetLines(dry),
    ...sizeLines(dry),
    ...dry.rejected.map(({ records, reason, first, ...place }) => {
      const some = counted(records, 'record is', 'records are')
      return `Of ${placeIn(dry, place, noun)}, ${some} rejected: ${reason}. The first: ${first}.`
    }),
    ...fieldLines(dry, noun),
    ...(dry.changes?.length === 0 ? ['No change since the run of --compare was found.'] : []),
    ...changeWords(dry.changes ?? [], noun, 'are in what --json prints'),
  ].map((note) => wrap(note, width, '  '))
  const head = wrap('Nothing is sent, stored or committed: this is a dry run.', width, '  ')
  const preview = {
    noun,
    headings: HEADINGS,
    rows: tableRows(dry),
    kept: NARROW_COLUMNS,
    notes: notes.length > 0 ? [notes.join('\n')] : [],
    warnings: dry.warnings.map((text) => ({ text })),
    elsewhere: noun === 'topic' ? undefined : 'plan tells the mode of each stream, and what identifies its rows.',
    verdict: verdict(dry, width, paint),
  }
  return `${head}\n\n${previewText(preview, width, paint)}`
}

/** Lays out the cells of the rows. If several share a table, the first of them has its four figures, and the others have empty cells. */
function tableRows({ rows, tables }: DryRun): string[][] {
  const tablesLeft = new Map(tables.map((table) => [table.table, table]))
  return rows.map(({ name, table, records, rejected }) => {
    const figures = tablesLeft.get(table ?? '')
    tablesLeft.delete(table ?? '')
    const tableCells = figures ? figuresOf(figures) : ['', '', '', '']
    return [name, table ?? '(no table)', thousands(records), thousands(rejected), ...tableCells]
  })
}

function figuresOf(table: DryRun['tables'][number]): string[] {
  const { at_least: least, at_most: most } = table.rows_sent
  const rows = thousands(table.rows)
  return [
    table.rows_exact ? rows : `about ${rows}`,
    least === most ? thousands(most) : `${thousands(least)} to ${thousands(most)}`,
    `≥ ${thousands(table.requests_at_least)}`,
    `≥ ${thousands(table.bytes_at_least)}`,
  ]
}

/** Names a stream or topic, with the table where it has several. */
function placeIn({ rows }: DryRun, { name, table }: Pick<DryRun['rows'][number], 'name' | 'table'>, noun: string) {
  const isPart = table !== null && rows.some((row) => row.name === name && row.table !== table)
  return isPart ? `${noun} "${name}", table "${table}"` : `${noun} "${name}"`
}

const BEGINS = {
  committed: 'where the group goes on',
  start: 'where `start` says',
  'out of range': 'where `out_of_range` says',
} as const

function offsetLines({ offsets }: DryRun): string[] {
  const more = offsets.length - MOST_PARTITIONS
  return [
    ...offsets.slice(0, MOST_PARTITIONS).map(({ topic, partition, first, end, begins }) => {
      return `To read: topic "${topic}", partition ${partition}, from offset ${first} (${BEGINS[begins]}) up to ${end}.`
    }),
    ...(more > 0 ? [`And of ${counted(more, 'more partition')}, which --json has.`] : []),
  ]
}

function sizeLines({ tables, longest_line: line }: DryRun): string[] {
  const largest = Math.max(0, ...tables.map(({ largest_record: record }) => record?.bytes ?? 0))
  const owner = tables.find(({ largest_record: record }) => record?.bytes === largest)
  const where = owner && `${owner.largest_record!.place}, table "${owner.table}"`
  return [
    ...(where ? [`The largest record has ${counted(largest, 'byte')} as it is sent: ${where}.`] : []),
    ...(line ? [`The longest line has ${counted(line.bytes, 'byte')}: input line ${line.line}.`] : []),
  ]
}

function fieldLines(dry: DryRun, noun: string): string[] {
  return dry.rows.flatMap(({ fields, ...row }) => {
    if (fields === null || fields.names.length === 0) return []
    const shown = fields.names.slice(0, MOST_FIELDS).map((field) => {
      const { name, records } = field
      return `${name} (${kindsInWords(field)}${records < fields.sampled ? `, in ${thousands(records)}` : ''})`
    })
    const more = fields.names.length - shown.length
    const rest = more > 0 ? [`${counted(more, 'more field')}, which --json has`] : []
    return [`Fields of ${placeIn(dry, row, noun)}: ${[...shown, ...rest].join('; ')}.`]
  })
}

function verdict({ result, error, command, rejected, rows }: DryRun, width: number, paint: Paint): string {
  const said = (tone: Tone, text: string, code?: string | null): string =>
    firstPainted(tone, codedText(text, code ?? undefined, width, '  ', paint), paint)
  if (error) {
    // a run might not end like this: the fault may have passed, or is about options of the dry run alone
    const isOfDryRun = error.kind === 'transient' || /^(?:report\.not-a-summary|run\.differs)$/.test(error.code ?? '')
    const forecast = isOfDryRun ? '' : `${command} would end with this error. `
    return said('bad', `Failed: ${forecast}${error.message}`, error.code)
  }
  if (result === 'stopped') return said('odd', 'Interrupted: the figures are of what was read until then.')
  if (rows.every(({ records }) => records === 0))
    return said('odd', `Empty: no record came, so ${command} would store nothing.`)
  const rejectedRecords = rejected.reduce((sum, { records }) => sum + records, 0)
  const taken = rejectedRecords > 0 ? `all but ${counted(rejectedRecords, 'rejected record')}` : 'all of it'
  return said('good', `Good: ${command} would take ${taken}. What the service itself refuses cannot be predicted.`)
}
