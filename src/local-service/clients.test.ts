import { expect, it } from 'vitest'
import { Clients, DEMO_KEY } from './clients.ts'
import { hashOf, Records } from './onboarding/records.ts'
import { UNKEPT } from './store.ts'

it('gives each client its own keys', () => {
  const clients = new Clients([
    { id: 7, key: 'a' },
    { id: 8, key: 'b' },
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
  expect(clients.idOf('7')).toBe(7)
  expect(clients.idOf('0')).toBe(0)
  expect(clients.idOf('9007199254740991')).toBe(Number.MAX_SAFE_INTEGER)
  for (const text of [undefined, '', '07', '+7', '-7', '7.0', '7e0', '0x7', ' 7', '٧', '8']) {
    expect(clients.idOf(text)).toBeUndefined()
  }
})

it('refuses clients that no request could name', () => {
  expect(() => new Clients([{ id: 1.5, key: 'a' }])).toThrow('whole number')
  expect(() => new Clients([{ id: -1, key: 'a' }])).toThrow('whole number')
  expect(() => new Clients([{ id: 2 ** 53, key: 'a' }])).toThrow('whole number')
})

it('shows the key that everybody knows, and no other', () => {
  expect(
    new Clients([
      { id: 9, key: 'own' },
      { id: 7, key: DEMO_KEY },
    ]).shown,
  ).toEqual({ client_id: 9, key: null })
  expect(new Clients([{ id: 7, key: 'demo-key-2' }]).shown).toEqual({ client_id: 7, key: null })
  expect(
    new Clients([
      { id: 7, key: 'own' },
      { id: 7, key: DEMO_KEY },
    ]).shown,
  ).toEqual({ client_id: 7, key: DEMO_KEY })
})

const SECRET = 'S3CRET/é"k\\ey'

it.each([
  ['itself', SECRET],
  ['JSON', JSON.stringify(SECRET)],
  ['JSON with more escapes', '"\\u0053\\u0033CRET\\/\\u00e9\\"k\\\\ey"'],
  ['a URL', encodeURIComponent(SECRET)],
  ['a URL, every character', [...Buffer.from(SECRET)].map((byte) => `%${byte.toString(16)}`).join('')],
  ['base64', Buffer.from(`user:${SECRET}`).toString('base64')],
])('masks a key as it stands in %s', (_, text) => {
  const { mask } = new Clients([{ id: 7, key: SECRET }])
  expect(mask(`before ${text} after`)).toMatch(/^before \S*\*{6}\S* after$/)
  expect(mask(`before ${text}`)).not.toMatch(/CRET|%43|\u0053|ey$/)
})

it('masks a key whole that begins with another one, of whichever client', () => {
  const given = ['abcdef', 'abcdefghij-TAIL', 'abcdefghij-TAIL-2'].map((key, id) => ({ id, key }))
  for (const clients of [given, given.toReversed()])
    expect(new Clients(clients).mask('abcdefghij-TAIL-2,abcdefghij-TAIL,abcdef')).toBe('******,******,******')
})

it('leaves out what may be the beginning of a key where a text is cut, and shows it where it is not', () => {
  const { mask } = new Clients([{ id: 7, key: DEMO_KEY }])
  for (let length = 1; length < DEMO_KEY.length; length++)
    expect(mask(`/x/${DEMO_KEY.slice(0, length)}`, true)).toBe('/x/')
  for (const whole of ['/v2/demo', 'demo\\', 'demo%', '&', '', 'demo%6', '\\u00']) expect(mask(whole)).toBe(whole)
})

it('masks what it is told to hide, and keys made later once they are used; nothing shorter than 6 characters', () => {
  const records = new Records(UNKEPT)
  const clients = new Clients([{ id: 7, key: 'short' }], records)
  records.keep(['client', 8, { id: 8, name: 'eight', signupId: null, properties: null }])
  records.keep(['import-key', hashOf('made-later'), { clientId: 8 }])
  expect(clients.ids()).toEqual([7, 8])
  expect(clients.mask('short made-later')).toBe('short made-later')
  expect([clients.allows(7, ['made-later']), clients.allows(8, ['made-late'])]).toEqual([false, false])
  expect(clients.mask('made-later')).toBe('made-later')
  expect(clients.allows(8, ['other', 'made-later'])).toBe(true)
  clients.hide(['demo-password', 'other'])
  expect(clients.mask('made-later, demo-password, other')).toBe('******, ******, other')
})
