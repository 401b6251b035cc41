// `serve` from the command line: the parsed options, errors for people on stderr.

import { shortSecret } from '../../config/short-secret.ts'
import { ConnectorError } from '../../core/errors.ts'
import { serve } from './serve.ts'
import { DEMO_KEY, serveValues } from './serve-options.ts'
import type { ServeValues } from './serve-options.ts'
import type { Ended, Io } from '../../process/io.ts'

/** @returns 0 when it was told to end; with a message 1 when it could not start, 2 when an option is wrong */
export async function serveCommand(values: Readonly<Record<string, unknown>>, io: Io): Promise<Ended> {
  const text = (name: string): string | undefined => (typeof values[name] === 'string' ? values[name] : undefined)
  const texts = (name: string): string[] | undefined => {
    const value = values[name]
    return Array.isArray(value) ? value.map(String) : undefined
  }
  const options = {
    port: text('port'),
    host: text('host'),
    client: texts('client'),
    data: text('data'),
    load: texts('load'),
    latency: text('latency'),
    errorRate: text('error-rate'),
    seed: text('seed'),
    maxBody: text('max-body'),
    rateLimit: text('rate-limit'),
    compat: values['compat'] === true,
    allowOrigin: texts('allow-origin'),
    user: texts('user'),
    oauth: texts('oauth'),
    tokenSeconds: text('token-seconds'),
    jobSeconds: text('job-seconds'),
  }
  // of `ID:KEY`, or of what was meant as a key alone
  const given = [options.client, options.user, options.oauth].flatMap((it) => it ?? [])
  const secrets = given.map((pair) => pair.slice(pair.indexOf(':') + 1))
  // no message of ours shows one, and one that may be a word would be taken out of our own, where it could be guessed
  io.scrubber.learn(secrets.filter((secret) => secret !== DEMO_KEY && shortSecret(secret) === undefined))
  let wanted: ServeValues | undefined
  try {
    wanted = serveValues(options)
    const toStdout = {
      write: (line: string) => void io.stdout.write(line),
      random: Math.random,
      isTty: io.isTty && !io.env['NO_COLOR'],
      columns: io.columns,
    }
    return await serve(wanted, toStdout, io.signal)
  } catch (error) {
    if (!(error instanceof ConnectorError)) throw error
    await io.stderr.write(`serve: ${error.message}\n`)
    return wanted ? 1 : 2
  }
}
