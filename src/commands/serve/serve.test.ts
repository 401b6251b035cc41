import { writeFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { expect, it } from 'vitest'
import { startLocalService } from '../../local-service/start.ts'
import { testFolder } from '../../local-service/testing/folder.ts'
import { Output } from '../../process/output.ts'
import { Scrubber } from '../../secrets/scrubber.ts'
import type { ArgumentValues } from '../../process/read-arguments.ts'
import { serveValues } from './serve-options.ts'
import { serve, serveCommand, type ServeIo } from './serve.ts'
import { ioOf, NO_INPUT, Said } from '../../process/testing/said.ts'

/** Options as from the command line; no terminal unless said. */
async function served(
  options: ArgumentValues,
  io: Omit<ServeIo, 'isTty' | 'warn'> & Partial<ServeIo>,
  signal: AbortSignal,
): Promise<number> {
  return serve(serveValues(options), { isTty: false, warn: (text) => expect.unreachable(text), ...io }, signal)
}

/** Runs until `use` is through with what was printed. */
async function running(
  options: ArgumentValues,
  use: (printed: string) => Promise<void>,
  isTty = false,
  columns?: number,
): Promise<number> {
  const ending = new AbortController()
  let printed = ''
  let ready = (): void => {}
  const listening = new Promise<void>((resolve) => (ready = resolve))
  const io = {
    write(text: string) {
      printed += text
      ready()
    },
    random: () => 0.5,
    isTty,
    columns,
  }
  const code = served({ port: '0', ...options }, io, ending.signal)
  await Promise.race([listening, code])
  try {
    await use(printed)
  } finally {
    ending.abort()
  }
  return code
}

function configIn(printed: string): Record<string, unknown> {
  return JSON.parse(printed.split('\n').find((line) => line.startsWith('{'))!)
}

it('prints a config that works, serves, and ends by its signal', async () => {
  const code = await running({}, async (printed) => {
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
  expect(code).toBe(0)
})

it.each([
  [undefined, 'Rows were kept in memory only and are gone'],
  ['rows.db', 'Rows are in .*rows.db'],
])('says at its end what became of its rows, in %s', async (name, words) => {
  using folder = testFolder()
  const ending = new AbortController()
  const said: string[] = []
  const io = {
    write(text: string) {
      said.push(text)
      ending.abort()
    },
    random: () => 0.5,
  }
  const data = name === undefined ? {} : { data: folder.file(name) }
  expect(await served({ port: '0', ...data }, io, ending.signal)).toBe(0)
  expect(said.slice(1)).toEqual([expect.stringMatching(new RegExp(`^\\nStopped\\. ${words}\\.\\n$`))])
})

it('is bold on a terminal, with the same words', async () => {
  const use = async (printed: string): Promise<void> => {
    expect(printed).toContain('\u001b[1m')
    expect(configIn(printed)).toMatchObject({ client_id: 7 })
  }
  await running({}, use, true)
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
  await running({ 'error-rate': '0.1', 'rate-limit': '1', compat: true, latency: '5-50' }, use, true, 80)
})

it('takes several clients, and keys with colons', async () => {
  const client = ['7:a:b', '7:c', '12:d']
  await running({ client, 'max-body': '10', 'rate-limit': '0.5', compat: true }, async (printed) => {
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
  await running({}, async (printed) => {
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
  await running(all, async (printed) => {
    expect(printed).not.toContain('s3cr3t')
    expect(printed).not.toContain('\u001b')
    for (const line of [
      /^A local simulator of the Analytics Service.* Rows are kept in .*\?\[31mred\.db\.$/m,
      /^ {2}client 7 +key as given$/m,
      /^ {2}rows so far +4 in 2 tables$/m,
      /^ {2}data as columns +sqlite3 .*red\.db 'select \* from TABLE'$/m,
      /^ {2}--latency +1 to 2\.5 ms before each answer$/m,
      /^ {2}--error-rate +0\.25 of the upserts: /m,
      /^ {2}--seed +2147483648 repeats the same random choices$/m,
      /^ {2}--rate-limit +50 requests a second and client, 429 above$/m,
      /^ {2}--max-body +1,000 bytes, 413 above$/m,
      /^ {2}--compat +every accepted upsert 201, bodies labelled text\/html$/m,
    ]) {
      expect(printed).toMatch(line)
    }
  })
  await running({ data }, async (printed) => expect(printed).toMatch(/^ {2}rows so far +4 in 2 tables$/m))
})

it('repeats the same random choices with the same seed', async () => {
  const ends = async (seed: string): Promise<(number | string)[]> => {
    const found: (number | string)[] = []
    await running({ 'error-rate': '0.5', seed }, async (printed) => {
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
  const io = { write: () => expect.unreachable(), random: Math.random }
  expect(await served({ port: '0', load: [file] }, io, AbortSignal.abort())).toBe(0)
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
    const io = { write: () => expect.unreachable(), random: Math.random }
    const run = served({ port: '0', ...options }, io, AbortSignal.abort())
    await expect(run).rejects.toMatchObject({ kind: 'config', message: expect.stringMatching(message) })
  }
})

interface Commanded {
  readonly code: number | 'stopped'
  readonly printed: string
  readonly scrub: (text: string) => string
}

/** Ends as soon as something was said. */
async function commanded(client: string[]): Promise<Commanded> {
  const ending = new AbortController()
  const scrubber = new Scrubber()
  const sink = new PassThrough()
  let printed = ''
  sink.on('data', (text: Buffer) => {
    printed += text.toString()
    ending.abort()
  })
  const output = new Output(sink, undefined, scrubber.scrub)
  const more = { stdout: output, stderr: output, scrubber, signal: ending.signal }
  const io = ioOf(NO_INPUT, new Said(), new Said(), more)
  const code = await serveCommand({ port: '0', client }, io)
  await io.stderr.flush()
  return { code, printed, scrub: scrubber.scrub }
}

it('shows no key that was given but that of the examples', async () => {
  const { code, printed, scrub } = await commanded(['7:demo-key', '8:canary-4711'])
  expect(code).toBe(0)
  expect(printed).toMatch(/client 7 +key demo-key\n/)
  expect(printed).toContain('"api_key":"demo-key"')
  expect(scrub('demo-key canary-4711')).toBe('demo-key ******')
})

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'))

it.each(['0.0.0.0', '127.0.0.1', 'localhost', ...(hasIpv6 ? ['::', '::1'] : [])])(
  'warns once, on stderr, where %s lets other machines in: paths under /_local need no key',
  async (host) => {
    const warned: string[] = []
    const ending = new AbortController()
    const io = { write: () => ending.abort(), warn: (text: string) => void warned.push(text), random: () => 0.5 }
    expect(await served({ port: '0', host }, io, ending.signal)).toBe(0)
    const warning = `serve: warning: --host ${host} lets other machines in, and paths under /_local need no key`
    expect(warned).toEqual(['0.0.0.0', '::'].includes(host) ? [expect.stringContaining(warning)] : [])
  },
)

it.each([['seven:key'], ['key'], ['7:']])('says what is wrong with %s in words that can be read', async (client) => {
  const { code, printed } = await commanded([client])
  expect(code).toBe(2)
  expect(printed).toBe(
    'serve: Wrong --client: it must be ID:KEY, a whole number, a colon and a key, such as 7:demo-key.\n',
  )
})

it('does not show a key that is wrongly given', async () => {
  for (const client of ['seven:canary-4711', 'canary-4711', 'canary'])
    expect((await commanded([client])).printed).not.toContain('canary')
})

it('greets with a key that is a word of the greeting, and does not show which', async () => {
  const { printed } = await commanded(['7:key'])
  expect(printed).toMatch(/client 7 +key as given\n/)
  expect(printed).toContain('"api_key":"the key of client 7"')
  expect(printed).not.toContain('***')
})
