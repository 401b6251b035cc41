// The text that `plan` and a dry run share: a table of streams or topics, notes, warnings, what only the other of the two tells, and
// a verdict. Decides nothing.

import { codedText, firstPainted, type Paint } from '../../process/paint.ts'
import { wrap } from '../../text/printable.ts'
import { foldedTable } from '../../text/text-table.ts'

export interface Preview {
  readonly noun: 'stream' | 'topic'
  /** Headings of the columns after the stream or topic and its table. */
  readonly headings: readonly string[]
  readonly rows: readonly (readonly string[])[]
  /** Places of the columns that stay where the table does not fit. */
  readonly kept: readonly number[]
  /** Blocks of lines, wrapped. */
  readonly notes: readonly string[]
  readonly warnings: readonly { readonly text: string; readonly code?: string | undefined }[]
  /** A sentence that names the command that tells the rest. `undefined` when there is none. */
  readonly elsewhere: string | undefined
  /** Wrapped and painted. */
  readonly verdict: string
}

/** Lays out a plan or a dry run for people.
 *  @param width columns to fit; Infinity: no line is broken
 *  @returns text that ends in a line feed */
export function previewText(preview: Preview, width: number, paint: Paint): string {
  const { noun, headings, rows, kept, notes, warnings, elsewhere, verdict } = preview
  const parts = [
    ...(rows.length > 0 ? [foldedTable([noun, 'table', ...headings], rows, kept, width)] : []),
    ...notes,
    ...warnings.map(({ text, code }) =>
      firstPainted('odd', codedText(`Warning: ${text}`, code, width, '  ', paint), paint),
    ),
    ...(elsewhere === undefined ? [] : [wrap(elsewhere, width, '  ')]),
    verdict,
  ]
  return `${parts.join('\n\n')}\n`
}
