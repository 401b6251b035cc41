// What `serve` says when it listens: addresses, clients, options that are switched on, and what to do next. Shows no key that was given.

import { DEMO_KEY } from '../../local-service/clients.ts'
import { DEFAULT_OAUTH, DEFAULT_USER, type OnboardingOptions } from '../../local-service/onboarding/options.ts'
import type { LocalService } from '../../local-service/start.ts'
import type { Io } from '../../process/io.ts'
import { PROGRAM } from '../../process/start-command.ts'
import { counted } from '../../text/figures.ts'
import { printable, wrap } from '../../text/printable.ts'
import type { ServeValues } from './serve-options.ts'

type Lines = readonly (readonly [label: string, text: string])[]

/** Lays the greeting out. @param seed of the random choices
 *  @returns text with bold headings at a terminal; no line is broken elsewhere */
export function greeting(
  service: LocalService,
  values: ServeValues,
  seed: number,
  { isTty, env, columns = Infinity, command = PROGRAM }: Pick<Io, 'isTty' | 'env' | 'columns' | 'command'>,
): string {
  const bold = (text: string): string => (isTty && !env['NO_COLOR'] ? `\u001b[1m${text}\u001b[22m` : text)
  const { clients, data } = values
  const { id, key } = clients[0]!
  const config = { import_url: service.url, client_id: id, api_key: key === DEMO_KEY ? key : `the key of client ${id}` }
  const title = `A local simulator of the Analytics Service, with its import and onboarding interfaces. Rows are kept in ${data === undefined ? 'memory' : printable(data)}.`
  const switchedOn = optionLines(values, seed)
  return [
    bold(wrap(title, columns, '')),
    '',
    ...lines([
      ['page', `${service.url}/_local/`],
      ['import address', service.url],
      ['sandbox address', service.sandboxUrl],
      ...clients.map(({ id, key }) => [`client ${id}`, key === DEMO_KEY ? `key ${key}` : 'key as given'] as const),
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

/** Two spaces stand in front of a label, and one stands behind it. */
const LABEL_COLUMNS = 17

function lines(all: Lines, columns = Infinity): string[] {
  return all.map(([label, text]) => {
    const indent = ' '.repeat(LABEL_COLUMNS + 3)
    // the indent goes in front and is cut off again, because wrap keeps spaces in front of a text but not inside
    return `  ${label.padEnd(LABEL_COLUMNS)} ${wrap(indent + text, columns, indent).slice(indent.length)}`
  })
}

function dataLines(service: LocalService, data: string | undefined): Lines {
  const tables = service.tables()
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  return [
    ...(tables.length > 0 ? [['rows so far', `${rows} in ${counted(tables.length, 'table')}`] as const] : []),
    ...(data === undefined ? [] : [['data as columns', `sqlite3 ${printable(data)} 'select * from TABLE'`] as const]),
  ]
}

/** Tells which options are switched on: a text of `false` or `undefined` stands for one that is not. */
function optionLines(values: ServeValues, seed: number): Lines {
  const { latency, errorRate = 0, rateLimit, maxBody, compat, payloads, allowOrigins = [] } = values
  const all: [string, string | false | undefined][] = [
    ['--latency', latency && `${rangeText(latency)} ms before each answer`],
    ['--error-rate', errorRate > 0 && `${errorRate} of the upserts: 500, 503, or a reset before or after storing`],
    ['--seed', (errorRate > 0 || (latency && latency.from < latency.to)) && `${seed} repeats the same random choices`],
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

function rangeText({ from, to }: { from: number; to: number }): string {
  return from === to ? String(from) : `${from} to ${to}`
}

/** Tells where the onboarding interface is, and who may log in. */
function onboardingLines({ url }: LocalService, { users, oauth }: OnboardingOptions): Lines {
  return [
    ['onboarding', `${url} is base_url and dashboard_url`],
    ...(users?.map(({ name }) => ['user', `username ${printable(name)}, password as given`] as const) ?? [
      ['user', `username ${DEFAULT_USER.name}, password ${DEFAULT_USER.password}`] as const,
    ]),
    ...(oauth?.map(({ id }) => ['oauth client', `clientId ${id}, clientSecret as given`] as const) ?? [
      ['oauth client', `clientId ${DEFAULT_OAUTH.id}, clientSecret ${DEFAULT_OAUTH.secret}`] as const,
    ]),
    ['clients', `${url}/_local/clients`],
    ['jobs', `${url}/_local/jobs`],
  ]
}
