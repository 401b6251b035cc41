// A plan for people: a table of streams, notes on each, warnings, and what a write would refuse. Names are in quotes in sentences, and
// bare in the table and in headings. Decides nothing.

import { shown } from '../mapping/key-fields.ts'
import { codedText, type Paint } from '../process/paint.ts'
import { previewText } from '../telemetry/dry-run/preview-text.ts'
import { wrap } from '../text/printable.ts'
import { fullName, type Identity, type Plan, type PlannedStream } from './plan-outcome.ts'

/** @returns as `previewText` */
export function planText(plan: Plan, width: number, paint: Paint): string {
  const warnings = plan.findings.filter(({ code }) => code === 'config.warning')
  const preview = {
    noun: 'stream',
    headings: ['mode', 'what identifies a row'],
    rows: tableRows(plan),
    kept: [0, 2],
    notes: plan.streams.flatMap((stream) => noteBlock(stream, width)),
    warnings: warnings.map(({ message: text, code }) => ({ text, code })),
    elsewhere:
      plan.streams.length === 0
        ? undefined
        : 'write --dry-run tells how many rows come of records, and which are rejected.',
    verdict: verdict(plan, width, paint),
  } as const
  return previewText(preview, width, paint)
}

/** Returns the streams that are stored, then those that are refused altogether. Of one with faults it says "see 2": the numbers that
 *  `verdict` gives them. */
function tableRows({ streams, refused, faults, problems }: Plan): string[][] {
  const numbers = Map.groupBy(
    faults.flatMap((fault, at) =>
      fault.streams.map((stream) => ({ key: keyOf(stream), number: problems.length + at + 1 })),
    ),
    ({ key }) => key,
  )
  const see = (stream: Identity): string =>
    `see ${numbers
      .get(keyOf(stream))!
      .map(({ number }) => number)
      .join(', ')}`
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
  const all = findings.filter(({ level }) => level === 'FAIL')
  if (all.length === 0) return paint('good', 'write would accept this catalog.')
  const nothing = streams.length + refused.length === 0
  // a fault of the config is none of the catalog
  const what = problems.length === 0 ? 'write would refuse this catalog:' : 'write would refuse this:'
  return [
    paint('bad', nothing ? 'Nothing was planned:' : what),
    ...all.map(({ message, code }, index) => codedText(`${index + 1}. ${message}`, code, width, '   ', paint)),
  ].join('\n')
}

/** The name of a stream and its notes below. Nothing when there are none. */
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
