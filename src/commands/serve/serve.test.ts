import { writeFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { Writable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { expect, it } from 'vitest'
import { startLocalService } from '../../local-service/start.ts'
import { testFolder } from '../../local-service/testing/folder.ts'
import type { Ended, Io } from '../../process/io.ts'
import { Output } from '../../process/output.ts'
import { Scrubber } from '../../secrets/scrubber.ts'
import type { ArgumentValues } from '../../process/read-arguments.ts'
import { serve } from './serve.ts'
import { ioOf, NO_INPUT, Said } from '../../process/testing/said.ts'

interface Served {
  readonly code: Ended
  readonly printed: string
  readonly warned: string
  readonly scrubber: Scrubber
}

/** Serves until `use` is through with the greeting, or it ends by itself. */
async function serving(
  options: ArgumentValues,
  use: (greeting: string) => Promise<void> | void = () => {},
  more: Partial<Io> = {},
): Promise<Served> {
  const ending = new AbortController()
  const scrubber = new Scrubber()
  const greeted = Promise.withResolvers<void>()
  let printed = ''
  const write = (chunk: Buffer, _encoding: unknown, done: () => void): void => {
    printed += chunk.toString()
    greeted.resolve()
    done()
  }
  const stdout = new Output(new Writable({ write }), undefined, scrubber.scrub)
  const stderr = new Said()
  const io = ioOf(NO_INPUT, new Said(), stderr, { stdout, scrubber, signal: ending.signal, ...more })
  const ended = serve({ port: '0', ...options }, io)
  await Promise.race([greeted.promise, ended])
  try {
    if (printed !== '') await use(printed)
  } finally {
    ending.abort()
  }
  const code = await ended
  await stdout.flush()
  return { code, printed, warned: scrubber.scrub(await stderr.text()), scrubber }
}

function configIn(printed: string): Record<string, unknown> {
  return JSON.parse(printed.split('\n').find((line) => line.startsWith('{'))!)
}

it('prints a config that works, serves, and ends by its signal', async () => {
  const { code, warned } = await serving({}, async (printed) => {
    const config = configIn(printed)
    expect(config).toEqual({
      import_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      client_id: 7,
      api_key: 'demo-key',
    })
    const sandbox = /^ *sandbox address +(\S+)$/m.exec(printed)![1]
    for (const base of [config['import_url'], sandbox]) {
      expect((await fetch(`${String(base)}/v2/client/7/authenticate?apikey=demo-key`)).status).toBe(200)
    }
    expect(printed).not.toContain('\u001b')
  })
  expect([code, warned]).toEqual([0, ''])
})

it.each([
  [undefined, 'Rows were kept in memory only and are gone'],
  ['rows.db', 'Rows are in .*rows.db'],
])('says at its end what became of its rows, in %s', async (name, words) => {
  using folder = testFolder()
  const data = name === undefined ? {} : { data: folder.file(name) }
  const { printed } = await serving(data)
  expect(printed).toMatch(new RegExp(`\\n\\nStopped\\. ${words}\\.\\n$`))
})

it('is bold on a terminal, with the same words', async () => {
  const use = async (printed: string): Promise<void> => {
    expect(printed).toContain('\u001b[1m')
    expect(configIn(printed)).toMatchObject({ client_id: 7 })
  }
  await serving({}, use, { isTty: true })
  const { printed } = await serving({}, undefined, { isTty: true, env: { NO_COLOR: '1' } })
  expect(printed).not.toContain('\u001b')
})

it('breaks its lines where a terminal ends, but for the config, which is to be copied', async () => {
  const use = async (printed: string): Promise<void> => {
    const broken = printed.split('\n').filter((line) => !line.startsWith('{'))
    expect(broken.filter((line) => stripVTControlCharacters(line).length > 80)).toEqual([])
    expect(printed.replaceAll(/\s+/g, ' ')).toContain(
      '--error-rate 0.1 of the upserts: 500, 503, or a reset before or after',
    )
    expect(printed).toMatch(/^ {2}--rate-limit {6}1 request a second and client, 429 above$/m)
    expect(configIn(printed)).toMatchObject({ client_id: 7 })
  }
  await serving({ 'error-rate': '0.1', 'rate-limit': '1', compat: true, latency: '5-50' }, use, {
    isTty: true,
    columns: 80,
  })
})

it('takes several clients, and keys with colons', async () => {
  const client = ['7:a:b', '7:c', '12:d']
  await serving({ client, 'max-body': '10', 'rate-limit': '0.5', compat: true }, async (printed) => {
    const base = String(configIn(printed)['import_url'])
    expect(configIn(printed)).toMatchObject({ client_id: 7, api_key: 'the key of client 7' })
    expect(printed).not.toMatch(/a:b|[:'" ]c\b/)
    const status = async (id: number, key: string): Promise<number> =>
      (await fetch(`${base}/v2/client/${id}/authenticate?apikey=${key}`)).status
    expect([await status(7, 'a:b'), await status(12, 'd'), await status(12, 'c'), await status(7, 'c')]).toEqual([
      200, 200, 401, 429,
    ])
    expect((await fetch(base)).headers.get('content-type')).toBe('text/html; charset=UTF-8')
  })
})

it('says where rows live, what is switched on, and no key that was given', async () => {
  using folder = testFolder()
  const data = folder.file('\u001b[31mred.db')
  writeFileSync(folder.file('orders.jsonl'), '{"keys":["id"],"id":1}\n{"keys":["id"],"id":2}')
  await serving({}, async (printed) => {
    expect(printed).toContain('Rows are kept in memory.')
    expect(printed).toMatch(/^ {2}page +http:\/\/127\.0\.0\.1:\d+\/_local\/$/m)
    expect(printed).toContain('key demo-key')
    expect(printed).not.toMatch(/Switched on|^ +--|rows so far|sqlite3/m)
  })
  const all = {
    client: ['7:s3cr3t'],
    data,
    load: [folder.file('orders.jsonl'), `items=${folder.file('orders.jsonl')}`],
    latency: '1-2.5',
    'error-rate': '0.25',
    'rate-limit': '50',
    'max-body': '1000',
    compat: true,
  }
  await serving(all, async (printed) => {
    expect(printed).not.toContain('s3cr3t')
    expect(printed).not.toContain('\u001b')
    for (const line of [
      /^A local simulator of the Analytics Service.* Rows are kept in .*\?\[31mred\.db\.$/m,
      /^ {2}client 7 +key as given$/m,
      /^ {2}rows so far +4 in 2 tables$/m,
      /^ {2}data as columns +sqlite3 .*red\.db 'select \* from TABLE'$/m,
      /^ {2}--latency +1 to 2\.5 ms before each answer$/m,
      /^ {2}--error-rate +0\.25 of the upserts: /m,
      /^ {2}--seed +\d+ repeats the same random choices$/m,
      /^ {2}--rate-limit +50 requests a second and client, 429 above$/m,
      /^ {2}--max-body +1,000 bytes, 413 above$/m,
      /^ {2}--compat +every accepted upsert 201, bodies labelled text\/html$/m,
    ]) {
      expect(printed).toMatch(line)
    }
  })
  await serving({ data }, async (printed) => expect(printed).toMatch(/^ {2}rows so far +4 in 2 tables$/m))
})

it('repeats the same random choices with the same seed', async () => {
  const ends = async (seed: string): Promise<(number | string)[]> => {
    const found: (number | string)[] = []
    await serving({ 'error-rate': '0.5', seed }, async (printed) => {
      const url = `${String(configIn(printed)['import_url'])}/v2/client/7/table/t/data?apikey=demo-key`
      for (let id = 0; id < 40; id++) {
        const answer = fetch(url, { method: 'POST', body: `{"keys":["id"],"id":${id}}` })
        found.push(
          await answer.then(
            ({ status }) => status,
            () => 'reset',
          ),
        )
      }
    })
    return found
  }
  const first = await ends('12')
  expect(await ends('12')).toEqual(first)
  expect(await ends('13')).not.toEqual(first)
})

it('ends while it is loading, without a word', async () => {
  using folder = testFolder()
  const file = folder.file('orders.jsonl')
  writeFileSync(file, '{"keys":["id"],"id":1}')
  const { code, printed, warned } = await serving({ load: [file] }, undefined, { signal: AbortSignal.abort() })
  expect([code, printed, warned]).toEqual([0, '', ''])
})

it('says what is wrong with an option, and prints nothing', async () => {
  await using other = await startLocalService()
  const wrong: [ArgumentValues, RegExp][] = [
    [{ port: 'x' }, /--port "x"/],
    [{ port: '65536' }, /--port/],
    [{ port: '' }, /--port/],
    [{ port: '0x10' }, /--port/],
    [{ port: String(other.port) }, /in use/],
    [{ client: ['demo-key'] }, /--client/],
    [{ client: ['7:'] }, /--client/],
    [{ client: ['7:ok', 'x:y'] }, /--client/],
    [{ client: ['99999999999999999999:k'] }, /client id/],
    [{ 'max-body': '1.5' }, /--max-body/],
    [{ 'max-body': '0' }, /--max-body/],
    [{ 'rate-limit': '0' }, /--rate-limit/],
    [{ 'rate-limit': '-1' }, /--rate-limit/],
    [{ data: '' }, /data file/],
  ]
  for (const [options, message] of wrong) {
    const { code, printed, warned } = await serving(options)
    expect([[1, 2].includes(Number(code)), printed, warned]).toEqual([true, '', expect.stringMatching(message)])
  }
})

it('shows no key that was given but that of the examples', async () => {
  const { code, printed, scrubber } = await serving({ client: ['7:demo-key', '8:canary-4711'] })
  expect(code).toBe(0)
  expect(printed).toMatch(/client 7 +key demo-key\n/)
  expect(printed).toContain('"api_key":"demo-key"')
  expect(scrubber.scrub('demo-key canary-4711')).toBe('demo-key ******')
})

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'))

it.each(['0.0.0.0', '127.0.0.1', 'localhost', ...(hasIpv6 ? ['::', '::1'] : [])])(
  'warns once, on stderr, where %s lets other machines in: paths under /_local need no key',
  async (host) => {
    const { warned } = await serving({ host })
    const warning = `serve: warning: --host ${host} lets other machines in, and paths under /_local need no key`
    expect(warned).toEqual(['0.0.0.0', '::'].includes(host) ? expect.stringContaining(warning) : '')
  },
)

it.each([['seven:key'], ['key'], ['7:']])('says what is wrong with %s in words that can be read', async (client) => {
  const { code, warned } = await serving({ client: [client] })
  expect(code).toBe(2)
  expect(warned).toBe(
    'serve: Wrong --client: it must be ID:KEY, a whole number, a colon and a key, such as 7:demo-key.\n',
  )
})

it('does not show a key that is wrongly given', async () => {
  for (const client of ['seven:canary-4711', 'canary-4711', 'canary'])
    expect((await serving({ client: [client] })).warned).not.toContain('canary')
})

it('greets with a key that is a word of the greeting, and does not show which', async () => {
  const { printed } = await serving({ client: ['7:key'] })
  expect(printed).toMatch(/client 7 +key as given\n/)
  expect(printed).toContain('"api_key":"the key of client 7"')
  expect(printed).not.toContain('***')
})

/** The address of the onboarding interface. */
function addressIn(greeting: string): string {
  return /^ {2}onboarding +(\S+) /m.exec(greeting)![1]!
}

async function token(url: string, login: object): Promise<{ status: number; body: Record<string, unknown> }> {
  const answer = await fetch(`${url}/v1/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ grant_type: 'password', scope: 'default', ...login }),
  })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

it('prints a login that is good', async () => {
  const demo = { username: 'demo@example.com', password: 'demo-password', clientId: 1, clientSecret: 'demo-secret' }
  const { printed } = await serving({}, async (greeting) => {
    const url = addressIn(greeting)
    expect(await token(url, demo)).toMatchObject({ status: 201, body: { expires_in: 14_400 } })
  })
  for (const text of Object.values(demo)) expect(printed).toContain(` ${text}`)
})

it('takes users, oauth clients and times, and prints no secret', async () => {
  const user = ['ada@example.com:hunter2:a', 'b:hunter2b']
  const oauth = ['5:hunter2:c', '6:hunter2d']
  const { printed } = await serving({ user, oauth, 'token-seconds': '60', 'job-seconds': '0.5' }, async (greeting) => {
    const url = addressIn(greeting)
    const ada = { username: 'ada@example.com', password: 'hunter2:a', clientId: 5, clientSecret: 'hunter2:c' }
    expect(await token(url, ada)).toMatchObject({ status: 201, body: { expires_in: 60, oauth_client_id: 5 } })
    expect(await token(url, { ...ada, password: 'demo-password' })).toMatchObject({ status: 401 })
    const { plans } = (await (await fetch(`${url}/_local/onboarding`)).json()) as { plans: object }
    expect(plans).toMatchObject({ signup: { durationMs: 500 }, dashboards: { durationMs: 500, outcome: 'completed' } })
  })
  expect(printed).toContain('username ada@example.com, password as given')
  expect(printed).toContain('clientId 6, clientSecret as given')
  expect(printed).not.toMatch(/hunter2|demo-password|demo-secret/)
})

it('says what is wrong with logins, and shows no secret', async () => {
  const users = ['hunter2', ':hunter2', 'hunter2:', '']
  const clients = ['hunter2', ':hunter2', '5:', 'x:hunter2', '05:hunter2', '-5:hunter2', '']
  const wrong: [ArgumentValues, RegExp][] = [
    ...users.map((text): [ArgumentValues, RegExp] => [{ user: [text] }, /Wrong --user: it must be NAME:PASSWORD/]),
    ...clients.map((text): [ArgumentValues, RegExp] => [{ oauth: [text] }, /Wrong --oauth: it must be ID:SECRET/]),
    [{ 'token-seconds': '0' }, /Wrong --token-seconds "0"/],
    [{ 'token-seconds': '1.5' }, /Wrong --token-seconds/],
    [{ 'token-seconds': '1000000001' }, /Wrong --token-seconds/],
    [{ 'job-seconds': '-1' }, /Wrong --job-seconds/],
    [{ 'job-seconds': 'x' }, /Wrong --job-seconds/],
    [{ user: ['a:hunter2', 'a:hunter2'] }, /The user "a" is there twice/],
    [{ oauth: ['99999999999999999999:hunter2'] }, /oauth client is a whole number/],
  ]
  for (const [options, message] of wrong) {
    const { printed, warned } = await serving(options)
    expect([printed, warned]).toEqual(['', expect.stringMatching(message)])
    expect(warned).not.toMatch(/hunter2|\*{3}/)
  }
})
