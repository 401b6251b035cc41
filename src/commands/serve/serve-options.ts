// The options of `serve` as texts → values, or what is wrong with them.

import { basename } from 'node:path'
import { ConnectorError } from '../../core/errors.ts'
import { originFault } from '../../local-service/allowed-origins.ts'
import { DEMO_KEY } from '../../local-service/clients.ts'
import type { LoadedFile } from '../../local-service/load-file.ts'
import type { OnboardingOptions } from '../../local-service/onboarding/options.ts'
import { TABLE_NAME } from '../../service/contract.ts'
import { onboardingValues } from './serve-onboarding.ts'

/** As on the command line; what is absent has the default. Numbers may be texts. */
export interface ServeOptions {
  /** Default 8585; 0: any free one. */
  readonly port?: string | number | undefined
  /** Default 127.0.0.1. */
  readonly host?: string | undefined
  /** `ID:KEY`, a key may hold colons; default `7:demo-key`. */
  readonly client?: readonly string[] | undefined
  /** The file that keeps the rows; without one they live in memory. */
  readonly data?: string | undefined
  /** `FILE`, whose name is the table's, or `TABLE=FILE`. */
  readonly load?: readonly string[] | undefined
  /** `MS`, or `MS-MS`. */
  readonly latency?: string | number | undefined
  /** From 0 to 1. */
  readonly errorRate?: string | number | undefined
  /** What chance begins with; any when absent. */
  readonly seed?: string | number | undefined
  /** Bytes. */
  readonly maxBody?: string | number | undefined
  /** Requests a second and client. */
  readonly rateLimit?: string | number | undefined
  readonly compat?: boolean | undefined
  /** Whether the page shows no bodies. */
  readonly noPayloads?: boolean | undefined
  /** Such as `http://localhost:3000`. */
  readonly allowOrigin?: readonly string[] | undefined
  /** `NAME:PASSWORD`. */
  readonly user?: readonly string[] | undefined
  /** `ID:SECRET`. */
  readonly oauth?: readonly string[] | undefined
  /** How long an access token is good. */
  readonly tokenSeconds?: string | number | undefined
  /** How long each job of the onboarding interface takes. */
  readonly jobSeconds?: string | number | undefined
}

export interface ServeClient {
  readonly id: number
  readonly key: string
}

/** What was asked for, and is not the default. */
export interface ServeValues {
  readonly port: number
  readonly host: string
  readonly clients: readonly ServeClient[]
  readonly compat: boolean
  readonly data?: string
  readonly load?: readonly LoadedFile[]
  readonly latency?: { readonly from: number; readonly to: number }
  readonly errorRate?: number
  readonly seed?: number
  readonly maxBody?: number
  readonly rateLimit?: number
  readonly payloads?: boolean
  readonly allowOrigins?: readonly string[]
  readonly onboarding?: OnboardingOptions
}

const DEFAULT_PORT = 8585
const MAX_WAIT_MS = 2_147_483_647

/** Throws a ConnectorError (config) that says what is wrong. */
export function serveValues(options: ServeOptions): ServeValues {
  const { client, data, load, compat = false, host = '127.0.0.1' } = options
  return {
    host,
    compat,
    clients: client?.length ? client.map(clientOf) : [{ id: 7, key: DEMO_KEY }],
    port: numberOf('--port', options.port, isPort, 'a whole number from 0 to 65535') ?? DEFAULT_PORT,
    ...given('data', data),
    ...given('load', load?.map(loadOf)),
    ...given('latency', latencyOf(options.latency)),
    ...given('errorRate', numberOf('--error-rate', options.errorRate, isShare, 'a share from 0 to 1, such as 0.05')),
    ...given('seed', numberOf('--seed', options.seed, isSeed, 'a whole number from 0 to 4294967295')),
    ...given('maxBody', numberOf('--max-body', options.maxBody, isSize, 'a whole number of bytes from 1')),
    ...given('rateLimit', numberOf('--rate-limit', options.rateLimit, isRate, 'a number of requests a second above 0')),
    ...(options.noPayloads && { payloads: false }),
    ...given('allowOrigins', options.allowOrigin?.map(allowedOrigin)),
    ...given('onboarding', onboardingOf(options)),
  }
}

function onboardingOf({ user, oauth, tokenSeconds, jobSeconds }: ServeOptions): OnboardingOptions | undefined {
  return onboardingValues({
    user,
    oauth,
    tokenSeconds: numberOf('--token-seconds', tokenSeconds, isLifetime, 'a whole number from 1 to 1000000000'),
    jobSeconds: numberOf('--job-seconds', jobSeconds, isTime, 'a number of seconds from 0'),
  })
}

function clientOf(text: string): ServeClient {
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

function allowedOrigin(text: string): string {
  const fault = originFault(text)
  if (fault === undefined) return text
  throw new ConnectorError('config', `Wrong --allow-origin ${JSON.stringify(text)}: ${fault}`)
}

function loadOf(text: string): LoadedFile {
  const equals = text.indexOf('=')
  if (equals > 0 && equals < text.length - 1 && TABLE_NAME.test(text.slice(0, equals))) {
    return { table: text.slice(0, equals), file: text.slice(equals + 1) }
  }
  const table = basename(text).replace(/\.[^.]*$/, '')
  if (TABLE_NAME.test(table)) return { table, file: text }
  throw new ConnectorError(
    'config',
    `Wrong --load ${JSON.stringify(text)}: it is TABLE=FILE, or a file named after its table, such as orders.jsonl; a table's name is letters, digits and underscores.`,
  )
}

function latencyOf(value: string | number | undefined): { from: number; to: number } | undefined {
  if (value === undefined) return undefined
  const text = String(value)
  const [, from, to = from] = /^(\d+(?:\.\d+)?)(?:-(\d+(?:\.\d+)?))?$/.exec(text) ?? []
  const latency = { from: Number(from), to: Number(to) }
  if (latency.from <= latency.to && latency.to <= MAX_WAIT_MS) return latency
  throw new ConnectorError(
    'config',
    `Wrong --latency ${JSON.stringify(text)}: it is milliseconds, such as 50, or the least and the most, such as 20-200.`,
  )
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

function isLifetime(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= 1_000_000_000
}

function isTime(value: number): boolean {
  return value >= 0 && value < Infinity
}

function isShare(value: number): boolean {
  return value >= 0 && value <= 1
}

function isSeed(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value < 2 ** 32
}

function given<N extends string, T>(name: N, value: T | undefined): { [K in N]?: T } {
  return (value === undefined ? {} : { [name]: value }) as { [K in N]?: T }
}
