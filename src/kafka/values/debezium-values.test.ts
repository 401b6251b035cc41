import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DebeziumValues } from './debezium-values.ts'
import type { RecordData } from '../../json/record-data.ts'

const P = '__debezium_unavailable_value'

function text({ bytes, from, to }: RecordData): string {
  return bytes.toString('utf8', from, to)
}

/** Members as the table has them: what mapping goes by. */
function membersOf({ bytes, members, first, count }: RecordData): string[] {
  return Array.from({ length: count }, (_, index) => {
    const slot = 4 * (first + index)
    return bytes.toString('utf8', members[slot + 2], members[slot + 3])
  })
}

function read(value: string, { nulls = false, key = null as string | null, topic = 't' } = {}): string {
  const values = new DebeziumValues(topic, nulls)
  const meaning = values.read(Buffer.from(value), key === null ? null : Buffer.from(key))
  if (meaning === 'row') return text(values.row)
  if (meaning === 'deleted') return values.hasRow ? `deleted ${text(values.row)}` : 'deleted'
  if (meaning === 'unavailable') return `unavailable ${values.columns.join(', ')}`
  if (meaning === 'truncated' || meaning === 'tombstone') return meaning
  return 'ignored' in meaning ? `ignored: ${meaning.ignored}` : `rejected: ${meaning.rejected}`
}

const change = (members: string): string => `{${members},"source":{"table":"t"},"ts_ms":1}`

it('says when its decimals would be too long', () => {
  const schema = `{"type":"struct","fields":[{"field":"d","type":"struct","name":"io.debezium.data.VariableScaleDecimal"}]}`
  const value = Buffer.from(`{"schema":${schema},"payload":{"d":{"scale":-16000,"value":"AQ=="}}}`)
  const values = new DebeziumValues('t', false, 10_000)
  expect(values.read(value, null)).toEqual({
    rejected: 'its decimals make more than 10000 bytes of JSON (beyond max_request_bytes)',
  })
  expect(new DebeziumValues('t', false, 16_003).read(value, null)).toBe('row')
})

describe('an envelope', () => {
  it.each([
    [change('"before":null,"after":{"id":1, "a":2},"op":"c"'), '{"id":1, "a":2}'],
    [change('"before":{"id":1},"after":{"id":1},"op":"u"'), '{"id":1}'],
    [change('"after":{"id":9007199254740993},"op":"r"'), '{"id":9007199254740993}'],
    [change('"op":"d","op":"c","after":{"old":1},"after":{"id":1}'), '{"id":1}'],
    [`{"schema":null,"payload":${change('"op":"c","after":{"id":1}')}}`, '{"id":1}'],
    [change('"before":{"id":1,"a":null},"after":null,"op":"d"'), 'deleted {"id":1,"a":null}'],
    [change('"before":null,"after":null,"op":"d"'), 'deleted'],
    [change('"after":null,"op":"d"'), 'deleted'],
    [change('"before":null,"after":null,"op":"t"'), 'truncated'],
    [change('"op":"m","message":{"prefix":"p"}'), 'ignored: message'],
    [change('"op":"m","before":null,"message":{"prefix":"p"}'), 'ignored: message'],
    [change('"op":5,"after":{"id":1}'), 'rejected: its op is not a string'],
    [change('"op":"C","after":{"id":1}'), 'rejected: its op is none of c, u, d, r, t and m'],
    [change('"op":"c","after":5'), 'rejected: its after is not an object'],
    [change('"op":"c","after":null'), 'rejected: its after is not an object'],
    [change('"op":"c","before":{"id":1}'), 'rejected: its after is not an object'],
    [change('"op":"d","before":5'), 'rejected: its before is not an object'],
  ])('%s', (value, expected) => {
    expect(read(value)).toBe(expected)
  })

  it('tells what the row was before an update', () => {
    const values = new DebeziumValues('t', false)
    const before = (value: string): string | undefined => {
      values.read(Buffer.from(value), null)
      const row = values.before()
      return row && `${text(row)} ${membersOf(row).join()} ${membersOf(values.row).join()}`
    }
    expect(before(change('"before":{"id":1,"a":2},"after":{"id":3},"op":"u"'))).toBe('{"id":1,"a":2} 1,2 3')
    expect(before(change('"before":null,"after":{"id":3},"op":"u"'))).toBe(undefined)
    expect(before('{"id":1}')).toBe(undefined)
  })
})

describe('a flattened row', () => {
  it.each([
    ['{"id":1,"op":"c"}', '{"id":1,"op":"c"}'],
    ['{"id":1,"__deleted":"false"}', '{"id":1,"__deleted":"false"}'],
    ['{"id":1,"__deleted":false}', '{"id":1,"__deleted":false}'],
    ['{"id":1,"__deleted":null}', '{"id":1,"__deleted":null}'],
    ['{"id":1,"__deleted":"true","a":0}', 'deleted {"id":1,"__deleted":"true","a":0}'],
    ['{"id":1,"__deleted":true}', 'deleted {"id":1,"__deleted":true}'],
    [String.raw`{"id":1,"__d\u0065leted":"tru\u0065"}`, String.raw`deleted {"id":1,"__d\u0065leted":"tru\u0065"}`],
    ['{"id":1,"__deleted":"TRUE"}', 'rejected: its "__deleted" is neither true nor false'],
    ['{"id":1,"__deleted":1}', 'rejected: its "__deleted" is neither true nor false'],
    ['{"id":1,"__deleted":{}}', 'rejected: its "__deleted" is neither true nor false'],
    ['{"id":1,"__deleted":[true]}', 'rejected: its "__deleted" is neither true nor false'],
    ['{"id":1,"__deleted":"false","__deleted":"true"}', 'rejected: its "__deleted" occurs twice'],
  ])('%s', (value, expected) => {
    expect(read(value)).toBe(expected)
  })
})

describe('a record about something else', () => {
  it('is a tombstone if Connect wrote null', () => {
    expect(read('{"schema":null,"payload":null}')).toBe('tombstone')
  })

  it('is a heartbeat by its key or its topic', () => {
    expect(read('{"ts_ms":5}', { key: '{"serverName":"x"}' })).toBe('ignored: heartbeat')
    expect(read('{"ts_ms":5}', { key: '{"schema":{},"payload":{"serverName":"x"}}' })).toBe('ignored: heartbeat')
    expect(read('{"ts_ms":5}', { topic: '__debezium-heartbeat.shop' })).toBe('ignored: heartbeat')
    expect(read('{"ts_ms":5}', { key: '{"ts_ms":5}' })).toBe('{"ts_ms":5}')
  })

  it.each([
    ['', 'rejected: its value is empty'],
    ['null', 'rejected: its value is JSON but not an object'],
    ['{"op":', 'rejected: its value is not JSON: it stops after 6 bytes'],
    ['{"schema":{},"payload":5}', 'rejected: its payload is not an object'],
  ])('or none: %s', (value, expected) => {
    expect(read(value)).toBe(expected)
  })
})

describe('a value Debezium did not see', () => {
  const row = `{"id":1,"a":"${P}","b":["${P}"],"c":"x"}`

  it('is told', () => {
    expect(read(row)).toBe('unavailable a, b')
    expect(read(change(`"op":"u","after":${row}`))).toBe('unavailable a, b')
  })

  it('becomes null and is named, if so wished', () => {
    const nulls = '{"__unavailable":["a","b"],"id":1,"a":null,"b":null,"c":"x"}'
    expect(read(row, { nulls: true })).toBe(nulls)
    expect(read(change(`"op":"u","after":${row}`), { nulls: true })).toBe(nulls)
    const escaped = String.raw`{ "\u0061\"\n" : "${P}" }`
    expect(read(escaped, { nulls: true })).toBe(String.raw`{"__unavailable":["a\"\n"], "\u0061\"\n" : null }`)
  })

  it('is rejected where no column is left to name it', () => {
    expect(read(`{"id":1,"a":"${P}","__unavailable":[]}`, { nulls: true })).toBe(
      'rejected: it has a column "__unavailable", where columns without value would be named',
    )
    expect(read('{"id":1,"__unavailable":[]}', { nulls: true })).toBe('{"id":1,"__unavailable":[]}')
  })

  it('does not matter where the row is gone, and is null there', () => {
    expect(read(`{"id":1,"a":"${P}","__deleted":true}`)).toBe('deleted {"id":1,"a":null,"__deleted":true}')
    expect(read(change(`"op":"d","before":${row}`))).toBe('deleted {"id":1,"a":null,"b":null,"c":"x"}')
  })

  it('does not matter outside the row', () => {
    expect(read(change(`"op":"u","before":${row},"after":{"id":1}`))).toBe('{"id":1}')
  })
})

describe('decimals', () => {
  const decimal =
    '{"type":"bytes","name":"org.apache.kafka.connect.data.Decimal","parameters":{"scale":"2"},"field":"p"}'
  const table = (field: string): string => `{"type":"struct","fields":[${decimal}],"field":"${field}"}`
  const envelope = `{"type":"struct","fields":[${table('before')},${table('after')}]}`
  const wrapped = (schema: string, payload: string): string => `{"schema":${schema},"payload":${payload}}`

  it.each([
    [wrapped(envelope, change('"op":"c","after":{"id":"AQ==","p":"AQ=="}')), '{"id":"AQ==","p":"0.01"}'],
    [wrapped(envelope, change('"op":"d","before":{"p":"AQ=="},"after":null')), 'deleted {"p":"0.01"}'],
    [wrapped(table(''), '{"p":"AQ==","__deleted":"false"}'), '{"p":"0.01","__deleted":"false"}'],
    [wrapped(table(''), '{"p":"AQ==","__deleted":"true"}'), 'deleted {"p":"0.01","__deleted":"true"}'],
    [
      wrapped(envelope, change('"op":"c","after":{"p":"?"}')),
      'rejected: a decimal in it cannot be read as its schema says',
    ],
    [
      wrapped(envelope, change('"op":"d","before":{"p":"?"}')),
      'rejected: a decimal in it cannot be read as its schema says',
    ],
    [change('"op":"c","after":{"p":"AQ=="}'), '{"p":"AQ=="}'],
  ])('%s', (value, expected) => {
    expect(read(value)).toBe(expected)
  })

  it('that Debezium did not see are not taken for numbers', () => {
    const base64 = Buffer.from(P).toString('base64')
    const value = wrapped(envelope, change(`"op":"u","after":{"id":1,"p":"${base64}","q":"x"}`))
    expect(read(value)).toBe('unavailable p')
    expect(read(value, { nulls: true })).toBe('{"__unavailable":["p"],"id":1,"p":null,"q":"x"}')
  })

  it('are texts in the row as it was before, too', () => {
    const values = new DebeziumValues('t', false)
    const value = wrapped(envelope, change('"op":"u","before":{"p":"AQ=="},"after":{"p":"Ag=="}'))
    values.read(Buffer.from(value), null)
    expect(text(values.before()!)).toBe('{"p":"0.01"}')
    expect(text(values.row)).toBe('{"p":"0.02"}')
  })
})

it('has the members of the row in its table, whatever was read before', () => {
  const values = new DebeziumValues('t', true)
  const rows = fc.dictionary(
    fc.string({ maxLength: 4 }).map((name) => `c${name}`),
    fc.oneof(fc.jsonValue(), fc.constant(P)),
    { maxKeys: 6 },
  )
  fc.assert(
    fc.property(rows, rows, fc.boolean(), (before, after, wrapped) => {
      const payload = { before, after, source: {}, op: 'u' }
      const value = Buffer.from(JSON.stringify(wrapped ? { schema: null, payload } : payload))
      expect(values.read(value, null)).toBe('row')
      values.before()
      const { row } = values
      const parsed = JSON.parse(text(row)) as Record<string, unknown>
      expect(membersOf(row).map((json): unknown => JSON.parse(json))).toEqual(Object.values(parsed))
      expect(text(row)).not.toContain(`:"${P}"`)
    }),
  )
})

it('names the connector for MongoDB, whose rows are texts', () => {
  for (const op of ['c', 'u', 'r'])
    expect(read(change(`"op":"${op}","before":null,"after":"{\\"_id\\": 1}"`))).toMatch(/^rejected: .*MongoDB/)
  expect(read(change(`"op":"d","before":"{\\"_id\\": 1}","after":null`))).toMatch(/^rejected: .*MongoDB/)
})
