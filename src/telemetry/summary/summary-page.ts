// The summary of a run with what changed since an older one; and how a summary is read from its file.

import { parseJson } from '../../json/true-names.ts'
import { nearFile, readFileText } from '../../config/read-file.ts'
import { codeOf, ConnectorError } from '../../core/errors.ts'
import type { Log } from '../../process/io.ts'
import { scrubbed } from './summary-scrub.ts'
import type { RunSoFar } from '../report/report.ts'
import { changesSince, changeWords } from './compare-summaries.ts'
import { summarySchema } from './summary-schema.ts'
import type { Summary } from './summary-schema.ts'
import { summaryOf } from './summary.ts'

/** @param old undefined: nothing is compared */
export function summaryMaker(old: Summary | undefined, scrub: (text: string) => string) {
  let changes: Summary['changes'] = null
  return {
    of(this: void, run: RunSoFar): Summary {
      const summary = summaryOf(run, scrub)
      if (old && summary.result === 'done') changes = scrubbed(changesSince(old, summary), scrub)
      return { ...summary, changes }
    },
    /** What changed, once it is known. */
    warnings: (): string[] => changeWords(changes ?? []),
  }
}

/** @returns undefined, with a warning, where there is no such file: of a first run
 *  @throws ConnectorError config when it is none that this version can read */
export async function readOldSummary(file: string, log: Log): Promise<Summary | undefined> {
  return await readSummary(file).catch(async (error: unknown) => {
    if (!(error instanceof Error) || codeOf(error.cause) !== 'ENOENT') throw error
    const near = await nearFile(file)
    const meant = near === undefined ? '' : ` Did you mean ${JSON.stringify(near)}?`
    await log('warn', `There is no file ${JSON.stringify(file)} of --compare yet, so nothing is compared.${meant}`)
    return undefined
  })
}

/** @param what the option that names it
 *  @throws ConnectorError config when it is none that this version can read */
export async function readSummary(file: string, what = '--compare'): Promise<Summary> {
  const read = summarySchema.safeParse(parsed(await readFileText(file, what)))
  if (read.success) return read.data
  throw new ConnectorError(
    'config',
    'report.not-a-summary',
    `The file ${JSON.stringify(file)} of ${what} is no summary that this version can read. Give it one that --summary left.`,
  )
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
