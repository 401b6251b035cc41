// A plan for people: a table that fits, then what is to be known of single streams. Decides nothing.

import { textTable } from '../telemetry/text-table.ts'
import { wrap } from '../telemetry/wrap.ts'
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
        : `Stream ${nameOf(stream)}: ${stream.reason}`
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
  return [`table ${stream.table}`, stream.row]
}

function notesOn(stream: PlannedStream): string[] {
  const { hoisted, columns, renamed, soft_deletes: mark, older_rows: older, type_unions: unions, warnings } = stream
  return [
    ...hoisted.map(({ path, field }) => `nested key ${path.join('.')} is sent as the field ${field}`),
    ...(columns.length > 0 ? [`fields added: ${columns.join(', ')}`] : []),
    ...renamed.map(({ from, to }) => `the member ${from} is stored as ${to}`),
    ...(mark === null ? [] : [`deleted rows stay, marked by ${mark}`]),
    ...(older === 'kept' ? ['older rows stay beside the new ones'] : []),
    ...unions.map(({ name, types }) => `${name} holds values of several types: ${types.join(', ')}`),
    ...warnings.map((warning) => `warning: ${warning}`),
  ]
}

function nameOf({ namespace, stream }: { namespace: string | null; stream: string }): string {
  return namespace === null ? stream : `${namespace}.${stream}`
}
