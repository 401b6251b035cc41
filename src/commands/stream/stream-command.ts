// `stream` from the command line: which options there are, and what is wrong usage.

import { print } from '../help/print.ts'
import type { Ended, Io } from '../../process/io.ts'
import { told, toldOfRun } from './told.ts'

/** @returns 2 after a message about wrong usage; else as `stream` or `streamCheck` */
export async function streamCommand(values: Readonly<Record<string, unknown>>, io: Io): Promise<Ended> {
  if (values['example'] === true) {
    const { STREAM_EXAMPLE } = await import('../../config/stream/stream-example.ts')
    return print(io, STREAM_EXAMPLE)
  }
  const configFile = values['config']
  if (typeof configFile !== 'string') {
    await io.stderr.write('stream needs --config FILE; stream --example prints one. See stream --help.\n')
    return 2
  }
  const report = values['report']
  const reportFile = typeof report === 'string' ? report : undefined
  if (values['check'] === true && reportFile !== undefined) {
    await io.stderr.write('stream --check leaves no report: give --report when it is to run. See stream --help.\n')
    return 2
  }
  if (values['check'] === true) {
    const { streamCheck } = await import('./stream-check.ts')
    return told(io, await streamCheck(configFile, io))
  }
  const { stream } = await import('./stream.ts')
  const ended = await stream({ configFile, fromDeadLetters: values['from-dead-letters'] === true, reportFile }, io)
  return toldOfRun(io, ended)
}
