// `serve`: the local Analytics Service until it is told to end. Decides what is printed; knows no argv and no process.

import { ConnectorError } from '../core/errors.ts'
import type { ClientKey } from '../local-service/clients.ts'
import { type LocalService, startLocalService } from '../local-service/start.ts'

/** As on the command line; what is absent has the default. Numbers may be texts. */
export interface ServeOptions {
  /** Default 8585; 0: any free one. */
  readonly port?: string | number | undefined
  /** Default 127.0.0.1. */
  readonly host?: string | undefined
  /** `ID:KEY`, a key may hold colons; default `7:demo-key`. */
  readonly client?: readonly string[] | undefined
  /** Bytes. */
  readonly maxBody?: string | number | undefined
  /** Requests a second and client. */
  readonly rateLimit?: string | number | undefined
  readonly compat?: boolean | undefined
  /** Is the output a terminal: then headings are bold. */
  readonly isTty: boolean
}

/** `write`: to stdout. */
export interface ServeIo {
  write(text: string): void | Promise<void>
}

const DEFAULT_PORT = 8585
const DEFAULT_CLIENT = '7:demo-key'

/** Serves until `signal` aborts, then closes every connection and answers the exit code 0. Throws a ConnectorError
 *  (config) when an option is wrong or the address cannot be had; nothing is printed before it listens. */
export async function serve(options: ServeOptions, io: ServeIo, signal: AbortSignal): Promise<number> {
  const clients = (options.client?.length ? options.client : [DEFAULT_CLIENT]).map(clientOf)
  const host = options.host ?? '127.0.0.1'
  await using service = await startLocalService({
    clients,
    host,
    port: numberOf('--port', options.port, isPort, 'a whole number from 0 to 65535') ?? DEFAULT_PORT,
    compat: options.compat ?? false,
    ...given('maxBody', numberOf('--max-body', options.maxBody, isSize, 'a whole number of bytes from 1')),
    ...given('rateLimit', numberOf('--rate-limit', options.rateLimit, isRate, 'a number of requests a second above 0')),
  })
  await io.write(greeting(service, clients, options.isTty))
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  return 0
}

function greeting(service: LocalService, clients: readonly { id: number; key: string }[], isTty: boolean): string {
  const bold = (text: string): string => (isTty ? `\u001b[1m${text}\u001b[22m` : text)
  const lines: readonly (readonly [string, string])[] = [
    ['import address', service.url],
    ['sandbox address', service.sandboxUrl],
    ...clients.map(({ id, key }) => [`client ${id}`, `key ${key}`] as const),
    ['data as it came', `${service.url}/_local/tables`],
    ['scripted faults', `${service.url}/_local/faults`],
  ]
  const [{ id, key }] = clients as [{ id: number; key: string }]
  const config = { import_url: service.url, sandbox_import_url: service.sandboxUrl, client_id: id, api_key: key }
  return [
    bold('The Analytics Service on this machine, its import interface. Rows live in memory.'),
    '',
    ...lines.map(([label, value]) => `  ${label.padEnd(17)} ${value}`),
    '',
    bold('A config for the connector:'),
    '',
    JSON.stringify(config),
    '',
    'Ctrl+C ends it.',
    '',
  ].join('\n')
}

function clientOf(text: string): ClientKey & { key: string } {
  const colon = text.indexOf(':')
  const id = text.slice(0, Math.max(colon, 0))
  const key = text.slice(colon + 1)
  if (!/^(?:0|[1-9]\d*)$/.test(id) || key === '') {
    // The text may be a key alone: it is not shown.
    throw new ConnectorError(
      'config',
      'Wrong --client: it is ID:KEY, a whole number, a colon and a key, such as 7:demo-key.',
    )
  }
  return { id: Number(id), key }
}

function numberOf(
  option: string,
  value: string | number | undefined,
  isRight: (value: number) => boolean,
  what: string,
): number | undefined {
  if (value === undefined) return undefined
  const number = typeof value === 'string' && !/^\d+(?:\.\d+)?$/.test(value) ? Number.NaN : Number(value)
  if (isRight(number)) return number
  throw new ConnectorError('config', `Wrong ${option} ${JSON.stringify(String(value))}: it is ${what}.`)
}

function isPort(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= 65_535
}

function isSize(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1
}

function isRate(value: number): boolean {
  return value > 0 && value < Infinity
}

function given<N extends string>(name: N, value: number | undefined): { [K in N]?: number } {
  return (value === undefined ? {} : { [name]: value }) as { [K in N]?: number }
}
