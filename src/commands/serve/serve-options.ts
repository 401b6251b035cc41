// Reads the arguments of `serve` into values, or says what is wrong with them.

import { withoutUndefined } from '../../config/config-of.ts'
import { basename } from 'node:path'
import { ConnectorError, NO_CODE } from '../../core/errors.ts'
import { originFault } from '../../local-service/allowed-origins.ts'
import { DEMO_KEY, type ClientKey } from '../../local-service/clients.ts'
import type { LocalServiceOptions } from '../../local-service/context.ts'
import type { LoadedFile } from '../../local-service/load-file.ts'
import type { OnboardingOptions } from '../../local-service/onboarding/options.ts'
import { JOB_KINDS } from '../../local-service/onboarding/plans.ts'
import { LONGEST_WAIT_MS } from '../../local-service/settings.ts'
import { argumentTexts, argumentText, type ArgumentValues } from '../../process/read-arguments.ts'
import { TABLE_NAME } from '../../service/contract.ts'

/** For what is left out, the local service has a default. */
export interface ServeValues extends LocalServiceOptions {
  readonly host: string
  readonly port: number
  readonly clients: readonly ClientKey[]
  /** The seed of the random choices; any when absent. */
  readonly seed?: number
}

const DEFAULT_PORT = 8585
const INTEGER = /^(?:0|[1-9]\d*)$/

/** Reads the arguments. @throws ConnectorError config that says what is wrong, and shows no secret */
export function serveValues(args: ArgumentValues): ServeValues {
  const host = argumentText(args, 'host') ?? '127.0.0.1'
  const clients = argumentTexts(args, 'client')?.map((text): ClientKey => {
    const [id, key] = pairOf('--client', text, INTEGER, 'ID:KEY, a whole number, a colon and a key, such as 7:demo-key')
    return { id: Number(id), key }
  })
  return {
    host,
    compat: args['compat'] === true,
    clients: clients ?? [{ id: 7, key: DEMO_KEY }],
    port: numberOf(args, 'port') ?? DEFAULT_PORT,
    ...(args['no-payloads'] === true && { payloads: false }),
    ...withoutUndefined({
      data: argumentText(args, 'data'),
      load: argumentTexts(args, 'load')?.map(loadOf),
      latency: latencyOf(argumentText(args, 'latency')),
      errorRate: numberOf(args, 'error-rate'),
      seed: numberOf(args, 'seed'),
      maxBody: numberOf(args, 'max-body'),
      rateLimit: numberOf(args, 'rate-limit'),
      allowOrigins: argumentTexts(args, 'allow-origin')?.map(allowedOrigin),
      onboarding: onboardingOf(args),
    }),
  }
}

/** Options of the onboarding interface. `undefined` when all is as it is by default. */
function onboardingOf(args: ArgumentValues): OnboardingOptions | undefined {
  const users = argumentTexts(args, 'user')?.map((text) => {
    const [name, password] = pairOf('--user', text, /./s, 'NAME:PASSWORD, such as demo@example.com:demo-password')
    return { name, password }
  })
  const oauth = argumentTexts(args, 'oauth')?.map((text) => {
    const [id, secret] = pairOf('--oauth', text, INTEGER, 'ID:SECRET, a whole number first')
    return { id: Number(id), secret }
  })
  const seconds = numberOf(args, 'job-seconds')
  const plan = { durationMs: (seconds ?? 0) * 1_000 }
  const values = {
    ...withoutUndefined({ users, oauth, tokenSeconds: numberOf(args, 'token-seconds') }),
    ...(seconds === undefined ? {} : { plans: Object.fromEntries(JOB_KINDS.map((kind) => [kind, plan])) }),
  }
  return Object.keys(values).length === 0 ? undefined : values
}

/** Takes a text apart at its first colon. It may be a secret alone, so no message shows it. @param what it must be, for people */
function pairOf(option: string, text: string, isName: RegExp, what: string): [name: string, secret: string] {
  const colon = text.indexOf(':')
  const [name, secret] = [text.slice(0, Math.max(colon, 0)), text.slice(colon + 1)]
  if (isName.test(name) && secret !== '') return [name, secret]
  throw new ConnectorError('config', NO_CODE, `Wrong ${option}: it must be ${what}.`)
}

function allowedOrigin(text: string): string {
  const fault = originFault(text)
  if (fault === undefined) return text
  throw wrong('allow-origin', text, fault)
}

function loadOf(text: string): LoadedFile {
  const equals = text.indexOf('=')
  if (equals > 0 && equals < text.length - 1 && TABLE_NAME.test(text.slice(0, equals))) {
    return { table: text.slice(0, equals), file: text.slice(equals + 1) }
  }
  const table = basename(text).replace(/\.[^.]*$/, '')
  if (TABLE_NAME.test(table)) return { table, file: text }
  const what =
    "TABLE=FILE, or a file named after its table, such as orders.jsonl; a table's name is letters, digits and underscores."
  throw wrong('load', text, `it must be ${what}`)
}

function latencyOf(text: string | undefined): { from: number; to: number } | undefined {
  if (text === undefined) return undefined
  const [, from, to = from] = /^(\d+(?:\.\d+)?)(?:-(\d+(?:\.\d+)?))?$/.exec(text) ?? []
  const latency = { from: Number(from), to: Number(to) }
  if (latency.from <= latency.to && latency.to <= LONGEST_WAIT_MS) return latency
  throw wrong('latency', text, 'it must be milliseconds, such as 50, or a minimum and a maximum, such as 20-200.')
}

/** For each option with a number: the least, the most, and what it must be. Fractions are taken unless these words say "whole". */
const NUMBERS = {
  port: [0, 65_535, 'a whole number from 0 to 65535'],
  'error-rate': [0, 1, 'a share from 0 to 1, such as 0.05'],
  seed: [0, 2 ** 32 - 1, 'a whole number from 0 to 4294967295'],
  'max-body': [1, Number.MAX_SAFE_INTEGER, 'a whole number of bytes from 1'],
  'rate-limit': [Number.MIN_VALUE, Number.MAX_VALUE, 'a number of requests a second above 0'],
  'token-seconds': [1, 1_000_000_000, 'a whole number from 1 to 1000000000'],
  'job-seconds': [0, Number.MAX_VALUE, 'a number of seconds from 0'],
} as const

function numberOf(args: ArgumentValues, option: keyof typeof NUMBERS): number | undefined {
  const text = argumentText(args, option)
  if (text === undefined) return undefined
  const [least, most, what] = NUMBERS[option]
  const number = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : NaN
  if (number >= least && number <= most && (!what.includes('whole') || Number.isInteger(number))) return number
  throw wrong(option, text, `it must be ${what}.`)
}

function wrong(option: string, text: string, why: string): ConnectorError {
  return new ConnectorError('config', NO_CODE, `Wrong --${option} ${JSON.stringify(text)}: ${why}`)
}
