// `serve`: the local Analytics Service until it is stopped. `serveCommand` reads the arguments and says on stderr what is wrong; `serve` runs
// the service.

import { shortSecret } from '../../config/secrets.ts'
import { ConnectorError } from '../../core/errors.ts'
import { DEMO_KEY } from '../../local-service/clients.ts'
import { seededRandom } from '../../local-service/settings.ts'
import { startLocalService } from '../../local-service/start.ts'
import type { Ended, Io } from '../../process/io.ts'
import type { ArgumentValues } from '../../process/read-arguments.ts'
import { printable } from '../../text/printable.ts'
import { greeting, type Screen } from './serve-greeting.ts'
import { listOf, serveValues, type ServeValues } from './serve-options.ts'

export interface ServeIo extends Screen {
  /** To stdout. */
  write(text: string): void | Promise<void>
  /** To stderr. */
  warn(text: string): void | Promise<void>
  /** From 0 to below 1: what chance begins with when no seed is given. */
  random(): number
}

/** Serves until `signal` aborts, then closes every connection. Nothing is printed before it listens.
 *  @returns the exit code 0
 *  @throws ConnectorError config when a file is wrong or the address cannot be had */
export async function serve(values: ServeValues, io: ServeIo, signal: AbortSignal): Promise<number> {
  const { seed = Math.floor(io.random() * 2 ** 32), ...wanted } = values
  try {
    await using service = await startLocalService({
      ...wanted,
      command: io.command,
      random: seededRandom(seed),
      signal,
    })
    if (!service.isLoopback) await io.warn(openWarning(values.host))
    await io.write(greeting(service, values, seed, io))
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    await service[Symbol.asyncDispose]()
    await io.write(
      `\nStopped. ${values.data === undefined ? 'Rows were kept in memory only and are gone' : `Rows are in ${values.data}`}.\n`,
    )
  } catch (error) {
    // it was stopped while it was loading
    if (!(signal.aborted && error instanceof Error && error.name === 'AbortError')) throw error
  }
  return 0
}

/** @returns 0 when it was stopped; with a message 1 when it could not start, 2 when an option is wrong */
export async function serveCommand(args: ArgumentValues, io: Io): Promise<Ended> {
  // each is `ID:KEY`, or was meant as a key alone
  const pairs = ['client', 'user', 'oauth'].flatMap((name) => listOf(args, name) ?? [])
  const secrets = pairs.map((pair) => pair.slice(pair.indexOf(':') + 1))
  // our messages show none; a short one may be a word of theirs, and the gap that it leaves would give it away
  io.scrubber.learn(secrets.filter((secret) => secret !== DEMO_KEY && shortSecret(secret) === undefined))
  let wanted: ServeValues | undefined
  try {
    wanted = serveValues(args)
    const serveIo = {
      write: (line: string) => void io.stdout.write(line),
      warn: (line: string) => void io.stderr.write(line),
      random: Math.random,
      isTty: io.isTty && !io.env['NO_COLOR'],
      columns: io.columns,
      command: io.command,
    }
    return await serve(wanted, serveIo, io.signal)
  } catch (error) {
    if (!(error instanceof ConnectorError)) throw error
    await io.stderr.write(`serve: ${error.message}\n`)
    return wanted ? 1 : 2
  }
}

function openWarning(host: string): string {
  return `serve: warning: --host ${printable(host)} lets other machines in, and paths under /_local need no key: whoever reaches this address can read all rows and requests, remove tables, make import keys and script faults. Leave --host out to serve this machine alone, or let nobody in whom you do not trust (a firewall, a network of its own).\n`
}
