// Files that records name (`file_reference`, file transfer) are not stored: their rows are, so the loss would not be noticed.

import { label } from '../mapping/stream-mapping.ts'
import type { StreamMapping } from '../mapping/stream-mapping.ts'
import type { EndWords } from '../run/open-input.ts'
import { counted } from '../text/figures.ts'

/** How many records of a stream name a file, and the input line of the first. */
export interface FilesNamed {
  count: number
  readonly line: number
}

/** @returns a warning a stream, in the order of their first files */
export function filesLeftOut(
  named: ReadonlyMap<{ readonly mapping: Pick<StreamMapping, 'track'> }, FilesNamed>,
): EndWords[] {
  return Array.from(named, ([{ mapping }, { count, line }]) => [
    'warn',
    `Stream ${label(mapping.track)}: the files of ${counted(count, 'record')} (\`file_reference\`) are left out, the first in input line ${line}. Rows are stored, files are not: let the source send their contents as records, or store them elsewhere.`,
    { code: 'record.file-left-out' },
  ])
}
