import { expect, it } from 'vitest'
import { authorise } from './authorise.ts'
import { Clients } from './clients.ts'
import type { Context } from './context.ts'
import { RateLimit } from './rate-limit.ts'

const secret = 'very+secret'

function asked(client: string | undefined, query: string, rateLimit = new RateLimit(Infinity)): unknown {
  const context = {
    clients: new Clients([{ id: 7, key: secret }]),
    settings: { rateLimit },
    now: () => 0,
  } as unknown as Context
  const answer = authorise({ sandbox: false, client, query }, context)
  return typeof answer === 'number' ? answer : answer
}

it('takes the key in both readings of a plus', () => {
  expect(asked('7', 'apikey=very%2Bsecret')).toBe(7)
  expect(asked('7', 'apikey=very+secret')).toBe(7)
  expect(asked('7', 'apikey=very%20secret')).toMatchObject({ status: 401 })
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
