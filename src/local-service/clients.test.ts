import { expect, it } from 'vitest'
import { Secret } from '../core/secret.ts'
import { Clients, DEMO_KEY } from './clients.ts'

it('gives each client its own keys', () => {
  const clients = new Clients([
    { id: 7, key: 'a' },
    { id: 8, key: new Secret('b') },
    { id: 7, key: 'c' },
  ])
  expect(clients.ids()).toEqual([7, 8])
  expect(clients.allows(7, ['a'])).toBe(true)
  expect(clients.allows(7, ['wrong', 'c'])).toBe(true)
  expect(clients.allows(7, ['b'])).toBe(false)
  expect(clients.allows(8, ['b'])).toBe(true)
  expect(clients.allows(9, ['a'])).toBe(false)
  expect(clients.allows(7, [])).toBe(false)
})

it('knows one spelling of an id', () => {
  const clients = new Clients([
    { id: 7, key: 'a' },
    { id: 0, key: 'a' },
    { id: Number.MAX_SAFE_INTEGER, key: 'a' },
  ])
  expect(clients.named('7')).toBe(7)
  expect(clients.named('0')).toBe(0)
  expect(clients.named('9007199254740991')).toBe(Number.MAX_SAFE_INTEGER)
  for (const text of [undefined, '', '07', '+7', '-7', '7.0', '7e0', '0x7', ' 7', '٧', '8']) {
    expect(clients.named(text)).toBeUndefined()
  }
})

it('refuses clients that no request could name', () => {
  expect(() => new Clients([])).toThrow('at least one client')
  expect(() => new Clients([{ id: 1.5, key: 'a' }])).toThrow('whole number')
  expect(() => new Clients([{ id: -1, key: 'a' }])).toThrow('whole number')
  expect(() => new Clients([{ id: 2 ** 53, key: 'a' }])).toThrow('whole number')
  expect(() => new Clients([{ id: 1, key: '' }])).toThrow('not empty')
})

it('shows the key that everybody knows, and no other', () => {
  expect(
    new Clients([
      { id: 9, key: 'own' },
      { id: 7, key: DEMO_KEY },
    ]).shown,
  ).toEqual({ client_id: 9, key: null })
  expect(new Clients([{ id: 7, key: new Secret('demo-key-2') }]).shown).toEqual({ client_id: 7, key: null })
  expect(
    new Clients([
      { id: 7, key: 'own' },
      { id: 7, key: DEMO_KEY },
    ]).shown,
  ).toEqual({ client_id: 7, key: DEMO_KEY })
})
