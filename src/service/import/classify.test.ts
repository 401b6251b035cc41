import { expect, test } from 'vitest'
import { JsonPieces } from '../../json/completeness.ts'
import { KEPT_BYTES, type HttpAnswer, type Target } from '../http/answer.ts'
import { classify } from './classify.ts'

const LONG = 'x'.repeat(KEPT_BYTES)
const NOW = Date.parse('2030-01-01T00:00:00Z')
const TARGET: Target = {
  origin: 'https://import.example.com',
  clientId: 7,
  addressOption: 'import_url',
  scrub: (text) => text.replaceAll('canary', '******'),
}

function answer(status: number, body: string | Uint8Array = '', headers: HttpAnswer['headers'] = {}): HttpAnswer {
  const bytes = Buffer.from(body)
  const json = bytes.length > KEPT_BYTES ? new JsonPieces().add(bytes) : undefined
  return { status, headers, body: bytes.subarray(0, KEPT_BYTES), length: bytes.length, json, end: 'whole' }
}

test.each([
  ['an object', '{"code":200}'],
  ['an empty object', '{}'],
  ['an object after a byte order mark', '\uFEFF{}'],
  ['an object between blanks', '\r\n {"code":201} \n'],
  ['nothing', ''],
  ['blanks', ' \r\n'],
  ['more than is kept', `{"echo":"${'x'.repeat(KEPT_BYTES)}"}\n`],
])('a 2xx with %s acknowledges', (_, body) => {
  for (const status of [200, 201, 202, 204, 207, 299]) {
    expect(classify(answer(status, body, { 'content-type': 'text/html' }), TARGET, NOW)).toEqual({
      status: 'delivered',
    })
  }
})

test.each([
  ['a page', '<!DOCTYPE html>\n<html><head><title>Sign in to WiFi</title>', 'an HTML page titled "Sign in to WiFi"'],
  ['a page whose title is the key', '<html><title>canary</title>', 'titled "******"'],
  ['a page without title', '<HTML></HTML>', 'an HTML page:'],
  ['an array', '[{}]', 'a JSON array'],
  ['half an object', '{"code":', 'a broken JSON object'],
  ['two objects', '{}{}', 'a broken JSON object'],
  ['a string', '"complete"', '10 bytes that are not a JSON object'],
  ['null', 'null', '4 bytes that are not a JSON object'],
  ['U+0000', '\0', '1 byte that is not a JSON object'],
  ['a long array', `[${'1,'.repeat(KEPT_BYTES)}{}]`, 'a JSON array'],
  ['a long page that ends in a brace', `<html>${'x'.repeat(KEPT_BYTES)}}`, 'an HTML page'],
  ['a long broken object', `{${'x'.repeat(KEPT_BYTES)}]`, 'a broken JSON object'],
  ['a compressed object', Buffer.from([0x1f, 0x8b, 8, 0]), 'a compressed body'],
])('a 2xx with %s stops the run and says so', (_, body, words) => {
  const headers = {
    'content-length': `${Buffer.byteLength(body)}`,
    'content-encoding': words.includes('compressed') ? 'gzip' : undefined,
  }
  const outcome = classify(answer(200, body, headers), TARGET, NOW)
  expect(outcome).toMatchObject({ status: 'stop', error: { kind: 'config' } })
  if (outcome.status === 'stop') expect(outcome.error.message).toContain(words)
})

test.each<[string | Uint8Array, HttpAnswer['headers']]>([
  [' \r\n{', {}],
  ['{"code":200,"mess', {}],
  [Buffer.from('{"message":"é').subarray(0, -1), {}],
  ['{"code":200,"done":tru', { 'transfer-encoding': 'identity' }],
  [`{"echo":["${LONG}"]`, {}],
  [`{"echo":"${LONG} }`, {}],
])(
  'an object cut off where its connection ends is a lost answer, and the upsert may have landed: %j %j',
  (body, headers) => {
    for (const status of [200, 201])
      expect(classify(answer(status, body, headers), TARGET, NOW)).toMatchObject({
        status: 'retry',
        cause: 'network',
        ambiguous: true,
        congestion: false,
        reason: expect.stringContaining('closed the connection without answering') as unknown,
      })
  },
)

test.each<[string, HttpAnswer['headers']]>([
  ['<html><title>Sign in', {}],
  ['[{"code":200', {}],
  ['OK', {}],
  ['"comple', {}],
  ['{"code":200}x', {}],
  ['{"code":200}{', {}],
  ['{ "code": 200; ', {}],
  [`{"echo":1,${LONG}`, {}],
  [`{"echo":"${LONG}"} {}`, {}],
  ['{"code":', { 'transfer-encoding': 'chunked' }],
])('any other body that is no object stops the run, also where its connection ends: %j %j', (body, headers) => {
  const stop = { status: 'stop', error: { kind: 'config' } }
  expect(classify(answer(200, body, headers), TARGET, NOW)).toMatchObject(stop)
})

test('no more of a stranger’s body is quoted than its title, as it may echo records', () => {
  const outcome = classify(answer(200, '[{"email":"ada@example.com"}]'), TARGET, NOW)
  expect(JSON.stringify(outcome, Object.getOwnPropertyNames(Error.prototype))).not.toContain('ada@')
})

test('a 2xx whose body was cut off for its length stops the run', () => {
  const endless = { ...answer(200, `{"echo":"${LONG}`), end: 'endless' } as const
  expect(classify(endless, TARGET, NOW)).toMatchObject({ status: 'stop', error: { kind: 'config' } })
})

test.each(['lost', 'timeout', 'aborted'] as const)('a 2xx whose body was %s is an ambiguous retry', (end) => {
  const outcome = classify({ ...answer(200, '{}'), end }, TARGET, NOW)
  expect(outcome).toMatchObject({ status: 'retry', ambiguous: true, cause: end === 'timeout' ? 'timeout' : 'network' })
})

test.each([
  [300, '', {}, 'nowhere'],
  [301, '', { location: 'https://elsewhere.example.com/a?apikey=canary' }, 'to https://elsewhere.example.com. '],
  [302, '', { location: '/v3/' }, 'another path of the same address'],
  [304, '', {}, '304'],
  [307, '', { location: 'https://canary.example.com' }, 'to https://******.example.com'],
  [308, '', { location: 'http://[' }, 'nowhere'],
  [308, '', { location: 'mailto:x@example.com' }, 'to mailto:'],
  [
    401,
    '{"message":"authorization failed","reasons":["wrong key canary"]}',
    {},
    '(authorization failed: wrong key ******)',
  ],
  [401, '', {}, 'api_key is the import key of client_id 7'],
  [403, '', {}, 'api_key'],
  [404, '', {}, 'client_id'],
  [405, '', {}, 'import_url'],
])('%i with %j %j stops as a config error that says %j', (status, body, headers, words) => {
  const outcome = classify(answer(status, body, headers), TARGET, NOW)
  expect(outcome).toMatchObject({ status: 'stop', error: { kind: 'config' } })
  if (outcome.status !== 'stop') return
  expect(outcome.error.message).toContain(words)
  expect(outcome.error.message).toContain('https://import.example.com answered')
  expect(outcome.error.message).not.toMatch(/canary|\?/)
})

const calm = { ambiguous: false, congestion: false }
test.each([
  [408, {}, { ...calm, cause: 'server' }],
  [429, {}, { ...calm, cause: 'throttled', congestion: true }],
  [429, { 'retry-after': '7' }, { ...calm, cause: 'throttled', congestion: true, afterMs: 7_000 }],
  [429, { 'retry-after': ['3', '9'] }, { ...calm, cause: 'throttled', congestion: true, afterMs: 3_000 }],
  [500, {}, { ...calm, cause: 'server' }],
  [501, {}, { ...calm, cause: 'server' }],
  [502, {}, { ...calm, cause: 'server', ambiguous: true }],
  [
    503,
    { 'retry-after': 'Tue, 01 Jan 2030 00:00:30 GMT' },
    { ...calm, cause: 'server', congestion: true, afterMs: 30_000 },
  ],
  [504, {}, { ...calm, cause: 'server', ambiguous: true }],
  [521, {}, { ...calm, cause: 'server' }],
  [524, {}, { ...calm, cause: 'server', ambiguous: true }],
  [599, {}, { ...calm, cause: 'server' }],
])('%i with %j is retried', (status, headers, expected) => {
  // not the body's words: they may be records it was sent
  const reason = `https://import.example.com answered ${status}`
  expect(classify(answer(status, 'busy canary', headers), TARGET, NOW)).toEqual({
    status: 'retry',
    reason,
    remedy: expect.stringMatching(status === 429 ? /max_requests_per_second/ : /operator of the service/) as unknown,
    why: { words: expect.stringMatching(new RegExp(`^${status}( [A-Z]|$)`)) as unknown },
    ...expected,
  })
})

test.each([
  [
    400,
    '{"code":400,"message":"bad request","reasons":["keys: absent","id: null"]}',
    'bad request: keys: absent; id: null',
  ],
  [400, '{"message":"bad request","reasons":[]}', 'bad request'],
  [400, '{"reasons":["keys: absent", 7, null]}', 'keys: absent'],
  [400, '{"error":"no"}', '{"error":"no"}'],
  [400, '{"message":{"a":1},"reasons":"x"}', '{"message":{"a":1},"reasons":"x"}'],
  [400, 'no\r\n\u0007such\u001b[31m table', 'no such [31m table'],
  [400, '', 'the service gave no reason'],
  [400, ' {} ', 'the service gave no reason'],
  [400, '<html><style>b{}</style><body>no <b>such</b> table</body></html>', 'no such table'],
  [400, Buffer.from([0x6e, 0x6f, 0xff]), 'no\uFFFD'],
  [422, '{"message":"odd"}', '422: odd'],
])('%i with %j is refused: %s', (status, body, reason) => {
  expect(classify(answer(status, body), TARGET, NOW)).toEqual({ status: 'refused', reason })
})

test.each([
  [402, 'config', 'Check the billing'],
  [406, 'config', 'Check import_url and any proxy in between'],
  [407, 'config', 'https_proxy'],
  [409, 'transient', 'Run it again later'],
  [410, 'config', 'permanently gone'],
  [414, 'config', 'does not accept this request'],
  [415, 'config', 'does not accept this request'],
  [418, 'config', 'does not accept this request'],
  [423, 'transient', 'Run it again later'],
  [425, 'transient', 'Run it again later'],
  [431, 'config', 'does not accept this request'],
  [451, 'config', 'legal reasons'],
  [499, 'config', 'does not accept this request'],
] as const)('%i says nothing about a record: it stops as a %s error that says %j', (status, kind, todo) => {
  const outcome = classify(answer(status, '{"message":"no canary today"}'), TARGET, NOW)
  expect(outcome).toMatchObject({ status: 'stop', error: { kind } })
  if (outcome.status !== 'stop') return
  expect(outcome.error.message).toContain(`answered ${status} for client 7 (no ****** today): `)
  expect(outcome.error.message).toContain(todo)
  expect(outcome.error.message).toContain('none was rejected for it')
})

test('words end at 500 characters, after the secret was taken out', () => {
  const outcome = classify(answer(400, `${'x'.repeat(497)}canary${'y'.repeat(100_000)}`), TARGET, NOW)
  expect(outcome).toEqual({ status: 'refused', reason: `${'x'.repeat(497)}**…` })
})

test('a secret that falls apart into control characters does not come together', () => {
  expect(classify(answer(400, 'can\u0001ary'), TARGET, NOW)).toEqual({ status: 'refused', reason: 'can ary' })
})

test('413 is too large', () => {
  expect(classify(answer(413), TARGET, NOW)).toEqual({ status: 'too-large' })
})

test.each([0, 101, 199, 600, 999])('%i stops as a system error', (status) => {
  expect(classify(answer(status), TARGET, NOW)).toMatchObject({
    status: 'stop',
    error: { kind: 'system', message: expect.stringMatching(/Check what stands between/) },
  })
})

test.each([
  [503, 'lost', 'retry'],
  [401, 'timeout', 'stop'],
  [400, 'lost', 'refused'],
  [413, 'aborted', 'too-large'],
] as const)(
  'any other status says by itself what it means, however its body ends: %i, %s: %s',
  (status, end, expected) => {
    const outcome = classify({ ...answer(status, '{"mess'), end }, TARGET, NOW)
    expect(outcome.status).toBe(expected)
    if (outcome.status === 'retry') expect(outcome.ambiguous).toBe(false)
  },
)
