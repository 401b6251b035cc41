// `serve`: runs the local Analytics Service until it is stopped.

import { shortSecret } from '../../config/secrets.ts'
import { ConnectorError } from '../../core/errors.ts'
import { DEMO_KEY } from '../../local-service/clients.ts'
import { seededRandom } from '../../local-service/settings.ts'
import { startLocalService } from '../../local-service/start.ts'
import type { Ended, Io } from '../../process/io.ts'
import { argumentTexts, type ArgumentValues } from '../../process/read-arguments.ts'
import { printable } from '../../text/printable.ts'
import { greeting } from './serve-greeting.ts'
import { serveValues, type ServeValues } from './serve-options.ts'

/** Serves until it is stopped, as the arguments say.
 *  @returns 0 when it was stopped; with a message 1 when it could not start, 2 when an option is wrong */
export async function serve(args: ArgumentValues, io: Io): Promise<Ended> {
  // each is a name, a colon and a secret, or was meant as a secret alone
  const pairs = ['client', 'user', 'oauth'].flatMap((name) => argumentTexts(args, name) ?? [])
  const secrets = pairs.map((pair) => pair.slice(pair.indexOf(':') + 1))
  // no message shows one anyway; a short one may be a word of some message, and a gap there would give it away
  io.scrubber.learn(secrets.filter((secret) => secret !== DEMO_KEY && shortSecret(secret) === undefined))
  let wanted: ServeValues | undefined
  try {
    wanted = serveValues(args)
    await serveUntilStopped(wanted, io)
    return 0
  } catch (error) {
    // stopped before it listened
    if (io.signal.aborted && error instanceof Error && error.name === 'AbortError') return 0
    if (!(error instanceof ConnectorError)) throw error
    await io.stderr.write(`serve: ${error.message}\n`)
    return wanted ? 1 : 2
  }
}

/** Prints nothing before it listens, and closes every connection before it says that it has stopped.
 *  @throws ConnectorError config when a file is wrong or the address cannot be had */
async function serveUntilStopped(values: ServeValues, io: Io): Promise<void> {
  const { seed = Math.floor(Math.random() * 2 ** 32), ...wanted } = values
  const { command, signal, stdout, stderr } = io
  await using service = await startLocalService({ ...wanted, command, random: seededRandom(seed), signal })
  if (!service.isLoopback) void stderr.write(openWarning(values.host))
  void stdout.write(greeting(service, values, seed, io))
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  await service[Symbol.asyncDispose]()
  const rows = values.data === undefined ? 'Rows were kept in memory only and are gone' : `Rows are in ${values.data}`
  void stdout.write(`\nStopped. ${rows}.\n`)
}

function openWarning(host: string): string {
  return `serve: warning: --host ${printable(host)} lets other machines in, and paths under /_local need no key: whoever reaches this address can read all rows and requests, remove tables, make import keys and script faults. Leave --host out to serve this machine alone, or let nobody in whom you do not trust (a firewall, a network of its own).\n`
}
