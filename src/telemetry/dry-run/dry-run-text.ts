// A dry run for people: a table, what is to be known beside it, and whether a run would come to its end. Decides nothing.

import { JSON_KINDS } from '../../json/json-kind.ts'
import { codedText, firstPainted } from '../../process/paint.ts'
import type { Paint, Tone } from '../../process/paint.ts'
import { counted, thousands } from '../../text/figures.ts'
import { textTable, wrap } from '../../text/printable.ts'
import { changeWords } from '../summary/compare-summaries.ts'
import type { DryRun } from './dry-run-schema.ts'

const HEADINGS = ['table', 'records', 'rejected', 'rows', 'rows sent', 'requests', 'bytes']
/** Fields of a stream that are named. */
const MOST_FIELDS = 20

/** @param noun what is read
 *  @param width columns to fit; Infinity: no line is broken
 *  @returns text that ends in a line feed */
export function dryRunText(dry: DryRun, noun: 'stream' | 'topic', width: number, paint: Paint): string {
  const notes = [
    ...offsetLines(dry),
    ...sizes(dry),
    ...rejects(dry, noun),
    ...fieldLines(dry, noun),
    ...changeWords(dry.changes ?? []),
  ]
  const parts = [
    'Nothing is sent, stored or committed: this is a dry run.',
    ...(dry.rows.length > 0 ? [textTable([noun, ...HEADINGS], tableRows(dry), width)] : []),
    ...(notes.length > 0 ? [notes.map((note) => wrap(note, width, '  ')).join('\n')] : []),
    ...dry.warnings.map((text) => firstPainted('odd', wrap(`Warning: ${text}`, width, '  '), paint)),
    verdict(dry, width, paint),
  ]
  return `${parts.join('\n\n')}\n`
}

/** The first row of a table has its figures. */
function tableRows({ rows, tables }: DryRun): string[][] {
  const left = new Map(tables.map((table) => [table.table, table]))
  return rows.map(({ name, table, records, rejected }) => {
    const of = left.get(table ?? '')
    left.delete(table ?? '')
    return [name, table ?? '', thousands(records), thousands(rejected), ...(of ? figuresOf(of) : ['', '', '', ''])]
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

/** Partitions that are named. */
const MOST_PARTITIONS = 10
const BEGINS = {
  committed: 'where the group goes on',
  start: 'by the start policy',
  'out of range': 'as out_of_range says',
} as const

function offsetLines({ offsets }: DryRun): string[] {
  const more = offsets.length - MOST_PARTITIONS
  return [
    ...offsets.slice(0, MOST_PARTITIONS).map(({ topic, partition, first, end, begins }) => {
      return `Read of topic "${topic}", partition ${partition}: from offset ${first} (${BEGINS[begins]}) up to ${end}.`
    }),
    ...(more > 0 ? [`And of ${counted(more, 'more partition')}, which --json has.`] : []),
  ]
}

function sizes({ tables, longest_line: line }: DryRun): string[] {
  const largest = tables
    .flatMap(({ table, largest_record: of }) => (of ? [{ table, ...of }] : []))
    .reduce<{ table: string; bytes: number; place: string } | undefined>(
      (most, one) => (one.bytes > (most?.bytes ?? 0) ? one : most),
      undefined,
    )
  return [
    ...(largest
      ? [
          `The largest record has ${counted(largest.bytes, 'byte')} as it is sent: ${largest.place}, table "${largest.table}".`,
        ]
      : []),
    ...(line ? [`The longest line has ${counted(line.bytes, 'byte')}: input line ${line.line}.`] : []),
  ]
}

function rejects({ rejected }: DryRun, noun: string): string[] {
  return rejected.map(({ name, reason, records, first }) => {
    return `Of ${noun} "${name}", ${counted(records, 'record is', 'records are')} rejected: ${reason}. The first: ${first}.`
  })
}

function fieldLines({ rows }: DryRun, noun: string): string[] {
  return rows.flatMap(({ name, fields }) => {
    if (fields === null) return []
    const shown = fields.names.slice(0, MOST_FIELDS).map(({ name, records, kinds }) => {
      const some = JSON_KINDS.filter((kind) => kinds[kind] > 0).join(', ')
      return `${name} (${some}${records < fields.sampled ? `, in ${thousands(records)}` : ''})`
    })
    const more = fields.names.length - shown.length
    const rest = more > 0 ? [`${counted(more, 'more field')}, which --json has`] : []
    const all = [...shown, ...rest].join('; ')
    return all === '' ? [] : [`Fields of ${noun} "${name}": ${all}.`]
  })
}

function verdict({ result, error, command }: DryRun, width: number, paint: Paint): string {
  const said = (tone: Tone, text: string, code?: string): string =>
    firstPainted(tone, codedText(text, code, width, '  ', paint), paint)
  if (error)
    return said('bad', `Failed: ${command} would end with this error. ${error.message}`, error.code ?? undefined)
  if (result === 'stopped') return said('odd', 'Interrupted: the figures are of what was read until then.')
  return said('good', `Good: ${command} would take all of it. What the service itself refuses cannot be foretold.`)
}
