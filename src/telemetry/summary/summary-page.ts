// The summary as it is written to its file, with what changed since an older one; and how that is read.

import { parseJson } from '../../json/true-names.ts'
import { readFileText } from '../../config/read-file.ts'
import { codeOf, ConnectorError } from '../../core/errors.ts'
import type { Log } from '../../process/io.ts'
import { scrubbed } from '../report/report-scrub.ts'
import type { RunSoFar } from '../report/report.ts'
import { changesSince, changeWords } from './compare-summaries.ts'
import { summarySchema } from './summary-schema.ts'
import type { Summary } from './summary-schema.ts'
import { SUMMARY_HEAD, summaryOf, summaryText } from './summary.ts'

/** @param old undefined: nothing is compared */
export function summaryPage(old: Summary | undefined, scrub: (text: string) => string) {
  let changes: Summary['changes'] = null
  return {
    head: SUMMARY_HEAD,
    textOf(this: void, run: RunSoFar): string {
      const summary = summaryOf(run, scrub)
      if (old && summary.result === 'done') changes = scrubbed(changesSince(old, summary), scrub)
      return summaryText({ ...summary, changes })
    },
    /** What changed, once it is known. */
    warnings: (): string[] => changeWords(changes ?? []),
  }
}

/** @returns undefined, with a warning, where there is no such file: of a first run
 *  @throws ConnectorError config when it is none that this version can read */
export async function readOldSummary(file: string, log: Log): Promise<Summary | undefined> {
  const text = await readFileText(file, '--compare').catch(async (error: unknown) => {
    if (!(error instanceof Error) || codeOf(error.cause) !== 'ENOENT') throw error
    await log('warn', `There is no file ${JSON.stringify(file)} of --compare yet, so nothing is compared.`)
  })
  if (text === undefined) return undefined
  const read = summarySchema.safeParse(parsed(text))
  if (read.success) return read.data
  throw new ConnectorError(
    'config',
    'report.not-a-summary',
    `The file ${JSON.stringify(file)} of --compare is no summary that this version can read. Give it one that --summary left, or leave --compare out.`,
  )
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
