import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { ConnectorError } from '../core/errors.ts'
import { STRIDE } from '../json/scanner.ts'
import { decodeString } from '../json/strings.ts'
import type { Message } from './messages.ts'
import { messageLines, MessageReader } from './reader.ts'

const KNOWN = new Set(['users', 'public/users', 'Zoë', 'a"b'])

interface Seen {
  readonly messages: readonly object[]
  readonly error?: { readonly kind: string; readonly message: string; readonly track?: object | undefined }
  readonly unknown?: { readonly count: number; readonly line: number }
  /** Records of each stream that name a file. */
  readonly files?: readonly number[]
}

/** What a message says, taken while it is valid. */
function plain(message: Message<string>): object {
  if (message.kind === 'status') return { status: message.status, stream: message.stream, line: message.line }
  if (message.kind === 'state')
    return {
      state: Buffer.concat(message.withStats({ written: 1, rejected: 2, superseded: 0 })).toString(),
      scope: message.scope,
      line: message.line,
    }
  const { bytes, from, to, members, first, count } = message
  const names = Array.from({ length: count }, (_, i) => {
    const [nameFrom, nameTo, valueFrom, valueTo] = members.subarray((first + i) * STRIDE, (first + i + 1) * STRIDE)
    const name = decodeString(bytes, nameFrom! < 0 ? ~nameFrom! : nameFrom!, nameTo!)
    return `${name}=${bytes.toString('utf8', valueFrom, valueTo)}`
  })
  return {
    stream: message.stream,
    line: message.line,
    data: bytes.toString('utf8', from, to),
    members: names,
    emitted: bytes.toString('utf8', message.emittedFrom, message.emittedTo),
    ...(message.tooDeep ? { tooDeep: true } : {}),
  }
}

function read(input: string | Buffer, chunkSize = 65_536): Seen {
  const lines = messageLines()
  const reader = new MessageReader((namespace, name) => {
    const full = namespace === undefined ? name : `${namespace}/${name}`
    return KNOWN.has(full) ? full : undefined
  })
  const bytes = Buffer.from(input)
  const messages: object[] = []
  try {
    for (let at = 0; at < bytes.length; at += chunkSize) {
      for (const some of lines.push(bytes.subarray(at, at + chunkSize)))
        for (const array of reader.read([some])) messages.push(...array.map(plain))
    }
    for (const some of lines.end()) for (const array of reader.read([some])) messages.push(...array.map(plain))
  } catch (error) {
    if (!(error instanceof ConnectorError)) throw error
    return { messages, error: { kind: error.kind, message: error.message, track: error.track } }
  }
  const { unknown } = reader
  const files = Array.from(reader.files.values(), ({ count }) => count)
  return { messages, ...(unknown.count > 0 ? { unknown } : {}), ...(files.length > 0 ? { files } : {}) }
}

const RECORD = '{"type":"RECORD","record":{"stream":"users","data":{"id":1},"emitted_at":5}}'
const PLAIN = { stream: 'users', line: 1, data: '{"id":1}', members: ['id=1'], emitted: '5' }

test.each([
  ['the ordinary line', RECORD],
  ['any member order', '{"record":{"emitted_at":5,"data":{"id":1},"stream":"users"},"type":"RECORD"}'],
  [
    'white space',
    ' { "type" : "RECORD" ,\t"record" : { "stream" : "users" , "data" : {"id":1} , "emitted_at" : 5 } } ',
  ],
  [
    'explicit nulls',
    RECORD.replace('{"stream"', '{"namespace":null,"meta":null,"file_reference":null,"stream"').replace(
      '{"type"',
      '{"log":null,"state":null,"trace":null,"type"',
    ),
  ],
  ['an empty namespace', RECORD.replace('{"stream"', '{"namespace":"","stream"')],
  [
    'names spelt with escapes',
    RECORD.replace('"type"', '"ty\\u0070e"')
      .replace('"record"', '"\\u0072ecord"')
      .replace('"stream"', '"strea\\u006d"')
      .replace('"data"', '"d\\u0061ta"')
      .replace('"emitted_at"', '"emitted\\u005fat"'),
  ],
  ['values spelt with escapes', RECORD.replace('"RECORD"', '"RE\\u0043ORD"').replace('"users"', '"us\\u0065rs"')],
  [
    'an earlier record',
    RECORD.replace(
      '"record"',
      '"record":{"stream":"gone","namespace":"x","data":{"no":0,"nope":1},"emitted_at":9},"record"',
    ),
  ],
  ['an earlier type', RECORD.replace('"type"', '"type":null,"type":7,"type":"STATE","type"')],
  [
    'earlier members of the record',
    RECORD.replace(
      '"stream"',
      '"stream":4,"namespace":"x","namespace":null,"data":{"old":0},"data":null,"emitted_at":{},"stream"',
    ),
  ],
  ['unknown members', RECORD.replace('"type"', '"recorD":{"stream":1},"stat":{},"typf":[1,{"a":{}}],"":{},"type"')],
  ['a byte order mark', `\ufeff${RECORD}`],
  ['CR LF', `${RECORD}\r\n`],
])('reads a record: %s', (_, line) => {
  expect(read(line)).toEqual({ messages: [PLAIN] })
})

test('an escaped member of data is decoded by name and kept as sent', () => {
  const line = RECORD.replace(
    '{"id":1}',
    '{"i\\u0064":12345678901234567890.10,"id":1.0,"":[ {"x":"\\ud800"} ],"t":"a\u2028b"}',
  ).replace('"users"', '"Zoë"')
  expect(read(line).messages).toEqual([
    {
      stream: 'Zoë',
      line: 1,
      data: '{"i\\u0064":12345678901234567890.10,"id":1.0,"":[ {"x":"\\ud800"} ],"t":"a\u2028b"}',
      members: ['id=12345678901234567890.10', 'id=1.0', '=[ {"x":"\\ud800"} ]', 't="a\u2028b"'],
      emitted: '5',
    },
  ])
})

test.each([
  ['absent', '', ''],
  ['null', ',"emitted_at":null', ''],
  ['a float', ',"emitted_at":1.50', '1.50'],
  ['a string', ',"emitted_at":"x"', '"x"'],
])('emitted_at %s', (_, member, emitted) => {
  expect(read(`{"type":"RECORD","record":{"stream":"users","data":{}${member}}}`).messages).toEqual([
    { ...PLAIN, data: '{}', members: [], emitted },
  ])
})

test('the namespace counts, null and "" are none', () => {
  const line = (namespace: string): string => RECORD.replace('"stream"', `"namespace":${namespace},"stream"`)
  expect(read([line('"public"'), line('null'), line('""'), line('"publi\\u0063"')].join('\n')).messages).toMatchObject([
    { stream: 'public/users' },
    { stream: 'users' },
    { stream: 'users' },
    { stream: 'public/users' },
  ])
})

test('what a line before left behind is not seen', () => {
  const bare = '{"type":"RECORD","record":{"stream":"users","data":{"b":2}}}'
  const rich = RECORD.replace('"stream"', '"namespace":"public","stream"')
  expect(read([rich, bare, '{"type":"RECORD"}'].join('\n'))).toMatchObject({
    messages: [
      { stream: 'public/users', emitted: '5' },
      { stream: 'users', emitted: '', members: ['b=2'] },
    ],
    error: { message: expect.stringMatching(/^Input line 3 is a RECORD without a "record" object\./) },
  })
})

test('tolerates blank lines, counts them, and a last line without end', () => {
  expect(read(`\ufeff\n\r\n \t \n${RECORD}\r\n\n${RECORD}`).messages).toEqual([
    { ...PLAIN, line: 4 },
    { ...PLAIN, line: 6 },
  ])
  expect(read('')).toEqual({ messages: [] })
  expect(read('\ufeff')).toEqual({ messages: [] })
})

test('a buffer full of blank lines takes no longer than its length', () => {
  expect(read(`${'\n'.repeat(2_000_000)}${RECORD}`, 4_000_000).messages).toMatchObject([{ line: 2_000_001 }])
})

test('ignores what is valid and of no use, and counts what is of no type', () => {
  const lines = [
    '{"type":"LOG","log":{"level":"INFO"}}',
    '{"type":"SPEC"}',
    '{"type":"record"}',
    '{"type":""}',
    '{"type":"TRACE"}',
    '{"type":"TRACE","trace":{"type":"ERROR","error":{}}}',
    '{"type":"CONTROL","record":{"stream":5,"data":{"a":[]}}}',
    '{"type":"LATER","record":7,"state":"x","trace":[]}',
  ]
  expect(read(`${lines.join('\n')}\n${RECORD}`)).toEqual({
    messages: [{ ...PLAIN, line: 9 }],
    unknown: { count: 3, line: 3 },
  })
})

test('depth: data of 1,024 levels passes, 1,025 is marked, other members have no limit', () => {
  const line = (levels: number, rest = ''): string =>
    `{"type":"RECORD","record":{"stream":"users","data":{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}${rest}}}`
  expect(read(line(1024)).messages[0]).not.toHaveProperty('tooDeep')
  expect(read(line(1025)).messages[0]).toMatchObject({ tooDeep: true })
  expect(read(`${line(1025)}\n${line(3)}`).messages[1]).not.toHaveProperty('tooDeep')
  expect(read(line(3, `,"meta":${'['.repeat(5000)}${']'.repeat(5000)}`)).messages[0]).not.toHaveProperty('tooDeep')
  const deep = `${'{"a":'.repeat(400_000)}1${'}'.repeat(400_000)}`
  expect(read(line(3).replace('{"a"', `{"d":${deep},"a"`)).messages[0]).toMatchObject({ tooDeep: true })
  expect(read(`{"type":"LOG","log":${deep}}\n{"type":"STATE","state":{"data":${deep}}}`).messages).toHaveLength(1)
  expect(read(`${RECORD}\n${'['.repeat(2_000_000)}`)).toMatchObject({ messages: [PLAIN], error: { kind: 'system' } })
})

test('any chunk size gives the same messages', () => {
  const input = [
    `\ufeff${RECORD}`,
    '',
    RECORD.replace('1}', '1,"é":"日本 😀"}'),
    '{"type":"STATE","state":{"type":"STREAM","stream":{"stream_descriptor":{"name":"users"}}}}',
    RECORD.replace('"users"', '"a\\"b"'),
    '{"type":"TRACE","trace":{"type":"STREAM_STATUS","stream_status":{"stream_descriptor":{"name":"users"},"status":"COMPLETE"}}}',
    RECORD,
  ].join('\r\n')
  const whole = read(input)
  expect(whole.messages).toHaveLength(6)
  for (let size = 1; size < 120; size++) expect(read(input, size), String(size)).toEqual(whole)
})

test('a record of thousands of members, before and after small ones', () => {
  const many = Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`m${i}`, i]))
  const seen = read([RECORD, RECORD.replace('{"id":1}', JSON.stringify(many)), RECORD].join('\n')).messages
  expect(seen[0]).toEqual(PLAIN)
  expect(seen[1]).toMatchObject({ members: Object.entries(many).map(([name, value]) => `${name}=${value}`) })
  expect(seen[2]).toEqual({ ...PLAIN, line: 3 })
})

test('reads any envelope as JSON.parse and its last members do', () => {
  const value = fc.oneof(
    fc.constant(null),
    fc.constantFrom('users', 'RECORD', 'LOG', 'x', 3, true),
    fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 }),
  )
  const members = (names: readonly string[], of: fc.Arbitrary<string>): fc.Arbitrary<string> =>
    fc
      .array(fc.tuple(fc.constantFrom(...names), of), { maxLength: 7 })
      .map((all) => `{${all.map(([name, text]) => `"${name}":${text}`).join(',')}}`)
  const json = value.map((each) => JSON.stringify(each))
  const record = members(
    ['stream', 'data', 'namespace', 'emitted_at', 'meta', 'file_reference'],
    fc.oneof(json, fc.constant('"users"'), fc.constant('{"a":1}')),
  )
  const line = members(['type', 'type', 'record', 'state', 'other'], fc.oneof(fc.constant('"RECORD"'), json, record))
  fc.assert(
    fc.property(line, (text) => {
      const message = JSON.parse(text) as Record<string, unknown>
      const { messages, error, files } = read(text)
      const inner = (typeof message['record'] === 'object' ? message['record'] : null) as Record<string, unknown> | null
      const namespace = inner?.['namespace'] ?? ''
      const data = inner?.['data']
      const isWhole =
        typeof inner?.['stream'] === 'string' &&
        typeof data === 'object' &&
        data !== null &&
        typeof namespace === 'string'
      if (typeof message['type'] !== 'string') expect(error?.kind).toBe('system')
      else if (message['type'] !== 'RECORD') expect([messages, error]).toEqual([[], undefined])
      else if (!isWhole) expect(error?.kind).toBe('system')
      else if (inner['stream'] !== 'users' || namespace !== '') expect(error?.kind).toBe('config')
      else {
        expect(JSON.parse((messages[0] as { data: string }).data)).toEqual(data)
        const file = inner['file_reference']
        expect(files).toEqual(typeof file === 'object' && file !== null ? [1] : undefined)
      }
    }),
    { numRuns: 5000 },
  )
})

test('a line beyond the limit is a system error with its number, after the lines before it', () => {
  const lines = messageLines({ maxLineBytes: 3 })
  const found: number[] = []
  const run = (): void => {
    for (const some of lines.push(Buffer.from('a\nb\nccccc\nd'))) found.push(some.count)
  }
  expect(run).toThrow(ConnectorError)
  expect(found).toEqual([2])
  expect(() => [...messageLines({ maxLineBytes: 3 }).push(Buffer.from('abcd'))]).toThrow(
    new ConnectorError(
      'system',
      'input.line-too-long',
      'Input line 1 is longer than 3 bytes: more than this connector accepts (64 MiB, or 4 times max_request_bytes if that is more). Leave its stream out, or let the source send less in a record.',
    ),
  )
})
