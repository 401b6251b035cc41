// `stream` from the command line: which options there are, and what is wrong usage.

import type { Ended, Io } from '../../process/io.ts'
import { flushed } from '../../process/print.ts'
import { argumentText, type ArgumentValues } from '../../process/read-arguments.ts'

/** Does what the options ask for: a run, a check or a dry run.
 *  @returns 2 after a message about wrong usage; else as `stream`, `streamCheck` or `dryStream` */
export async function streamCommand(values: ArgumentValues, io: Io): Promise<Ended> {
  const problem = wrongUse(values)
  if (problem !== undefined) {
    const { misuse } = await import('../help/render-help.ts')
    return misuse(io, problem, 'stream')
  }
  const { config: configFile } = values as { config: string }
  if (values['dry-run'] === true) {
    const { dryStream } = await import('./stream.ts')
    const mostRecords = values['records'] === undefined ? undefined : Number(values['records'])
    const options = { configFile, json: values['json'] === true, mostRecords, compare: argumentText(values, 'compare') }
    return flushed(io, await dryStream({ ...options, failOnChange: values['fail-on-change'] === true }, io))
  }
  if (values['check'] === true) {
    const { streamCheck } = await import('./stream-check.ts')
    return flushed(io, await streamCheck(configFile, io))
  }
  const { stream } = await import('./stream.ts')
  const reportFiles = { report: argumentText(values, 'report'), summary: argumentText(values, 'summary') }
  const ended = await stream({ configFile, fromDeadLetters: values['from-dead-letters'] === true, reportFiles }, io)
  return endOfRun(io, ended)
}

/** Says which options are missing, or do not go together. `undefined` when all is well. */
function wrongUse(values: ArgumentValues): string | undefined {
  if (typeof values['config'] !== 'string') return 'It needs --config FILE; stream --example prints one.'
  const file = ['report', 'summary'].find((name) => argumentText(values, name) !== undefined)
  if (values['check'] === true && file !== undefined)
    return `--check writes no ${file}: leave out --${file} or --check.`
  if (values['dry-run'] === true) return wrongDryRun(values)
  const isForDryRun = ['json', 'records', 'compare'].some((name) => values[name] !== undefined)
  return isForDryRun ? '--json, --records and --compare are for --dry-run.' : undefined
}

function wrongDryRun(values: ArgumentValues): string | undefined {
  const other = ['report', 'summary', 'check', 'from-dead-letters'].find((name) => values[name] !== undefined)
  if (other !== undefined) return `--dry-run and --${other} cannot be combined: leave one out.`
  const records = values['records']
  const isCount = records === undefined || (typeof records === 'string' && /^[1-9]\d{0,14}$/.test(records))
  return isCount ? undefined : `--records takes a number, such as --records 1000; found ${JSON.stringify(records)}.`
}

/** Flushes the output. A run that stopped unasked did so because its log can no longer be written: standard error says that, and that
 *  nothing is lost. */
async function endOfRun(io: Pick<Io, 'stdout' | 'stderr' | 'stopAsked'>, ended: Ended): Promise<Ended> {
  const code = await flushed(io, ended)
  const wasAsked = io.stopAsked?.aborted !== false
  if (code !== 'stopped' || wasAsked) return code
  const words = 'stream has stopped because its log can no longer be written: standard output is closed or full.'
  await io.stderr.write(`${words} What was settled is committed.\n`).catch(() => {})
  return code
}
