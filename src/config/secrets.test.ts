import { expect, test } from 'vitest'
import { Scrubber } from '../secrets/scrubber.ts'
import { secretsIn, secretsInText, shortSecret } from './secrets.ts'
import { readWriteConfig } from './write/write-load.ts'

const NAMES = new Set(['api_key', 'client_key'])
const KEY = 'k/é+&=%"\\'

test.each<[string, unknown]>([
  ['a text', KEY],
  ['an array', [[KEY]]],
  ['an object', { value: KEY }],
  ['a name', { [KEY]: 1 }],
])('%s', (_, value) => {
  expect(secretsIn({ api_key: value }, NAMES)).toContain(KEY)
  expect(secretsIn({ client_key: value }, NAMES)).toContain(KEY)
})

test('a number', () => {
  expect(secretsIn({ api_key: 12345 }, NAMES)).toContain('12345')
})

test('a key in the place of the client', () => {
  const secretsOf = (config: object) => readWriteConfig(JSON.stringify(config)).secrets
  expect(secretsOf({ client_id: KEY, api_key: null })).toContain(KEY)
  expect(secretsOf({ client_id: '7' })).toEqual([])
})

test('none', () => {
  expect(secretsIn({ client_id: 7, api_key: null, client_key: true }, NAMES)).toEqual([])
})

test.each([
  ['no end', `{"client_id":7,"api_key":${JSON.stringify(KEY)}`],
  ['no comma', `{"api_key":${JSON.stringify(KEY)} "client_id":7}`],
  ['an open text', `{\n  "api_key": ${JSON.stringify(KEY).slice(0, -1)}`],
  ['no escapes', `{"api_key": "${KEY}`],
  ['single quotes', `{'api_key': '${KEY}', 'client_id': 7}`],
  ['no quotes', `{api_key: ${KEY}}`],
  ['a line of another language', `api_key = ${KEY}\nclient_id = 7`],
  ['a list of them', `{"a":1},\n{"api_key":"other"},{"api_key":\n${JSON.stringify(KEY)}},`],
])('in broken JSON: %s', (_, text) => {
  expect(secretsInText(text, NAMES)).toContain(KEY)
})

test('an escape that JSON does not know stays as it is written', () => {
  const found = secretsInText(String.raw`{"api_key": "canary\q-1"`, NAMES)
  expect(new Set(found)).toEqual(new Set([String.raw`canary\q-1`]))
})

test('a hostile text ends in time', () => {
  expect(secretsInText('api_key='.repeat(100_000), NAMES)).not.toEqual([])
  expect(secretsInText(`api_key${' '.repeat(1_000_000)}`, NAMES)).toEqual([])
})

test.each(['7', 'ab', ' ab ', 'key', 'wrong', '1234567'])('%j is short', (secret) => {
  expect(shortSecret(secret)).toMatch(/^is shorter than \d characters.*\. Use a longer one$/)
  expect(shortSecret(secret)).not.toContain(secret.length > 2 ? secret : 'ab')
})

test('8 characters are enough', () => {
  expect(shortSecret('12345678')).toBeUndefined()
})

test('it says of a secret that it is not masked exactly where it is not', () => {
  for (const secret of ['a', 'ab', ' ab ', 'a b', 'abc', 'abcdefg']) {
    const isMasked = new Scrubber([secret]).scrub(`<${secret}>`).includes('******')
    expect(shortSecret(secret)?.includes('is masked')).toBe(isMasked)
  }
})
