// `serve` from the command line: the parsed options, errors for people on stderr.

import { ConnectorError } from '../core/errors.ts'
import { serve } from './serve.ts'
import type { Ended, Io } from './io.ts'

/** @returns 0 when it was told to end; 1 with a message when it could not listen */
export async function serveCommand(values: Readonly<Record<string, unknown>>, io: Io): Promise<Ended> {
  const text = (name: string): string | undefined => (typeof values[name] === 'string' ? values[name] : undefined)
  const options = {
    port: text('port'),
    host: text('host'),
    client: Array.isArray(values['client']) ? values['client'].map(String) : undefined,
    maxBody: text('max-body'),
    rateLimit: text('rate-limit'),
    compat: values['compat'] === true,
    isTty: io.isTty,
  }
  try {
    return await serve(options, { write: (line) => void io.stdout.write(line) }, io.signal)
  } catch (error) {
    if (!(error instanceof ConnectorError)) throw error
    await io.stderr.write(`serve: ${error.message}\n`)
    return 1
  }
}
