// A plan for people: a table that fits, then what is to be known of single streams. Names are in quotes in sentences, and bare
// in the table and in headings. Decides nothing.

import { shown } from '../mapping/key-fields.ts'
import { label } from '../mapping/catalog-stream.ts'
import { textTable } from '../text/text-table.ts'
import { wrap } from '../text/wrap.ts'
import type { Plan, PlannedStream } from './plan-of.ts'

/** @param width columns to fit; Infinity: no line is cut or broken
 *  @returns text that ends in a line feed */
export function planText(plan: Plan, width: number): string {
  // what is cut in the table is said in full below it
  const isCut = table(plan.streams, Infinity) !== table(plan.streams, width)
  const notesOf = (stream: PlannedStream): string[] => [...(isCut ? inFull(stream) : []), ...notesOn(stream)]
  const parts = [
    ...(plan.streams.length > 0 ? [table(plan.streams, width)] : []),
    ...plan.streams.flatMap((stream) => section(nameOf(stream), notesOf(stream), width)),
    ...plan.warnings.map((warning) => wrap(`Warning: ${warning}`, width, '  ')),
    ...refusals(plan, width),
  ]
  return `${parts.join('\n\n')}\n`
}

function table(streams: readonly PlannedStream[], width: number): string {
  const rows = streams.map((stream) => {
    const refused = stream.older_rows === 'refused' ? ' (refused with records)' : ''
    return [nameOf(stream), stream.table, stream.mode, `${stream.row}${refused}`]
  })
  return textTable(['stream', 'table', 'mode', 'what identifies a row'], rows, width)
}

function refusals({ problems, refused }: Plan, width: number): string[] {
  const all = [
    ...problems,
    ...refused.map((stream) => {
      // such a reason is a sentence of its own, with the stream's name
      return stream.only_with_records
        ? `${stream.reason} A run without records for it (a Clear) would pass.`
        : `Stream ${label({ name: stream.stream, namespace: stream.namespace ?? undefined })}: ${stream.reason}`
    }),
  ]
  if (all.length === 0) return ['A write of this catalog would begin.']
  return [
    [
      'A write of this catalog would be refused:',
      ...all.map((reason, index) => wrap(`${index + 1}. ${reason}`, width, '   ')),
    ].join('\n'),
  ]
}

function section(name: string, notes: readonly string[], width: number): string[] {
  return notes.length === 0
    ? []
    : [[wrap(name, width, '  '), ...notes.map((note) => wrap(`  - ${note}`, width, '    '))].join('\n')]
}

function inFull(stream: PlannedStream): string[] {
  return [`table ${quoted(stream.table)}`, stream.row]
}

function notesOn(stream: PlannedStream): string[] {
  const { hoisted, columns, renamed, soft_deletes: mark, older_rows: older, type_unions: unions, warnings } = stream
  return [
    ...hoisted.map(({ path, field }) => `nested key ${shown(path)} is sent as the field ${quoted(field)}`),
    ...(columns.length > 0 ? [`fields added: ${columns.map(quoted).join(', ')}`] : []),
    ...renamed.map(({ from, to }) => `the member ${quoted(from)} is stored as ${quoted(to)}`),
    ...(mark === null ? [] : [`deleted rows stay, marked by ${quoted(mark)}`]),
    ...(older === 'kept' ? ['older rows stay beside the new ones'] : []),
    ...unions.map(({ name, types }) => `${quoted(name)} holds values of several types: ${types.join(', ')}`),
    ...warnings.map((warning) => `warning: ${warning}`),
  ]
}

function quoted(name: string): string {
  return `"${name}"`
}

function nameOf({ namespace, stream }: { namespace: string | null; stream: string }): string {
  return namespace === null ? stream : `${namespace}.${stream}`
}
