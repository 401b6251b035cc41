// `stream` from the command line: which options there are, and what is wrong usage.

import type { Ended, Io } from '../../process/io.ts'
import { flushed } from '../../process/print.ts'

/** @returns 2 after a message about wrong usage; else as `stream` or `streamCheck` */
export async function streamCommand(values: Readonly<Record<string, unknown>>, io: Io): Promise<Ended> {
  const configFile = values['config']
  if (typeof configFile !== 'string') {
    await io.stderr.write('stream needs --config FILE; stream --example prints one. See stream --help.\n')
    return 2
  }
  const reportFiles = { report: fileOf(values['report']), summary: fileOf(values['summary']) }
  const what = reportFiles.report === undefined ? 'summary' : 'report'
  if (values['check'] === true && reportFiles[what] !== undefined) {
    await io.stderr.write(`stream --check writes no ${what}: leave out --${what} or --check. See stream --help.\n`)
    return 2
  }
  if (values['dry-run'] === true) {
    const problem = wrongDryRun(values)
    if (problem === undefined) {
      const { dryStream } = await import('./stream.ts')
      const mostRecords = values['records'] === undefined ? undefined : Number(values['records'])
      return flushed(io, await dryStream({ configFile, json: values['json'] === true, mostRecords }, io))
    }
    await io.stderr.write(`${problem} See stream --help.\n`)
    return 2
  }
  if (values['json'] === true || values['records'] !== undefined) {
    await io.stderr.write('--json and --records are for --dry-run. See stream --help.\n')
    return 2
  }
  if (values['check'] === true) {
    const { streamCheck } = await import('./stream-check.ts')
    return flushed(io, await streamCheck(configFile, io))
  }
  const { stream } = await import('./stream.ts')
  const ended = await stream({ configFile, fromDeadLetters: values['from-dead-letters'] === true, reportFiles }, io)
  return endOfRun(io, ended)
}

function wrongDryRun(values: Readonly<Record<string, unknown>>): string | undefined {
  const other = ['report', 'summary', 'check', 'from-dead-letters'].find((name) => values[name] !== undefined)
  if (other !== undefined) return `stream --dry-run goes without --${other}.`
  const records = values['records']
  const isCount = records === undefined || (typeof records === 'string' && /^[1-9]\d{0,14}$/.test(records))
  return isCount ? undefined : '--records takes a number of records.'
}

function fileOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** As `flushed`, of a run that ends when nobody can read its log: it says that nothing is lost. */
async function endOfRun(io: Pick<Io, 'stdout' | 'stderr' | 'stopAsked'>, ended: Ended): Promise<Ended> {
  const code = await flushed(io, ended)
  if (code !== 'stopped' || io.stopAsked?.aborted !== false) return code
  const words = 'stream has stopped because its log can no longer be written: standard output is closed or full.'
  await io.stderr.write(`${words} What was settled is committed.\n`).catch(() => {})
  return code
}
