// What a rejected record comes to under each policy, in words and in what is kept.

import { open, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RejectsConfig } from '../config/write/write-load.ts'
import { ConnectorError } from '../core/errors.ts'
import { failureOf } from '../core/testing/failure.ts'
import type { Rejected, RecordItem, Track } from '../core/types.ts'
import type { Input } from '../process/pipe-input.ts'
import { RejectBudgets } from '../rejects/reject-budget.ts'
import type { RejectCounts } from '../rejects/reject-counts.ts'
import { rejectPolicy } from './airbyte-rejects.ts'
import { keptLine, type Origin } from './record-line.ts'
import { ownFolder } from '../process/testing/own-folder.ts'

const SECRET = 'k/é+&=%"\\'
const scrub = (text: string): string =>
  [SECRET, encodeURIComponent(SECRET), JSON.stringify(SECRET).slice(1, -1)].reduce(
    (clean, form) => clean.replaceAll(form, '******'),
    text,
  )
const LINE = '{"type":"RECORD","record":{"stream":"orders","data":{"id":"é😀"},"emitted_at":5}}'
const track = { name: 'orders', namespace: 'shop' }
const table = { name: 'shop_orders', keepLast: true }
const CONFIG: RejectsConfig = { policy: 'stop', logKeys: false }
const { signal } = new AbortController()

const folder = ownFolder('file')

const lineOf = (text: string, number = 7): Origin => keptLine(number, Buffer.from(text), 0, Buffer.byteLength(text))
const rejected = (over: Partial<Rejected<Origin>> = {}): Rejected<Origin> => ({
  track,
  table,
  reason: 'the field x is bad.',
  origin: lineOf(LINE),
  superseded: 0,
  supersededAt: [],
  ...over,
})
const noInput: Input = { destroy: () => {}, async *[Symbol.asyncIterator]() {} }

interface Policy {
  readonly put: (rejected: Rejected<Origin>) => Promise<readonly RecordItem<Origin>[] | undefined | void>
  readonly said: string[]
  readonly place: string | undefined
  readonly counts: RejectCounts
}

async function under(
  config: RejectsConfig,
  use: (policy: Policy) => Promise<void>,
  input = noInput,
  reservedPaths: { file: string; what: string }[] = [],
) {
  const said: string[] = []
  const log = (level: string, message: string): Promise<void> => {
    said.push(`${level} ${scrub(message)}`)
    return Promise.resolve()
  }
  const wallClock = (): number => Date.UTC(2026, 10, 21)
  const budgets = new RejectBudgets<Track>(
    { maxRejected: 50, maxRejectedShare: 1 },
    () => undefined,
    () => 200,
  )
  const beside = { maxRequestBytes: 4_194_304, collect: () => {}, isDry: false }
  const parts = { input, log, scrub, budgets, wallClock, reservedPaths, ...beside }
  await using policy = await rejectPolicy(config, parts)
  const { rejects, place, counts } = policy
  await use({ put: (given) => rejects.put(given, signal), said, place, counts })
}

const secretReason = `no: GET /x?apikey=${encodeURIComponent(SECRET)} ${SECRET}`

describe('fail', () => {
  const fail = async (over: Partial<Rejected<Origin>>, config: RejectsConfig = CONFIG): Promise<ConnectorError> => {
    let error = new ConnectorError('system', 'program.fault', 'none')
    await under(config, async ({ put, place }) => {
      expect(place).toBeUndefined()
      error = await failureOf(put(rejected({ origin: 7, ...over })))
    })
    return error
  }

  it('names stream, table, line, reason and the ways out', async () => {
    const error = await fail({})
    expect([error.kind, error.track]).toEqual(['config', track])
    expect(error.message).toBe(
      'A record of stream "orders" (namespace "shop"), table "shop_orders", input line 7, cannot be stored: the field x is bad. ' +
        'Correct it at its source, leave the stream out, or set rejected_records to {"policy":"table"} to keep such records aside, and run again: the next run continues from the last state.',
    )
  })

  it('tells of what it stood for, and of a table only if there is one', async () => {
    expect((await fail({ superseded: 1 })).message).toContain('one older version of its row')
    expect((await fail({ superseded: 12 })).message).toContain('12 older versions of its row')
    const { table: _none, ...without } = rejected({ track: { name: 'x' } })
    await under(CONFIG, async ({ put }) => {
      expect((await failureOf(put({ ...without, origin: 9 }))).message).toMatch(
        /^A record of stream "x", input line 9, can/,
      )
    })
  })

  it('counts it, with its error', async () => {
    await under(CONFIG, async ({ put, counts }) => {
      const error = await failureOf(put(rejected({ origin: 7, key: 5 })))
      expect(counts.stop?.error).toBe(error)
      expect(counts.all).toMatchObject([{ name: 'shop.orders', by: 'refused', first: 'input line 7' }])
    })
  })

  it('shows a key only if it may, shortened', async () => {
    const key = { exact: '"canary', fence: '"canary' }
    expect((await fail({ key })).message).not.toContain('canary')
    expect((await fail({ key }, { policy: 'stop', logKeys: true })).message).toContain(
      'input line 7, with the key "canary", cannot',
    )
    expect((await fail({}, { policy: 'stop', logKeys: true })).message).toContain('input line 7, cannot')
    const long = (await fail({ key: `"${'y'.repeat(5_000)}` }, { policy: 'stop', logKeys: true })).message
    expect(long).toContain(`${'y'.repeat(98)}…`)
    expect(long).not.toContain('y'.repeat(100))
    expect((await fail({ key: `"a ${SECRET} b` }, { policy: 'stop', logKeys: true })).message).toContain('a ****** b')
  })

  it('has at most 500 characters of a reason, and no secret, not even a part', async () => {
    const { message } = await fail({ reason: `${'w'.repeat(495)}${SECRET} and more` })
    expect(message).toContain(`${'w'.repeat(495)}****…`)
    expect((await fail({ reason: secretReason })).message).toContain('no: GET /x?apikey=****** ******. Correct')
  })
})

describe('divert to a table', () => {
  const config: RejectsConfig = { policy: 'table', table: 'bad', logKeys: false }

  it('gives the record’s row, and says so once a stream', async () => {
    await under(config, async ({ put, said, place, counts }) => {
      expect(place).toBe('the table "bad"')
      const supersededAt = [lineOf(LINE, 5), 3].map((origin) => ({ track, origin }))
      const items = (await put(rejected({ superseded: 2, supersededAt, reason: secretReason })))!
      expect(items).toHaveLength(1)
      const [{ table: to, head, bytes }] = items as [RecordItem<Origin>]
      expect(to).toMatchObject({ name: 'bad', keepLast: true })
      expect(JSON.parse(Buffer.concat([head, bytes]).toString())).toMatchObject({
        stream: 'orders',
        namespace: 'shop',
        table: 'shop_orders',
        reason: 'no: GET /x?apikey=****** ******',
        line: 7,
        superseded: 2,
        superseded_at: [5, 3],
        rejected_at: '2026-11-21T00:00:00.000Z',
        message: LINE,
      })
      await put(rejected())
      await put(rejected({ track: { name: 'users' } }))
      expect(said).toEqual([
        'warn A record of stream "orders" (namespace "shop"), table "shop_orders", input line 7, cannot be stored: no: GET /x?apikey=****** ******. It goes to the table "bad", as do further ones of its stream.',
        expect.stringContaining('stream "users"') as string,
      ])
      expect(counts.all).toMatchObject([
        {
          name: 'shop.orders',
          by: 'rejected',
          reason: 'no: GET /x?apikey=****** ******',
          records: 3,
          first: 'input line 7',
        },
        { name: 'shop.orders', reason: 'the field x is bad', records: 1 },
        { name: 'users', records: 1 },
      ])
    })
  })

  it('stops when the table refuses its own rows, with the service’s words and the way out', async () => {
    await under(config, async ({ put, said }) => {
      const [item] = (await put(rejected())) as [RecordItem<Origin>]
      const { table: own, origin } = item
      const error = await failureOf(put(rejected({ table: own, origin, reason: `the table is full ${SECRET}` })))
      expect([error.kind, error.track]).toEqual(['config', track])
      expect(error.message).toMatch(
        /^The table "bad" itself refused a rejected record \(input line 7\): the table is full \*{6}\./,
      )
      expect(error.message).toContain('in a file or in another table (rejected_records)')
      expect(said).toHaveLength(1)
      // they count for no limit
      for (let rows = 0; rows < 60; rows++) await failureOf(put(rejected({ table: own, origin })))
      expect(await put(rejected())).toHaveLength(1)
    })
    // another table of that name is no reason
    await under(config, async ({ put }) =>
      expect(await put(rejected({ table: { name: 'bad', keepLast: true } }))).toHaveLength(1),
    )
  })
})

describe('divert to a file', () => {
  it('appends the line with the rejection in it', async () => {
    const file = join(folder, 'kept.jsonl')
    const lines = [LINE, `{ "rejection":1, ${LINE.slice(1)}\r`]
    await under({ policy: 'file', path: file, logKeys: false }, async ({ put, place }) => {
      expect(place).toBe(`the file ${JSON.stringify(file)}`)
      const results = lines.map((text, index) =>
        put(rejected({ origin: lineOf(text, index + 1), reason: secretReason })),
      )
      expect(await Promise.all(results)).toEqual([undefined, undefined])
      const told = (line: number): string =>
        `,"rejection":{"stream":"orders","namespace":"shop","table":"shop_orders","reason":"no: GET /x?apikey=****** ******","superseded":0,"line":${line},"rejected_at":"2026-11-21T00:00:00.000Z"}}`
      expect(await readFile(file, 'utf8')).toBe(`${LINE.slice(0, -1)}${told(1)}\n{ ${LINE.slice(1, -1)}${told(2)}\r\n`)
    })
  })

  it('cannot be where there is no folder', async () => {
    const file = join(folder, 'none', 'x')
    const error = await failureOf(under({ policy: 'file', path: file, logKeys: false }, async () => {}))
    expect([error.kind, error.message]).toEqual(['config', expect.stringContaining('no such folder') as string])
  })

  it('never feeds the input it is read from', async () => {
    const file = join(folder, 'input.jsonl')
    await under({ policy: 'file', path: file, logKeys: false }, async () => {})
    await using handle = await open(file)
    const input = { ...noInput, fd: handle.fd }
    const use = async ({ put }: Policy): Promise<void> => {
      const error = await failureOf(put(rejected()))
      expect([error.kind, error.message]).toEqual([
        'config',
        expect.stringMatching(/line 7 .*is the input itself/) as string,
      ])
    }
    await under({ policy: 'file', path: file, logKeys: false }, use, input)
    expect(await readFile(file, 'utf8')).toBe('')
  })
})

it('keeps nothing in a file that is there for something else, by whatever name', async () => {
  const file = join(folder, 'catalog.json')
  const name = join(folder, 'another-name.json')
  await writeFile(file, '{}')
  await symlink(file, name)
  const reservedPaths = [
    { file: join(folder, 'config.json'), what: 'that of --config' },
    { file, what: 'that of --catalog' },
  ]
  const never = (): Promise<void> => Promise.reject(new Error('there is a policy'))
  const error = await failureOf(under({ policy: 'file', path: name, logKeys: false }, never, noInput, reservedPaths))
  expect([error.kind, error.message]).toEqual([
    'config',
    expect.stringMatching(
      /another-name\.json" for rejected records is that of --catalog\. Give rejected records a file of their own\.$/,
    ),
  ])
  expect(await readFile(file, 'utf8')).toBe('{}')
})

it('keeps no more than may be kept, however many are under way, and tells the commonest reason', async () => {
  const path = join(folder, 'limited')
  await under({ policy: 'file', path, logKeys: true }, async ({ put, counts }) => {
    const reasons = ['the field x is bad', `${SECRET} is bad`, 'CANARY: the service repeats data']
    const each = Array.from({ length: 60 }, (_, index) => {
      const origin = lineOf(LINE, index + 1)
      if (index % 3 === 2) return rejected({ origin, reason: reasons[2]!, key: 'CANARY', superseded: 7 })
      return rejected({ origin, reason: reasons[index < 12 ? 0 : 1]! })
    })
    const ends = await Promise.allSettled(each.map((one) => put(one)))
    expect(ends.map(({ status }) => status)).toEqual(each.map((_, at) => (at < 50 ? 'fulfilled' : 'rejected')))
    const [error, ...others] = new Set(ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as Error] : [])))
    expect(others).toEqual([])
    expect(error!.message).toBe(
      'Too many records of stream "shop.orders" are rejected: 51 of 200 received, and max_rejected is 50. ' +
        'The most frequent reason (17 records; one of them: input line 3): the service answered 400. No more of them are kept. ' +
        'Correct the cause at the source, or raise that limit (a max_rejected_share of 1 is none; an entry of streams has its own), and run again: the next run continues from the last state.',
    )
    expect(counts.all.reduce((sum, { times }) => sum + times, 0)).toBe(50)
    expect(counts.keptOf('shop.orders')).toEqual({ rejected: 34, refused: 16 })
  })
  expect((await readFile(path, 'utf8')).split('\n')).toHaveLength(51)
})
