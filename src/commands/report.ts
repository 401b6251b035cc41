// `report`: a summary of a run as the page that --report leaves.

import { asConnectorError } from '../core/errors.ts'
import type { Ended, Io } from '../process/io.ts'
import { print } from '../process/print.ts'
import { renderReport } from '../telemetry/report/report-render.ts'
import { readSummary } from '../telemetry/summary/compare-summaries.ts'

/** Prints the page on standard output. @returns 0; 1, after a message, where the file is no summary */
export async function reportCommand(file: string, io: Pick<Io, 'stdout' | 'stderr'>): Promise<Ended> {
  const page = await readSummary(file, '--summary').then(renderReport, asConnectorError)
  if (typeof page === 'string') return print(io, page)
  await io.stderr.write(`report: ${page.message}\n`)
  return 1
}
