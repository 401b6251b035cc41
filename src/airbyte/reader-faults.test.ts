// Which lines stop the run, with which words, and what is still read before.

import { expect, test } from 'vitest'
import { ConnectorError } from '../core/errors.ts'
import { messageLines, MessageReader } from './reader.ts'

const RECORD = '{"type":"RECORD","record":{"stream":"users","data":{"id":1},"emitted_at":5}}'

interface Outcome {
  /** Numbers of the lines read as records. */
  readonly lines: readonly number[]
  /** Those whose data is not UTF-8. */
  readonly broken: readonly number[]
  readonly error?: ConnectorError
}

function read(input: string | Buffer): Outcome {
  const reader = new MessageReader((_, name) => (name === 'users' ? name : undefined))
  const splitter = messageLines()
  const lines: number[] = []
  const broken: number[] = []
  try {
    for (const stage of [splitter.push(Buffer.from(input)), splitter.end()]) {
      for (const some of stage)
        for (const messages of reader.read([some]))
          for (const message of messages) {
            lines.push(message.line)
            if (message.kind === 'record' && !message.isText) broken.push(message.line)
          }
    }
  } catch (error) {
    if (!(error instanceof ConnectorError)) throw error
    return { lines, broken, error }
  }
  return { lines, broken }
}

const secret = 'S3cret'
const TEXT = `"${secret}"`
test.each([
  [
    'NaN',
    `{"type":"RECORD","record":{"stream":"users","data":{"a":${TEXT},"b":NaN}}}`,
    /^Input line 2 is not JSON: it breaks at byte \d+ of \d+, at NaN: JSON has no such number/,
  ],
  ['-Infinity', `{"type":"RECORD","record":{"stream":"users","data":{"b":[-Infinity]}}}`, /, at -Infinity: /],
  ['Infinity', `{"a":Infinity}`, /at byte 6 of 14, at Infinity: /],
  [
    'a cut line',
    `{"type":"RECORD","record":{"data":{"a":"${secret}`,
    /, and so does the input: its writer was cut off\. Run the source again\.$/,
  ],
  [
    'a cut line that is not the last',
    `{"a":${TEXT}\n${RECORD}`,
    /^Input line 2 is not JSON: it stops after 13 bytes\. A message is one line: /,
  ],
  [
    'two values',
    `{"a":${TEXT}} {}`,
    /is not JSON: it breaks at byte 16 of 17, where another message begins: each needs a line of its own\.$/,
  ],
  ['a control character', `{"a":"${secret}\t"}`, /is not JSON/],
  [
    'words',
    `${secret} starts`,
    /is not JSON: it breaks at byte 1 of 13\. Standard input takes Airbyte messages, .*\.$/,
  ],
  ['a BOM later on', `\ufeff${RECORD}`, /is not JSON: it breaks at byte 1 /],
  [
    'an array',
    `[${TEXT}]`,
    /^Input line 2 is not an Airbyte message: it is not a JSON object\. Standard input takes Airbyte messages, .*error\.$/,
  ],
  ['a number', '12', /not a JSON object/],
  [
    'no type',
    `{"record":{"stream":"users","data":{}}}`,
    /^Input line 2 is not an Airbyte message: it has no string "type"\. A record is \{/,
  ],
  ['type null', `{"type":null}`, /no string "type"/],
  ['type a number', `{"type":3,"state":${TEXT}}`, /no string "type"/],
  ['the last type counts', `{"type":"LOG","type":null}`, /no string "type"/],
  ['no record', `{"type":"RECORD"}`, /^Input line 2 is a RECORD without a "record" object\. A record is \{.*\}\.$/],
  ['record null', `{"type":"RECORD","record":{"stream":"users","data":{}},"record":null}`, /without a "record" object/],
  ['record a string', `{"type":"RECORD","record":${TEXT}}`, /without a "record" object/],
  ['no stream', `{"type":"RECORD","record":{"data":{"a":${TEXT}}}}`, /without a string "stream"/],
  ['stream null', `{"type":"RECORD","record":{"stream":"users","stream":null,"data":{}}}`, /without a string "stream"/],
  ['stream an object', `{"type":"RECORD","record":{"stream":{},"data":{}}}`, /without a string "stream"/],
  ['no data', `{"type":"RECORD","record":{"stream":"users"}}`, /without a "data" object/],
  ['data null', `{"type":"RECORD","record":{"stream":"users","data":{},"data":null}}`, /without a "data" object/],
  ['data an array', `{"type":"RECORD","record":{"stream":"users","data":[${TEXT}]}}`, /without a "data" object/],
  [
    'a namespace that is no text',
    `{"type":"RECORD","record":{"stream":"users","namespace":{"a":${TEXT}},"data":{}}}`,
    /"namespace" is neither a string nor null/,
  ],
])('stops at %s with the line number, after what came before, without the content', (_, line, words) => {
  const { lines, error } = read(`${RECORD}\n${line}`)
  expect(lines).toEqual([1])
  expect(error).toMatchObject({ kind: 'system', message: expect.stringMatching(words) })
  expect(error?.message).toContain('line 2')
  expect(error?.message).not.toContain(secret)
})

test('stops at bytes that are not UTF-8 anywhere but in the data of a record, and only there', () => {
  const odd = Buffer.from(RECORD.replace('users', 'us\u00e9rs'), 'latin1')
  const input = Buffer.concat([Buffer.from(`${RECORD}\n`), odd, Buffer.from(`\n${RECORD}\n`)])
  expect(read(input)).toMatchObject({
    lines: [1],
    error: { kind: 'system', message: 'Input line 2 is not valid UTF-8. The source must write UTF-8.' },
  })
  const cut = Buffer.from('{"a":"é').subarray(0, -1)
  expect(read(cut).error?.message).toBe(
    'Input line 1 is not valid UTF-8. The input ends in this line: was its writer cut off? Then run the source again.',
  )
})

test('a bad byte is of the data alone wherever it stands in a text of it, and spoils no line beside it', () => {
  const line = '{"type":"RECORD","record":{"stream":"users","data":{"id":1,"a b":["x y"]},"emitted_at":5}}'
  // letters of its texts: names too
  const isOfText = new Set(
    ['id', 'a b', 'x y'].flatMap((text) => Array.from(text, (_, at) => line.indexOf(text, 50) + at)),
  )
  for (let at = 0; at < line.length; at++) {
    const bytes = Buffer.from(line)
    bytes[at] = 0xe9
    const found = read(Buffer.concat([Buffer.from(`${RECORD}\n`), bytes, Buffer.from(`\n${RECORD}\n`)]))
    if (isOfText.has(at)) expect(found).toEqual({ lines: [1, 2, 3], broken: [2] })
    else
      expect([found.lines, found.error?.message]).toEqual([[1], expect.stringContaining('line 2 is not valid UTF-8')])
  }
})

test('a record of an unknown stream with broken data is of an unknown stream', () => {
  const line = Buffer.from(RECORD.replace('users', 'x').replace('1}', '"\u00e9"}'), 'latin1')
  expect(read(line).error).toMatchObject({ code: 'input.unknown-stream' })
})

test('a stream that is not in the catalog is a config error that names it', () => {
  const unknown = (members: string): Outcome => read(`{"type":"RECORD","record":{"data":{"a":"${secret}"},${members}}}`)
  expect(unknown('"stream":"o\\u0072ders","namespace":"pub\\"lic"').error).toMatchObject({
    kind: 'config',
    message:
      'Input line 1 holds a record of stream "orders" of namespace "pub\\"lic", which the catalog does not name. Name and namespace must be those of the catalog. Add the stream to the catalog, or leave it out at the source.',
    track: { name: 'orders', namespace: 'pub"lic' },
  })
  expect(unknown('"stream":""').error).toMatchObject({ kind: 'config', track: { name: '', namespace: undefined } })
  const long = unknown(`"stream":"${'x'.repeat(5000)}"`).error
  expect(long?.message.length).toBeLessThan(500)
  expect(long?.track).toBeUndefined()
})
