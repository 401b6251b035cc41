// Lays out the text of `plan` and of a dry run alike: a table of streams or topics, notes, warnings, a hint at another command, and a
// verdict. Decides nothing.

import { codedText, firstPainted, type Paint } from '../../process/paint.ts'
import { wrap } from '../../text/printable.ts'
import { foldedTable } from '../../text/text-table.ts'

export interface Preview {
  readonly noun: 'stream' | 'topic'
  /** Headings of the columns after the stream or topic and its table. */
  readonly headings: readonly string[]
  readonly rows: readonly (readonly string[])[]
  /** Places of the columns that stay where the table does not fit: 0 is the stream or topic, 1 its table. */
  readonly kept: readonly number[]
  /** Blocks of lines that are already wrapped. */
  readonly notes: readonly string[]
  readonly warnings: readonly { readonly text: string; readonly code?: string | undefined }[]
  /** A sentence that names another command, which tells more. `undefined` when there is none. */
  readonly elsewhere: string | undefined
  /** Already wrapped and painted. */
  readonly verdict: string
}

/** Lays out a plan or a dry run for people, as text that ends in a line feed. @param width columns to fit; Infinity breaks no line */
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
