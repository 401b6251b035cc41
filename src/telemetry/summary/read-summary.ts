// Reads the summary that a run left in its file.

import { tryParseJson } from '../../json/true-names.ts'
import { nearFile, readFileText } from '../../config/read-file.ts'
import { codeOf, ConnectorError } from '../../core/errors.ts'
import type { Log } from '../../process/io.ts'
import { summarySchema, type Summary } from './summary-schema.ts'

/** Reads the summary of an older run, for `--compare`.
 *  @param next the file that this run's summary will be in: before a first run it is not there yet, and no mistake
 *  @returns `undefined`, with a warning, when there is no such file
 *  @throws ConnectorError config when it is none that this version can read */
export async function readOldSummary(file: string, log: Log, next?: string): Promise<Summary | undefined> {
  return await readSummary(file, '--compare').catch(async (error: unknown) => {
    // readFileText gives the error of node:fs as the cause
    if (!(error instanceof Error) || codeOf(error.cause) !== 'ENOENT') throw error
    const likely = file === next ? undefined : await nearFile(file)
    const words = `There is no file ${JSON.stringify(file)} of --compare yet, so nothing is compared.`
    if (likely === undefined) await log('warn', words)
    else await log('warn', `${words} Did you mean ${JSON.stringify(likely)}?`, { code: 'report.not-a-summary' })
    return undefined
  })
}

/** @param what the option that names it; `--summary` is what `report` is about, and not said
 *  @throws ConnectorError config when it cannot be read, or is none that this version can read */
export async function readSummary(file: string, what: string): Promise<Summary> {
  const text = await readFileText(file, what)
  const read = summarySchema.safeParse(tryParseJson(text))
  if (read.success) return read.data
  const found = /^\s*</.test(text)
    ? 'is an HTML page, not a summary'
    : /^\{.*"type".*\}\s*$/m.test(text)
      ? 'holds messages of an input, not a summary'
      : 'is no summary that this version can read'
  throw new ConnectorError(
    'config',
    'report.not-a-summary',
    `The file ${JSON.stringify(file)}${what === '--summary' ? '' : ` of ${what}`} ${found}: give the file that --summary FILE of write or stream left.`,
  )
}
