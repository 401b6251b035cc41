// The JSON Schemas for editors of `write` and `onboard`: they are what the options say, they take what the loaders take, and the
// examples fit.

import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { exampleOf } from './example.ts'
import { streamSchema } from '../src/config/stream/stream-options.ts'
import { parse } from 'yaml'
import { readWriteConfig } from '../src/config/write/write-load.ts'
import { readOnboardConfig } from '../src/config/onboard/onboard-load.ts'
import { onboardOptions } from '../src/config/onboard/onboard-options.ts'
import { onboardFileSchema } from './file-schema.ts'
import { writeFileOptions } from '../src/config/older-names.ts'
import { fits } from './draft-07.ts'

const OPTION_NAMES = Object.keys(writeFileOptions.shape)
const STREAM_EXAMPLE = exampleOf('stream', streamSchema)

const ONBOARD_EXAMPLE = exampleOf('onboard', onboardOptions)

type Schema = Readonly<Record<string, unknown>>

const text = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8')
const schemaOf = (command: string): Schema => JSON.parse(text(`./${command}-config.schema.json`)) as Schema
const sample = (name: string): unknown => parse(text(`../spec/sample/${name}`))
const [forWrite, forOnboard, forStream] = ['write', 'onboard', 'stream'].map(schemaOf) as [Schema, Schema, Schema]
const ENV = {
  ONBOARD_PASSWORD: 'a',
  ONBOARD_CLIENT_SECRET: 'b',
  STORE_DB_PASSWORD: 'c',
  YES: 'true',
  N: '12',
  M: '2.5',
}

test('samples and examples fit', () => {
  for (const name of ['config.json', 'divert.json']) expect(fits(sample(name), forWrite), name).toBe(true)
  expect(fits(sample('onboard.yaml'), forOnboard)).toBe(true)
  expect(fits(parse(ONBOARD_EXAMPLE), forOnboard)).toBe(true)
  expect(fits(sample('stream.yaml'), forStream)).toBe(true)
  expect(fits(parse(STREAM_EXAMPLE), forStream)).toBe(true)
})

test('the schema of write knows every option, with its words, and no annotation of forms', () => {
  const options = forWrite['properties'] as Record<string, Schema>
  expect(Object.keys(options).toSorted()).toEqual([...OPTION_NAMES, '$schema'].toSorted())
  for (const name of OPTION_NAMES) expect(options[name]!['description'], name).toMatch(/\.$/)
  expect(text('./write-config.schema.json')).not.toMatch(
    /"(?:airbyte_secret|multiline|group|order|pattern_descriptor)"/,
  )
})

describe('the schema of write and `write` agree on', () => {
  const least = { import_url: 'https://import.example.com', client_id: 7, api_key: 'import-key' }
  const stream = (members: object): object => ({ ...least, streams: [{ name: 'orders', ...members }] })
  test.each<[object, boolean]>([
    [least, true],
    [{ $schema: './schema.json', ...least }, true],
    [{ ...least, client_id: '7' }, true],
    [{ ...least, client_id: 'seven' }, false],
    [{ ...least, client_id: 7.5 }, false],
    [{ client_id: 7, api_key: 'import-key' }, false],
    [{ ...least, use_sandbox: true }, false],
    [
      { client_id: 7, api_key: 'import-key', use_sandbox: true, sandbox_import_url: 'https://sandbox.example.com' },
      true,
    ],
    [{ ...least, import_url: 'import.example.com' }, false],
    [{ ...least, max_point: 5 }, false],
    [{ ...least, max_points: 101 }, false],
    [{ ...least, concurrency: 16 }, true],
    [{ ...least, on_rejected: 'keep' }, false],
    [{ client_id: 7, api_key: 'import-key', sandbox: { mode: 'on', import_url: 'https://sandbox.example.com' } }, true],
    [{ ...least, sandbox: { mode: 'off' } }, true],
    [{ ...least, sandbox: { mode: 'on' } }, false],
    [{ ...least, sandbox: { mode: 'off', import_url: 'https://sandbox.example.com' } }, false],
    [{ ...least, rejected_records: { policy: 'stop' } }, true],
    [{ ...least, rejected_records: { policy: 'table' } }, true],
    [{ ...least, rejected_records: { policy: 'table', table: 'bad' } }, true],
    [{ ...least, rejected_records: { policy: 'table', table: 'a-b' } }, false],
    [{ ...least, rejected_records: { policy: 'file', path: 'rejected.jsonl' } }, true],
    [{ ...least, rejected_records: { policy: 'file' } }, false],
    [{ ...least, rejected_records: { policy: 'keep' } }, false],
    [{ ...least, rejected_records: {} }, false],
    [{ ...least, rejected_records: 'stop' }, false],
    [{ ...least, rejected_records: { policy: 'stop', table: 'bad' } }, false],
    [{ ...least, metadata_columns: ['_airbyte_meta'] }, true],
    [stream({ keys: ['id', ['a', 'b'], { path: '/c/d', field: 'e' }] }), true],
    [stream({ keys: [{ path: '/c/d' }] }), false],
    [stream({ tabel: 'x' }), false],
    [stream({ table: 'a-b' }), false],
    [stream({ name: '' }), false],
  ])('%j', (config, right) => {
    const { problems, warnings } = readWriteConfig(JSON.stringify(config))
    const write = problems.length + warnings.length === 0
    expect({ editors: fits(config, forWrite), write }).toEqual({ editors: right, write: right })
  })
})

describe('the schema of onboard', () => {
  const members = (schema: Schema, path: readonly string[] = []): [string, Schema][] =>
    Object.entries((schema['properties'] ?? {}) as Record<string, Schema>).flatMap(([name, member]) => {
      const inner = [...path, name]
      const own: [string, Schema][] = [[inner.join('.'), member]]
      return own.concat(members(member, inner))
    })
  const options = members(onboardFileSchema())

  test('has words for what its name does not say', () => {
    for (const [path, { description }] of options.filter(([path]) => !path.includes('properties.')))
      expect(description, path).toMatch(/[.]$/)
  })

  test('takes secrets only from elsewhere, and files where the loader does', () => {
    const forms = (name: string): string[] =>
      members(forOnboard).flatMap(([path, { anyOf }]) => {
        const all = (anyOf ?? []) as Schema[]
        const isFile = all.some(({ $ref }) => $ref === '#/definitions/file')
        const isText = all.some(({ type }) => type === 'string')
        return isFile && (name === 'secret') !== isText ? [path] : []
      })
    expect(forms('secret')).toEqual([
      'login.password',
      'login.client_secret',
      'connection.credentials.password',
      'connection.credentials.encryption_password',
      'connection.properties.encryption_groupSecret',
      'client_key',
    ])
    expect(forms('file')).toEqual(['ca_certificate', 'client_certificate'])
  })

  const example = parse(ONBOARD_EXAMPLE) as Record<string, unknown>
  /** The example with one member elsewhere; undefined: without it. */
  const withMember = (path: string, value: unknown): unknown => {
    const copy = structuredClone(example)
    const names = path.split('.')
    const group = names.slice(0, -1).reduce((node, name) => (node[name] ??= {}) as typeof copy, copy)
    if (value === undefined) delete group[names.at(-1)!]
    else group[names.at(-1)!] = value
    return copy
  }

  test.each<[string, unknown, boolean]>([
    ['$schema', 'schema.json', true],
    ['base_url', undefined, false],
    ['surplus', 1, false],
    ['client.tire', 'x', false],
    ['login.password', 'written out', false],
    ['login.password', { file: 'x' }, false],
    ['login.client_id', '12', true],
    ['login.client_id', '${N}', true],
    ['login.client_id', 1.5, false],
    ['login.client_id', -1, false],
    ['client.shop.customer_id', 1001, false],
    ['user.rights.admin', true, true],
    ['user.rights.admin', '${N}', false],
    ['user.rights.admin', 2, false],
    ['allow_insecure_http', '${YES}', true],
    ['allow_insecure_http', 'yes', false],
    ['request_timeout_seconds', '${M}', true],
    ['request_timeout_seconds', 0, false],
    ['properties.week_start_day', 1, true],
    ['properties.week_start_day', '8', false],
    ['properties.default_currency', 'euro', false],
    ['properties.has_guest_checkout', false, true],
    ['properties.has_guest_checkout', 2, false],
    ['connection.type', 'oracle', false],
    ['connection.properties.port', 3306, true],
    ['connection.properties.port', 70_000, false],
    ['connection.properties.encryption_sshPort', 22, true],
    ['connection.properties.encryption_sshPort', null, true],
    ['connection.properties.encryption_sshPort', '${N}', true],
    ['connection.properties.status', 1, true],
    ['connection.properties.useSSL', true, true],
    ['connection.properties.sourceTZ', null, true],
    ['connection.credentials.encryption_password', null, true],
    ['dashboards.user_id', 5, true],
    ['polling.first_seconds', 0.5, true],
  ])('agrees with `onboard` on %s: %j', async (path, value, right) => {
    const config = withMember(path, value)
    const { problems } = await readOnboardConfig(JSON.stringify(config), { env: ENV, folder: '/nowhere' })
    const editors = fits(config, forOnboard)
    // a file that is not there, a variable's value: only `onboard` sees them
    const unseen = typeof value === 'object' && value !== null ? true : value === '${N}' && path.endsWith('admin')
    expect({ editors, onboard: problems.length === 0 }).toEqual({ editors: right || unseen, onboard: right })
  })
})

test('a keyword nobody checks is an error', () => {
  expect(() => fits(1, { multipleOf: 2 })).toThrow('multipleOf')
})
