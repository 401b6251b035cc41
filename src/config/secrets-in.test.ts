import { expect, test } from 'vitest'
import { secretsIn, secretsInText } from './secrets-in.ts'

const KEY = 'k/é+&=%"\\'

test.each<[string, unknown]>([
  ['a text', KEY],
  ['an array', [[KEY]]],
  ['an object', { value: KEY }],
  ['a name', { [KEY]: 1 }],
])('%s', (_, value) => {
  expect(secretsIn({ api_key: value })).toContain(KEY)
  expect(secretsIn({ client_key: value })).toContain(KEY)
})

test('a number', () => {
  expect(secretsIn({ api_key: 12345 })).toContain('12345')
})

test('a key in the place of the client', () => {
  expect(secretsIn({ client_id: KEY, api_key: null })).toContain(KEY)
  expect(secretsIn({ client_id: '7' })).toEqual([])
})

test('none', () => {
  expect(secretsIn({ client_id: 7, api_key: null, client_key: true })).toEqual([])
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
  expect(secretsInText(text)).toContain(KEY)
})

test('a hostile text ends in time', () => {
  expect(secretsInText('api_key='.repeat(100_000))).not.toEqual([])
  expect(secretsInText(`api_key${' '.repeat(1_000_000)}`)).toEqual([])
})
