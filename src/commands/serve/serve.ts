// `serve`: the local Analytics Service until it is stopped, and what becomes of its options: errors for people on
// stderr.

import { shortSecret } from '../../config/secrets.ts'
import { ConnectorError } from '../../core/errors.ts'
import { DEMO_KEY } from '../../local-service/clients.ts'
import { DEFAULT_OAUTH, DEFAULT_USER } from '../../local-service/onboarding/options.ts'
import type { OauthOption, OnboardingOptions, UserOption } from '../../local-service/onboarding/options.ts'
import { seededRandom } from '../../local-service/seeded-random.ts'
import { startLocalService } from '../../local-service/start.ts'
import type { LocalService } from '../../local-service/start.ts'
import type { Ended, Io } from '../../process/io.ts'
import type { ArgumentValues } from '../../process/read-arguments.ts'
import { PROGRAM } from '../../process/start-command.ts'
import { counted } from '../../text/figures.ts'
import { printable, wrap } from '../../text/printable.ts'
import { listOf, serveValues } from './serve-options.ts'
import type { ServeClient, ServeValues } from './serve-options.ts'

export interface ServeIo {
  /** To stdout. */
  write(text: string): void | Promise<void>
  /** To stderr. */
  warn(text: string): void | Promise<void>
  /** From 0 to below 1: what chance begins with when no seed is given. */
  random(): number
  /** Is the output a terminal: then headings are bold. */
  readonly isTty: boolean
  /** Columns of the terminal. `undefined` when it is none, and no line is broken. */
  readonly columns?: number | undefined
  /** The command that starts this program. */
  readonly command?: string | undefined
}

/** Serves until `signal` aborts, then closes every connection and answers the exit code 0. Throws a ConnectorError
 *  (config) when a file is wrong or the address cannot be had; nothing is printed before it listens. */
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
  // of `ID:KEY`, or of what was meant as a key alone
  const pairs = ['client', 'user', 'oauth'].flatMap((name) => listOf(args, name) ?? [])
  const secrets = pairs.map((pair) => pair.slice(pair.indexOf(':') + 1))
  // no message of ours shows one, and one that may be a word would be taken out of our own, where it could be guessed
  io.scrubber.learn(secrets.filter((secret) => secret !== DEMO_KEY && shortSecret(secret) === undefined))
  let wanted: ServeValues | undefined
  try {
    wanted = serveValues(args)
    const toStdout = {
      write: (line: string) => void io.stdout.write(line),
      warn: (line: string) => void io.stderr.write(line),
      random: Math.random,
      isTty: io.isTty && !io.env['NO_COLOR'],
      columns: io.columns,
      command: io.command,
    }
    return await serve(wanted, toStdout, io.signal)
  } catch (error) {
    if (!(error instanceof ConnectorError)) throw error
    await io.stderr.write(`serve: ${error.message}\n`)
    return wanted ? 1 : 2
  }
}

function openWarning(host: string): string {
  return `serve: warning: --host ${printable(host)} lets other machines in, and paths under /_local need no key: whoever reaches this address can read all rows and requests, remove tables, make import keys and script faults. Leave --host out to serve this machine alone, or let nobody in whom you do not trust (a firewall, a network of its own).\n`
}

// What `serve` says when it listens. Shows no key that was given.

type Lines = readonly (readonly [label: string, text: string])[]

/** `seed`: the one chance began with. */
function greeting(
  service: LocalService,
  values: ServeValues,
  seed: number,
  { isTty, columns = Infinity, command = PROGRAM }: Pick<ServeIo, 'isTty' | 'columns' | 'command'>,
): string {
  const bold = (text: string): string => (isTty ? `\u001b[1m${text}\u001b[22m` : text)
  const { clients, data } = values
  const { id, key } = clients[0]!
  const config = {
    import_url: service.url,
    client_id: id,
    api_key: key === DEMO_KEY ? key : `the key of client ${id}`,
  }
  const switchedOn = optionLines(values, seed)
  return [
    bold(
      wrap(
        `A local simulator of the Analytics Service, with its import and onboarding interfaces. Rows are kept in ${data === undefined ? 'memory' : printable(data)}.`,
        columns,
        '',
      ),
    ),
    '',
    ...lines([
      ['page', `${service.url}/_local/`],
      ['import address', service.url],
      ['sandbox address', service.sandboxUrl],
      ...clients.map(keyLine),
      ...dataLines(service, data),
      ['raw data', `${service.url}/_local/tables`],
      ['scripted faults', `${service.url}/_local/faults`],
    ]),
    '',
    ...lines(onboardingLines(service, values.onboarding ?? {})),
    ...(switchedOn.length > 0 ? ['', bold('Switched on:'), '', ...lines(switchedOn, columns)] : []),
    '',
    bold('A config for the connector:'),
    '',
    JSON.stringify(config),
    '',
    bold('Next, with it in config.json:'),
    '',
    `${command} check --config config.json`,
    '',
    'Press Ctrl+C to stop it.',
    '',
  ].join('\n')
}

function lines(all: Lines, columns = Infinity): string[] {
  return all.map(([label, text]) => {
    const indent = ' '.repeat(20)
    // wrap keeps spaces in front of a line, not after its first word
    return `  ${label.padEnd(17)} ${wrap(indent + text, columns, indent).slice(indent.length)}`
  })
}

function keyLine({ id, key }: ServeClient): readonly [string, string] {
  return [`client ${id}`, key === DEMO_KEY ? `key ${key}` : 'key as given']
}

function dataLines(service: LocalService, data: string | undefined): Lines {
  const tables = service.tables()
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  return [
    ...(tables.length > 0 ? [['rows so far', `${rows} in ${counted(tables.length, 'table')}`] as const] : []),
    ...(data === undefined ? [] : [['data as columns', `sqlite3 ${printable(data)} 'select * from TABLE'`] as const]),
  ]
}

function optionLines(values: ServeValues, seed: number): Lines {
  const { latency, errorRate = 0, rateLimit, maxBody, compat, payloads, allowOrigins = [] } = values
  const all: [string, string | false | undefined][] = [
    ['--latency', latency && `${spread(latency)} ms before each answer`],
    ['--error-rate', errorRate > 0 && `${errorRate} of the upserts: 500, 503, or a reset before or after storing`],
    ['--seed', (errorRate > 0 || isSpread(latency)) && `${seed} repeats the same random choices`],
    [
      '--rate-limit',
      rateLimit !== undefined &&
        `${rateLimit} ${rateLimit === 1 ? 'request' : 'requests'} a second and client, 429 above`,
    ],
    ['--max-body', maxBody !== undefined && `${counted(maxBody, 'byte')}, 413 above`],
    ['--compat', compat && 'every accepted upsert 201, bodies labelled text/html'],
    ['--no-payloads', payloads === false && 'the page shows no bodies of requests and answers'],
    ['--allow-origin', allowOrigins.length > 0 && `pages of ${printable(allowOrigins.join(', '))} may use all of it`],
  ]
  return all.filter((line): line is [string, string] => typeof line[1] === 'string')
}

function spread({ from, to }: { from: number; to: number }): string {
  return from === to ? String(from) : `${from} to ${to}`
}

function isSpread(latency: { from: number; to: number } | undefined): boolean {
  return latency !== undefined && latency.from < latency.to
}

/** For the greeting: where interface A is, and who may log in. */
function onboardingLines({ url }: LocalService, { users, oauth }: OnboardingOptions): Lines {
  return [
    ['onboarding', `${url} is base_url and dashboard_url`],
    ...(users ?? [undefined]).map((user) => ['user', userLine(user)] as const),
    ...(oauth ?? [undefined]).map((client) => ['oauth client', oauthLine(client)] as const),
    ['clients', `${url}/_local/clients`],
    ['jobs', `${url}/_local/jobs`],
  ]
}

function userLine(given: UserOption | undefined): string {
  if (given) return `username ${printable(given.name)}, password as given`
  return `username ${DEFAULT_USER.name}, password ${DEFAULT_USER.password}`
}

function oauthLine(given: OauthOption | undefined): string {
  if (given) return `clientId ${given.id}, clientSecret as given`
  return `clientId ${DEFAULT_OAUTH.id}, clientSecret ${DEFAULT_OAUTH.secret}`
}
