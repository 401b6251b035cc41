// A plan for people: a table of streams, notes on each, warnings, and what a write would refuse. Names are in quotes in sentences, and
// bare in the table and in headings. Decides nothing.

import { shown } from '../mapping/key-fields.ts'
import { codedText, type Paint } from '../process/paint.ts'
import { previewText } from '../telemetry/dry-run/preview-text.ts'
import { wrap } from '../text/printable.ts'
import { fullName, type Identity, type Plan, type PlannedStream } from './plan-outcome.ts'

const DRY_RUN_HINT = 'write --dry-run tells how many rows come of records, and which are rejected.'

/** Lays a plan out. @returns text that ends in a line feed */
export function planText(plan: Plan, width: number, paint: Paint): string {
  const warnings = plan.findings.filter(({ code }) => code === 'config.warning')
  const preview = {
    noun: 'stream',
    headings: ['mode', 'what identifies a row'],
    rows: tableRows(plan),
    // columns that stay where the table does not fit: 0 is the stream, 2 its mode
    kept: [0, 2],
    notes: plan.streams.flatMap((stream) => noteBlock(stream, width)),
    warnings: warnings.map(({ message: text, code }) => ({ text, code })),
    elsewhere: plan.streams.length === 0 ? undefined : DRY_RUN_HINT,
    verdict: verdict(plan, width, paint),
  } as const
  return previewText(preview, width, paint)
}

/** Returns the rows of the table: streams that are stored, then those that are refused altogether. Where a stream has faults, "see 2, 3"
 *  refers to the numbers that `verdict` gives them. */
function tableRows({ streams, refused, faults, problems }: Plan): string[][] {
  const numbers = Map.groupBy(
    faults.flatMap((fault, index) =>
      fault.streams.map((stream) => ({ key: keyOf(stream), number: problems.length + index + 1 })),
    ),
    ({ key }) => key,
  )
  const see = (stream: Identity): string => {
    const ofStream = numbers.get(keyOf(stream))!
    return `see ${ofStream.map(({ number }) => number).join(', ')}`
  }
  return [
    ...streams.map((stream) => {
      const end = stream.older_rows === 'refused' ? ` (refused with records, ${see(stream)})` : ''
      return [fullName(stream), stream.table, stream.mode, stream.row + end]
    }),
    ...refused
      .filter((stream) => !stream.only_with_records)
      .map((stream) => [fullName(stream), stream.table, stream.mode ?? '', `refused, ${see(stream)}`]),
  ]
}

function verdict({ streams, refused, problems, findings }: Plan, width: number, paint: Paint): string {
  const failures = findings.filter(({ level }) => level === 'FAIL')
  if (failures.length === 0) return paint('good', 'write would accept this catalog.')
  const isEmpty = streams.length + refused.length === 0
  // a problem of the config is none of the catalog
  const opening = problems.length === 0 ? 'write would refuse this catalog:' : 'write would refuse this:'
  return [
    paint('bad', isEmpty ? 'Nothing was planned:' : opening),
    ...failures.map(({ message, code }, index) => codedText(`${index + 1}. ${message}`, code, width, '   ', paint)),
  ].join('\n')
}

/** The name of a stream and its notes below, as one text. Empty when there are none. */
function noteBlock(stream: PlannedStream, width: number): string[] {
  const notes = notesOn(stream)
  if (notes.length === 0) return []
  return [[wrap(fullName(stream), width, '  '), ...notes.map((note) => wrap(`  - ${note}`, width, '    '))].join('\n')]
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

function keyOf({ namespace, stream }: Identity): string {
  return JSON.stringify([namespace, stream])
}

function quoted(name: string): string {
  return `"${name}"`
}
