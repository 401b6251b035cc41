import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fenceOf } from '../core/key.ts'
import { RejectedPoints, type Rejection } from './rejected-points.ts'

const track = { name: 'orders', namespace: undefined }
const FACTS: Rejection = {
  stream: 'orders',
  namespace: undefined,
  table: 'orders',
  reason: 'its key field id is null',
  line: 7,
  superseded: 0,
  supersededAt: [],
  rejectedAt: '2026-11-21T10:00:00.000Z',
}
const MESSAGE = '{"type":"RECORD","record":{"stream":"orders","data":{"id":null},"emitted_at":5}}'
const MAX = 4_194_304

interface Row {
  readonly [name: string]: unknown
  readonly _airbyte_raw_id: string
  readonly part: number
  readonly parts: number
  readonly message: string
}

/** What is written of each, read in an order of its own. */
const wholeOf = (items: ReturnType<RejectedPoints['of']>): string[] =>
  items.map(({ head, bytes, from, to }) => Buffer.concat([head, bytes.subarray(from, to)]).toString('latin1'))

it('makes the same points of bytes as of a text, whichever is asked for first', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(' ', '"', '\\\\', 'é', '😀', 'x', '\t'), { minLength: 1, maxLength: 900 }),
      fc.nat(3),
      (characters, space) => {
        const line = Buffer.from(`${' '.repeat(space)}{"a":"${characters.join('')}"}${'\t\r'.slice(0, space)}`)
        const asked = (message: string | Buffer) => new RejectedPoints('t', 2_560).of(track, FACTS, message, 7)
        const [ofText, ofBytes] = [asked(line.toString('latin1')), asked(line)]
        const backwards = wholeOf(ofBytes.toReversed()).toReversed()
        expect(backwards).toEqual(wholeOf(ofText))
        expect(wholeOf(ofBytes)).toEqual(backwards)
        expect(ofBytes.map(({ key }) => key)).toEqual(ofText.map(({ key }) => key))
      },
    ),
  )
})

interface Made {
  readonly texts: readonly string[]
  readonly rows: readonly Row[]
  readonly exact: readonly unknown[]
  readonly fences: readonly unknown[]
}

function made(points: RejectedPoints, message = MESSAGE, facts: Partial<Rejection> = {}): Made {
  const items = points.of(track, { ...FACTS, ...facts }, Buffer.from(message).toString('latin1'), 7)
  const whole = items.map(({ head, headFrom, headTo, bytes, from, to }) =>
    Buffer.concat([head.subarray(headFrom, headTo), bytes.subarray(from, to)]),
  )
  // the message is there until the last of them is read
  const held = items.map((_, index) => (index < items.length - 1 ? 0 : Buffer.byteLength(message.trim())))
  for (const [index, item] of items.entries())
    expect(item).toMatchObject({ kind: 'record', track, table: points.table, origin: 7, held: held[index] })
  const texts = whole.map((bytes) => new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  return {
    texts,
    rows: texts.map((text) => JSON.parse(text) as Row),
    exact: items.map(({ key }) => (key as { exact: unknown }).exact),
    fences: items.map(({ key }) => fenceOf(key)),
  }
}

const fresh = (max = MAX): RejectedPoints => new RejectedPoints('rejected_records', max)
const idOf = (...given: Parameters<typeof made>): string => made(...given).rows[0]!._airbyte_raw_id

describe('a rejected record', () => {
  it('is a row with its whole message as text', () => {
    const { texts } = made(fresh())
    const id = JSON.parse(texts[0]!) as Row
    expect(texts).toEqual([
      `{"keys":["_airbyte_raw_id","part"],"_airbyte_raw_id":"${id._airbyte_raw_id}","part":1,"parts":1,"stream":"orders",` +
        '"namespace":null,"table":"orders","reason":"its key field id is null","line":7,"superseded":0,' +
        `"rejected_at":"2026-11-21T10:00:00.000Z","message":${JSON.stringify(MESSAGE)}}`,
    ])
    expect(id._airbyte_raw_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  it('tells the lines of versions it superseded, if there are any', () => {
    const { texts } = made(fresh(), MESSAGE, { superseded: 12, supersededAt: [6, 5, 2] })
    expect(texts[0]).toContain('"line":7,"superseded":12,"superseded_at":[6,5,2],"rejected_at":')
  })

  it('tells what is known, in any characters', () => {
    const { rows } = made(fresh(), MESSAGE, {
      stream: 'ö"\ud800',
      namespace: '名\n',
      table: undefined,
      reason: '\u0000\u2028😀',
      superseded: 3,
    })
    expect(rows[0]).toMatchObject({
      stream: 'ö"\ud800',
      namespace: '名\n',
      table: null,
      reason: '\u0000\u2028😀',
      superseded: 3,
    })
  })

  it('has the message without the white space around it', () => {
    expect(made(fresh(), ` \t${MESSAGE}\r`).rows[0]!.message).toBe(MESSAGE)
    expect(idOf(fresh(), `${MESSAGE}\r`)).toBe(idOf(fresh()))
  })

  it('keeps escapes of NUL and of lone surrogates, and every character', () => {
    const message = String.raw`{"a":"\u0000\ud800\"\\é😀` + '\u007f\u0085\u00a0\u2028 \t"}'
    expect(made(fresh(), message).rows[0]!.message).toBe(message)
  })
})

describe('the row’s id', () => {
  it('is the same for the same messages in every run, and another for each equal one', () => {
    const run = (): string[] => {
      const points = fresh()
      return [idOf(points), idOf(points), idOf(points, MESSAGE, { line: 9, reason: 'other' }), idOf(points, '{}')]
    }
    const ids = run()
    expect(new Set(ids).size).toBe(4)
    expect(run()).toEqual(ids)
  })

  it('is what another program computed from the words of its rule', () => {
    const points = fresh()
    expect([0, 1, 2].map(() => idOf(points))).toEqual([
      'b200b785-6b28-8c6b-9d4a-2e07691a4fad',
      'bf2f3fdd-016b-8558-bbad-e81ed413f9e0',
      'c99d7136-fa71-8a71-aa23-74d35fb75fd6',
    ])
    expect(idOf(points, MESSAGE, { namespace: '名', stream: 'ö' })).toBe('89ba0fa9-9977-886f-9d0f-51420b9a073e')
  })

  it('tells streams and namespaces apart', () => {
    const facts = [
      {},
      { stream: 'users' },
      { namespace: 'orders' },
      { namespace: 'a', stream: 'b' },
      { stream: 'a\0b' },
    ]
    expect(new Set(facts.map((more) => idOf(fresh(), MESSAGE, more))).size).toBe(facts.length)
  })

  it('tells messages apart that equal ones can no longer be counted of', () => {
    const points = fresh()
    const ids = new Set<string>()
    const total = 250_000
    for (let line = 1; line <= total; line++) {
      const [item] = points.of(track, { ...FACTS, line }, `{"n":${line}}`, line)
      ids.add(String(fenceOf(item!.key)))
    }
    const again = points.of(track, { ...FACTS, line: total + 1 }, `{"n":${total}}`, 0)
    expect(ids.size).toBe(total)
    expect(ids).not.toContain(fenceOf(again[0]!.key))
  })
})

describe('a long message', () => {
  it('is one part up to 256 KiB, then more, at whole characters', () => {
    const fits = 'x'.repeat(256 * 1024)
    expect(made(fresh(), fits).rows.map(({ part, parts }) => [part, parts])).toEqual([[1, 1]])
    const { rows, exact, fences } = made(fresh(), `${fits.slice(1)}é${fits}`)
    expect(rows.map(({ part, parts, message }) => [part, parts, Buffer.byteLength(message)])).toEqual([
      [1, 3, 262_143],
      [2, 3, 262_144],
      [3, 3, 2],
    ])
    expect(rows.map(({ message }) => message).join('')).toBe(`${fits.slice(1)}é${fits}`)
    expect(new Set(rows.map(({ _airbyte_raw_id: id }) => id)).size).toBe(1)
    expect(new Set(exact).size).toBe(3)
    expect(new Set(fences).size).toBe(1)
  })

  it('comes in parts that requests have room for', () => {
    const message = `{"a":${JSON.stringify('"\\'.repeat(20_000))}}`
    for (const max of [1_024, 8_192, 65_536, 67_108_864]) {
      const { rows, texts } = made(fresh(max), message)
      expect(rows.map((row) => row.message).join('')).toBe(message)
      if (max > 4_096) expect(Math.max(...texts.map((text) => Buffer.byteLength(text)))).toBeLessThanOrEqual(max)
    }
  })

  it('is put together again from its parts, whatever is in it', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 900 }),
      fc.string({ unit: 'grapheme', maxLength: 900 }),
      fc.constantFrom('😀'.repeat(400), 'é'.repeat(700), '"'.repeat(600)),
    )
    fc.assert(
      fc.property(text, (value) => {
        const message = `{"a":"${value.toWellFormed()}"}`
        const { rows } = made(fresh(1), message)
        expect(rows.map((row) => row.message).join('')).toBe(message)
        for (const row of rows) expect(Buffer.byteLength(row.message)).toBeLessThanOrEqual(256)
      }),
      { numRuns: 500 },
    )
  })
})

describe('a message that is not UTF-8', () => {
  const MOST = 4_194_304
  const rowsOf = (message: Buffer, max = MAX): { rows: (Row & { message_base64: string })[]; texts: Buffer[] } => {
    const items = fresh(max).of(track, FACTS, message, 7)
    const texts = items.map(({ head, bytes, from, to }) => Buffer.concat([head, bytes.subarray(from, to)]))
    const read = (text: Buffer): unknown => JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(text))
    return { rows: texts.map((text) => read(text) as Row & { message_base64: string }), texts }
  }
  const bytesOf = (rows: readonly { message_base64: string }[]): Buffer =>
    Buffer.concat(rows.map((row) => Buffer.from(row.message_base64, 'base64')))

  it('is there as text with U+FFFD, and exactly in base64, in parts that requests have room for', () => {
    const some = fc.oneof(
      fc.constantFrom(...['x', '"', 'é', '😀'].map((text) => Buffer.from(text.repeat(90)))),
      fc.constantFrom(...[0xe9, 0x80, 0xff, 0xf0].map((byte) => Buffer.alloc(700, byte))),
      fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    )
    fc.assert(
      fc.property(fc.array(some, { maxLength: 8 }), fc.constantFrom(4_096, 8_192, MAX), (pieces, max) => {
        const message = Buffer.concat([Buffer.of(0x7b, 0xff), ...pieces, Buffer.of(0x7d)])
        const { rows, texts } = rowsOf(message, max)
        expect(bytesOf(rows).equals(message)).toBe(true)
        expect(rows.map((row) => row.part)).toEqual(rows.map((_, index) => index + 1))
        expect(Math.max(...texts.map((text) => text.length))).toBeLessThanOrEqual(max)
        if (rows.length === 1) expect(rows[0]!.message).toBe(message.toString())
        expect(rows[0]!['reason']).toBe(FACTS.reason)
      }),
      { numRuns: 300 },
    )
  })

  it('is there exactly up to 4 MiB, and the reason says so beyond', () => {
    for (const [length, more] of [
      [MOST, ''],
      [MOST + 300_000, `; message_base64 holds the first ${MOST} of ${MOST + 300_000} bytes`],
    ] as const) {
      const message = Buffer.alloc(length, 'x')
      message[5] = 0xff
      const { rows } = rowsOf(message)
      expect(bytesOf(rows).equals(message.subarray(0, MOST))).toBe(true)
      expect(rows.map((row) => row.message).join('')).toBe(message.toString())
      expect(rows.every((row) => row['reason'] === `${FACTS.reason}${more}`)).toBe(true)
    }
  })
})
