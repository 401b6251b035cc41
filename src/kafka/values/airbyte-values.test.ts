import { describe, expect, it } from 'vitest'
import { AirbyteValues } from './airbyte-values.ts'

function read(values: AirbyteValues, text: string): string {
  const meaning = values.read(Buffer.from(text))
  const { bytes, from, to, count } = values.row
  if (meaning === 'row') return `${count}: ${bytes.toString('utf8', from, to)}`
  return 'ignored' in meaning ? `ignored: ${meaning.ignored}` : `rejected: ${meaning.rejected}`
}

const one = (text: string): string => read(new AirbyteValues(), text)

describe('a message', () => {
  it.each([
    ['{"type":"RECORD","record":{"stream":"s","data":{"id":1,"a":2},"emitted_at":5}}', '2: {"id":1,"a":2}'],
    [' {"record":{"data":{},"namespace":null,"stream":"s"},"type":"RECORD"}\n', '0: {}'],
    [String.raw`{"typ\u0065":"REC\u004fRD","record":{"stream":"s","data":{"record":1}}}`, '1: {"record":1}'],
    ['{"type":"STATE","type":"RECORD","record":{"stream":5,"data":{},"data":{"b":1},"stream":"s"}}', '1: {"b":1}'],
    ['{"type":"STATE","state":{}}', 'ignored: STATE'],
    ['{"type":"LOG","log":{"message":"x"}}', 'ignored: LOG'],
    ['{"type":"TRACE"}', 'ignored: TRACE'],
    ['{"type":"CONTROL"}', 'ignored: other message'],
    ['{"type":"record"}', 'ignored: other message'],
    ['{"type":null}', 'rejected: it has no string "type"'],
    ['{"id":1}', 'rejected: it has no string "type"'],
    ['{"type":"RECORD"}', 'rejected: it is a RECORD without a "record" object'],
    ['{"type":"RECORD","record":[]}', 'rejected: it is a RECORD without a "record" object'],
    ['{"type":"RECORD","record":{"data":{}}}', 'rejected: it is a RECORD without a string "stream"'],
    ['{"type":"RECORD","record":{"stream":"s"}}', 'rejected: it is a RECORD without a "data" object'],
    ['{"type":"RECORD","record":{"stream":"s","data":"{}"}}', 'rejected: it is a RECORD without a "data" object'],
    [
      '{"type":"RECORD","record":{"stream":"s","data":{},"namespace":5}}',
      'rejected: it is a RECORD whose "namespace" is neither a string nor null',
    ],
    ['[]', 'rejected: its value is JSON but not an object'],
    ['{"type":"RECORD"', 'rejected: its value is not JSON: it stops after 16 bytes'],
  ])('%s', (text, expected) => {
    expect(one(text)).toBe(expected)
  })
})

describe('a topic', () => {
  const record = (stream: string, namespace?: string): string =>
    `{"type":"RECORD","record":{"stream":${stream},${namespace === undefined ? '' : `"namespace":${namespace},`}"data":{"id":1}}}`
  const ROW = '1: {"id":1}'
  const OTHER = 'rejected: it is of another stream than the one that `stream` names for its topic'

  it('has the rows of the stream that is named, however it is spelt, whichever comes first', () => {
    const values = new AirbyteValues({ name: 'sé', namespace: 'n' })
    expect(read(values, record('"s"', '"én"'))).toBe(OTHER)
    expect(read(values, record('"sé"', '"n"'))).toBe(ROW)
    expect(read(values, record(String.raw`"s\u00e9"`, String.raw`"\u006e"`))).toBe(ROW)
    expect(read(values, record('"sé"', '"n"'))).toBe(ROW)
    expect(read(values, record('"s"', '"én"'))).toBe(OTHER)
    expect(read(values, record('"sé"'))).toBe(OTHER)
    expect(read(values, record('"n"', '"sé"'))).toBe(OTHER)
    expect(read(values, record('"sé"', '"N"'))).toBe(OTHER)
    expect(read(values, record('"sé"', '"n"'))).toBe(ROW)
  })

  it('takes a record without namespace for one of an empty namespace', () => {
    const values = new AirbyteValues({ name: 's', namespace: '' })
    for (const namespace of [undefined, 'null', '""']) expect(read(values, record('"s"', namespace))).toBe(ROW)
    expect(read(values, record('""', '"s"'))).toBe(OTHER)
    expect(read(values, record('"s"', '"s"'))).toBe(OTHER)
  })

  it('takes the named stream of any namespace when none is named with it', () => {
    const values = new AirbyteValues({ name: 's', namespace: undefined })
    for (const namespace of [undefined, '"a"', '"b"']) expect(read(values, record('"s"', namespace))).toBe(ROW)
    expect(read(values, record('"a"', '"s"'))).toBe(OTHER)
  })

  it('that names no stream has the rows of all, in whatever order they come, and tells once that they are several', () => {
    const records = [record('"a"'), record('"b"', '"n"'), record('"a"'), record('"c"')]
    for (const some of [records, records.toReversed()]) {
      const told: string[][] = []
      const values = new AirbyteValues(undefined, (...streams) => told.push(streams))
      read(values, '{"type":"STATE"}')
      read(values, '{"type":"RECORD","record":{"stream":"x"}}')
      for (const text of some) expect(read(values, text)).toBe(ROW)
      expect(told).toEqual([some === records ? ['a', 'n.b'] : ['a', 'c']])
    }
  })
})
