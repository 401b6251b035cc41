// `write --dry-run` as a process: what docs/dry-run.md shows, by the published schema, and where it is refused.

import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { fits } from '../../spec/draft-07.ts'
import { dryRunFileSchema } from '../../spec/summary-reference.ts'
import type { DryRun } from '../../src/telemetry/dry-run/dry-run-schema.ts'
import { readPage, shell } from '../cli/readme-commands.ts'
import { told, workFolder } from '../connector.ts'
import { both } from './lines.ts'
import { record, state, stream } from '../write/driver.ts'

const catalog = { streams: [stream('orders'), stream('log', { destination_sync_mode: 'append' })] }

async function dryRun(input: string, more: readonly string[] = [], config?: object) {
  await using work = await workFolder()
  const options = config === undefined ? [] : ['--config', await work.file('config.json', config)]
  const args = ['write', '--dry-run', '--catalog', await work.file('catalog.json', catalog), ...options, ...more]
  const done = await told(args, { input })
  const left = await readdir(work.path)
  return {
    ...done,
    left,
    dry: more.includes('--json') && done.code !== 2 ? (JSON.parse(done.text) as DryRun) : undefined,
  }
}

it('prints what its page shows', async () => {
  const page = await readPage('docs/dry-run.md')
  const parts = [...page.matchAll(/```sh\n([^]*?)```\n\n```text\n([^]*?)```/g)]
  expect(parts).toHaveLength(2)
  for (const [, command, shown] of parts) expect(await shell(command!)).toBe(shown)
})

it('fits the published schema, and keeps, prints and needs nothing', async () => {
  const input = [
    record('{"id":1}'),
    record('{"id":1.0}'),
    record('{"id":"1"}'),
    record('{"id":null}'),
    state('1'),
    record('{}', 'log'),
  ]
  const config = {
    import_url: 'https://nowhere.invalid',
    client_id: 7,
    api_key: 'k',
    rejected_records: { policy: 'file', path: 'r.jsonl' },
  }
  const { dry: said, code, left } = await dryRun(`${input.join('\n')}\n`, ['--json'], config)
  expect(code).toBe(0)
  expect(left.toSorted()).toEqual(['catalog.json', 'config.json'])
  expect(fits(said, dryRunFileSchema())).toBe(true)
  expect(said).toMatchObject({
    result: 'done',
    rows: [
      { name: 'orders', records: 4, rejected: 1 },
      { name: 'log', records: 1, rejected: 0 },
    ],
    tables: [
      { rows: 2, rows_sent: { at_least: 2, at_most: 3 } },
      { rows: 1, rows_sent: { at_least: 1, at_most: 1 } },
    ],
    rejected: [{ name: 'orders', reason: 'its key field "id" is null', records: 1, first: 'input line 4' }],
  })
})

it('looks at the fields of all records', async () => {
  const rare = record('{"id":5000,"rare":1}')
  const lines = Array.from({ length: 12 * 300 }, (_, nth) => (nth % 300 === 299 ? rare : record(`{"id":${nth}}`)))
  const { dry: said } = await dryRun(lines.join('\n'), ['--json'])
  const { fields } = said!.rows[0]!
  expect(fields!.sampled).toBe(3600)
  expect(fields!.names.map(({ name, records }) => [name, records])).toEqual([
    ['id', 3600],
    ['rare', 12],
  ])
})

it('is a gate before sending: other keys, tables or fields end it with 1, until a run has renewed the summary', async () => {
  const many = (field: string): string =>
    Array.from({ length: 20 }, (_, nth) => record(`{"id":${nth},"${field}":1}`)).join('\n')
  await using work = await workFolder()
  const file = join(work.path, 'summary.json')
  const gate = ['--json', '--compare', file, '--fail-on-change']
  const missing = await dryRun(many('mail'), gate)
  expect([missing.code, missing.dry!.error!.code]).toEqual([1, 'report.not-a-summary'])
  const renewed = async (field: string, options: object): Promise<void> => {
    const { summary } = await both({ input: Buffer.from(many(field)), streams: catalog.streams, options })
    await writeFile(file, JSON.stringify(summary))
  }
  await renewed('mail', {})
  const same = await dryRun(many('mail'), gate)
  expect([same.code, same.dry!.error, same.dry!.changes]).toEqual([0, null, []])
  const options = { import_url: 'https://x.invalid', client_id: 7, api_key: 'k' }
  for (const [field, config, change] of [
    ['mail', { streams: [{ name: 'orders', keys: ['mail'] }] }, 'keys-new orders'],
    ['mail', { streams: [{ name: 'log', table: 'other' }] }, 'table-gone log'],
    ['email', {}, 'field-gone orders'],
  ] as const) {
    const { code, dry: said } = await dryRun(many(field), gate, { ...options, ...config })
    expect([code, said!.result, said!.error!.code]).toEqual([1, 'failed', 'run.differs'])
    expect(said!.error!.message).toContain(`let a run with --summary ${JSON.stringify(file)} write it anew`)
    expect(`${said!.changes![0]!.what} ${said!.changes![0]!.name}`).toBe(change)
    await renewed(field, config)
    expect((await dryRun(many(field), gate, { ...options, ...config })).code).toBe(0)
    await renewed('mail', {})
  }
  // kinds of values and counts are told, and no reason to stop
  const others = many('mail').replaceAll('"mail":1', '"mail":"1"')
  const told = await dryRun(others, gate)
  expect([told.code, told.dry!.changes!.map(({ what }) => what)]).toEqual([0, ['field-kind']])
})

it('ends with 1 where the run could not begin, and with 2 where it is used wrong', async () => {
  const cases: readonly (readonly [input: string, config: object | undefined, words: RegExp])[] = [
    ['', { import_url: 'x' }, /configuration cannot be used/],
    [
      '',
      {
        import_url: 'https://x.invalid',
        client_id: 7,
        api_key: 'k',
        rejected_records: { policy: 'file', path: '/none/r' },
      },
      /cannot be appended to/,
    ],
  ]
  for (const [input, config, words] of cases) {
    const { code, dry: said } = await dryRun(input, ['--json'], config)
    expect([code, said!.result]).toEqual([1, 'failed'])
    expect(said!.error!.message).toMatch(words)
  }
  for (const more of [
    ['--report', 'r.html'],
    ['--summary', 's.json'],
  ])
    expect((await dryRun('', more)).code).toBe(2)
  expect((await told(['write', '--json', '--catalog', 'c', '--config', 'c'])).code).toBe(2)
  expect((await told(['write', '--catalog', 'c'])).text).toContain('It needs --config FILE')
})
