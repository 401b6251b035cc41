import { expect, it } from 'vitest'
import { authorise, readParameter } from './authorise.ts'
import { Clients } from './clients.ts'
import type { Context } from './context.ts'
import { RateLimit } from './settings.ts'

const secret = 'very+secret'

function asked(client: string | undefined, query: string, rateLimit = new RateLimit(Infinity)): unknown {
  const context = {
    clients: new Clients([
      { id: 7, key: secret },
      { id: 7, key: 'spaced out' },
    ]),
    settings: { rateLimit },
    now: () => 0,
  } as unknown as Context
  const found = authorise({ sandbox: false, client, query }, context)
  return 'refused' in found ? found.refused : found.value
}

it('takes the key in both readings of a plus', () => {
  for (const key of ['very+secret', 'spaced+out']) expect(asked('7', `apikey=${key}`)).toBe(7)
  expect(asked('7', 'apikey=very%20secret')).toMatchObject({ status: 401 })
})

it.each<[string, string[] | undefined]>([
  ['', undefined],
  ['other=1&apikeys=2', undefined],
  ['apikey', ['']],
  ['apikey=', ['']],
  ['a=1&apikey=x&b=2', ['x']],
  ['apikey=a=b==&apikey=c', ['a=b==']],
  ['apikey=a+b', ['a+b', 'a b']],
  ['apikey=a%2Bb', ['a+b']],
  [`x=1&apikey=${encodeURIComponent('a&b=c#d%2F+é"\\ 😀')}`, ['a&b=c#d%2F+é"\\ 😀']],
  ...['%', '%z1', '%FF', '%C3', 'a+%', '%ED%A0%80'].map((raw): [string, string[]] => [`apikey=${raw}`, []]),
])('reads the key in %j', (query, readings) => {
  expect(readParameter(query, 'apikey')).toEqual(readings)
})

it('refuses in the order client, key absent, key wrong, rate', () => {
  const limit = new RateLimit(0.1)
  expect(asked('9', '', limit)).toMatchObject({ status: 404 })
  expect(asked(undefined, '', limit)).toMatchObject({ status: 404 })
  expect(asked('7', '', limit)).toMatchObject({ status: 400 })
  expect(asked('7', 'apikey=wrong', limit)).toMatchObject({ status: 401 })
  expect(asked('7', 'apikey=very+secret', limit)).toBe(7)
  expect(asked('7', 'apikey=very+secret', limit)).toMatchObject({
    status: 429,
    headers: { 'Retry-After': '10' },
  })
})

it('never shows a key, neither the right nor the wrong one', () => {
  for (const query of ['apikey=hunter2', 'apikey=very+secre', '']) {
    expect(JSON.stringify(asked('7', query))).not.toMatch(/hunter2|very/)
  }
})
