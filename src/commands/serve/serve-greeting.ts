// What `serve` says when it listens. Shows no key that was given.

import type { LocalService } from '../../local-service/start.ts'
import { counted } from '../../text/figures.ts'
import { printable } from '../../text/printable.ts'
import { wrap } from '../../text/wrap.ts'
import { onboardingLines } from './serve-onboarding.ts'
import { DEMO_KEY, type ServeClient, type ServeValues } from './serve-options.ts'

type Lines = readonly (readonly [label: string, text: string])[]

interface Shape {
  /** Headings are bold then. */
  readonly isTty: boolean
  /** undefined: no line is broken. */
  readonly columns?: number | undefined
}

/** `seed`: the one chance began with. */
export function greeting(
  service: LocalService,
  values: ServeValues,
  seed: number,
  { isTty, columns = Infinity }: Shape,
): string {
  const bold = (text: string): string => (isTty ? `\u001b[1m${text}\u001b[22m` : text)
  const { clients, data } = values
  const { id, key } = clients[0]!
  const config = {
    import_url: service.url,
    sandbox_import_url: service.sandboxUrl,
    client_id: id,
    api_key: key === DEMO_KEY ? key : `the key of client ${id}`,
  }
  const switchedOn = optionLines(values, seed)
  return [
    bold(
      wrap(
        `The Analytics Service on this machine, its import and its onboarding interface. Rows live in ${data === undefined ? 'memory' : printable(data)}.`,
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
      ['data as it came', `${service.url}/_local/tables`],
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
    'Ctrl+C ends it.',
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
  const { latency, errorRate = 0, rateLimit, maxBody, compat, allowOrigins = [] } = values
  const all: [string, string | false | undefined][] = [
    ['--latency', latency && `${spread(latency)} ms before each answer`],
    ['--error-rate', errorRate > 0 && `${errorRate} of the upserts: 500, 503, or a reset before or after storing`],
    ['--seed', (errorRate > 0 || isSpread(latency)) && `${seed} makes the same chance again`],
    [
      '--rate-limit',
      rateLimit !== undefined &&
        `${rateLimit} ${rateLimit === 1 ? 'request' : 'requests'} a second and client, 429 above`,
    ],
    ['--max-body', maxBody !== undefined && `${counted(maxBody, 'byte')}, 413 above`],
    ['--compat', compat && 'every accepted upsert 201, bodies labelled text/html'],
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
