// Nobody ever sees the key: it is in the wrong place, in a file, in the input or on the command line.

import { expect, test } from 'vitest'
import { DEBUG, eachOf, KEY, LINES, ownTroubles, played, prepared, unseen } from './run.ts'
import { workFolder } from '../connector.ts'
import { record, stream } from '../write/driver.ts'

const troubles = ownTroubles()

test.concurrent.each<[string, string, RegExp]>([
  ['no JSON', `{"type":"RECORD","record":{"stream":"orders","data":{"id":"${KEY}"`, /is not JSON/],
  ['a stream nobody knows', record('{"id":1}', JSON.stringify(KEY).slice(1, -1)), /which the catalog does not name/],
  ['no stream', `{"type":"RECORD","record":{"data":${JSON.stringify(KEY)}}}`, /without a string \\"stream\\"/],
  ['a key that is none', record(`{"id":[${JSON.stringify(KEY)}]}`), /cannot be stored/],
])('write: a line with the key in it: %s', async (_, input, words) => {
  const config = { import_url: troubles.url('none'), log_keys: true }
  expect((await played('write', { config, input })).stdout).toMatch(words)
})

const IN_URL = encodeURIComponent(KEY)

/** What a config may look like that holds the key in the wrong place. */
const CONFIGS: readonly [string, object | string, RegExp][] = [
  [
    'broken JSON',
    `{"import_url":"http://127.0.0.1:1","api_key":${JSON.stringify(KEY)} "client_id":7}`,
    /not valid JSON/,
  ],
  ['no end', `{"api_key":${JSON.stringify(KEY)},"client_id":7`, /not valid JSON/],
  ['no escapes', `{"api_key":"${KEY}","client_id":7}`, /not valid JSON/],
  ['another language', `api_key: '${KEY}'\nclient_id: 7\n`, /not valid JSON/],
  [
    'wrong types',
    { api_key: { value: [KEY] }, import_url: [KEY], client_key: [KEY], streams: KEY, use_sandbox: KEY },
    /`api_key` must be a string/,
  ],
  [
    'the key everywhere',
    Object.fromEntries(
      ['import_url', 'client_id', 'ca_certificate', 'client_key', 'max_points', 'table_names', 'on_rejected', KEY].map(
        (name) => [name, KEY],
      ),
    ),
    /`client_id` must be a whole number/,
  ],
  ['the key as a client, and none', { client_id: KEY, api_key: null, [IN_URL]: KEY }, /`api_key` is required/],
  [
    'an address with it',
    { import_url: `https://u:${IN_URL}@h.example/?apikey=${IN_URL}#${IN_URL}` },
    /`import_url` must/,
  ],
  ['an address that is none', { import_url: `http://[${KEY}` }, /`import_url` is not an address/],
  [
    'tables of that name',
    {
      import_url: 'http://127.0.0.1:1',
      table_prefix: KEY,
      streams: [{ name: KEY, table: KEY, keys: [KEY], [KEY]: 1 }, { name: `${'long '.repeat(30)}${KEY}` }],
    },
    /streams/,
  ],
]

test.concurrent.each(CONFIGS)('a config with %s', async (_, config, words) => {
  const commands = typeof config === 'string' ? ['check'] : ['check', 'write', 'plan']
  await eachOf(commands, async (command) => expect((await played(command, { config })).stdout).toMatch(words))
})

test.concurrent('JSON in the place of its path, and no file', async () => {
  await eachOf(['check', 'write', 'plan'], async (command) => {
    await using work = await workFolder()
    const args = command === 'check' ? [command] : [command, '--catalog', 'none.json']
    const config = JSON.stringify({ api_key: KEY, client_id: 7 })
    const given = ['process cmdline']
    const { stdout } = await unseen(work, {}, [KEY], { args: [...args, '--config', config], given })
    expect(stdout).toMatch(/takes the path of a file/)
  })
  await using work = await workFolder()
  const missing = await unseen(work, {}, [KEY], { args: ['check', '--config', 'none.json'] })
  expect(missing.stdout).toMatch(/none\.json.*there is no such file/)
})

test.concurrent.each<[string, string[]]>([
  ['a command', [KEY]],
  ['a word too many', ['check', '--config', 'config.json', KEY]],
  ['an option nobody knows', ['write', `--api_key=${KEY}`]],
  ['a client', ['serve', '--client', KEY]],
])('the key on the command line, as %s', async (_, args) => {
  await using work = await workFolder()
  const { code, stderr } = await unseen(work, { debug: DEBUG }, [KEY], { args, given: ['process cmdline'] })
  expect([1, 2]).toContain(code)
  expect(stderr).not.toBe('')
})

test.concurrent.each([false, true])('plan of streams of that name, as JSON: %s', async (asJson) => {
  await using work = await workFolder()
  const catalog = { streams: [stream(KEY), stream(LINES, { primary_key: [[KEY]] }), stream(`${'a'.repeat(90)}${KEY}`)] }
  const running = await prepared(work, 'plan', { key: KEY, catalog, config: { import_url: 'http://127.0.0.1:1' } })
  const { stdout } = await unseen(work, {}, [KEY], {
    ...running,
    args: [...running.args, ...(asJson ? ['--json'] : [])],
  })
  expect(stdout).toContain('******')
  if (asJson) expect((JSON.parse(stdout) as { streams: unknown[] }).streams).toHaveLength(3)
})
