// What the process tests of `write` share: messages, one run against a local service, what it said.

import { expect } from 'vitest'
import { startLocalService, type LocalService } from '../../src/local-service/start.ts'
import { run, workFolder, type Finished, type WorkFolder } from '../connector.ts'

export const KEY = 'k/é+&=%"\\'

export const stream = (name: string, over: object = {}): object => ({
  stream: { name, json_schema: {}, supported_sync_modes: ['incremental'] },
  sync_mode: 'incremental',
  destination_sync_mode: 'append_dedup',
  primary_key: [['id']],
  ...over,
})
export const record = (data: string, name = 'orders', rest = ''): string =>
  `{"type":"RECORD","record":{"stream":"${name}","data":${data},"emitted_at":1${rest}}}`
export const state = (payload: string, name = 'orders'): string =>
  `{"type":"STATE","state":{"type":"STREAM","stream":{"stream_descriptor":{"name":"${name}"},"stream_state":${payload}}}}`

export interface Case {
  readonly input: string | Uint8Array
  readonly streams?: object[]
  readonly config?: object
  /** Options behind the others. */
  readonly args?: readonly string[]
  prepare?(service: LocalService): void
}

export async function write(
  given: Case,
): Promise<Finished & { rows(table: string): readonly string[]; requests: number }> {
  await using service = await startLocalService({ clients: [{ id: 7, key: KEY }] })
  await using work = await workFolder()
  given.prepare?.(service)
  const config = { api_key: KEY, retry_for_seconds: 1, ...given.config }
  const args = [...(await argsOf(service, work, given.streams, config)), ...(given.args ?? [])]
  const done = await run(args, given.input)
  const tables = new Map(service.tables().map(({ table }) => [table, service.rows(table)]))
  return { ...done, rows: (table) => tables.get(table) ?? [], requests: service.requests.total }
}

interface Trace {
  readonly type: string
  readonly error: { message: string; failure_type: string; stream_descriptor?: { name: string } }
}

/** The one TRACE ERROR, which must be the last line. */
export function trace(done: Finished): Trace['error'] {
  expect(done.messages.filter(({ type }) => type === 'TRACE')).toHaveLength(1)
  const { error } = done.messages.at(-1)!['trace'] as Trace
  expect(done.code).toBe(1)
  for (const form of [KEY, encodeURIComponent(KEY), JSON.stringify(KEY).slice(1, -1)])
    expect(done.stdout + done.stderr).not.toContain(form)
  return error
}
export const logs = (done: Finished, level: string): string =>
  done.messages
    .map(({ log }) => log as { level: string; message: string } | undefined)
    .filter((log) => log?.level === level)
    .map((log) => log!.message)
    .join('\n')

/** A row of the table of rejected records, or the rejection in a line of a file of them. */
export interface RejectRow {
  readonly part: number
  readonly parts: number
  readonly line: number
  readonly reason: string
  readonly message: string
  readonly message_base64?: string
  readonly superseded: number
  readonly superseded_at?: readonly number[]
}
export const rejectsOf = (rows: readonly string[]): RejectRow[] =>
  rows.map((text) => JSON.parse(text) as RejectRow).toSorted((a, b) => a.line - b.line || a.part - b.part)

/** The counts that a STATE line was given. */
export const countsIn = (line: string): unknown =>
  (JSON.parse(line) as { state: { destinationStats: unknown } }).state.destinationStats

/** The arguments of a write. @param config beside what says where the service is, or in its place */
export async function argsOf(
  { url }: { readonly url: string },
  work: WorkFolder,
  streams: readonly object[] = [stream('orders')],
  config: object = {},
): Promise<string[]> {
  const whole = { import_url: url, client_id: 7, api_key: 'demo-key', ...config }
  return [
    'write',
    '--config',
    await work.file('config.json', whole),
    '--catalog',
    await work.file('catalog.json', { streams }),
  ]
}
