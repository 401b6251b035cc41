import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { secretText, sshPublicKey, uuid } from './random-texts.ts'

it('makes ids and secrets of all their bytes', () => {
  expect(uuid((size) => Buffer.alloc(size, 0xff))).toBe('ffffffff-ffff-4fff-bfff-ffffffffffff')
  expect(uuid((size) => Buffer.alloc(size))).toBe('00000000-0000-4000-8000-000000000000')
  expect(secretText((size) => Buffer.alloc(size, 0xab))).toBe('ab'.repeat(32))
  expect(uuid(randomBytes)).not.toBe(uuid(randomBytes))
})

it('makes public keys as SSH writes them', () => {
  const key = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a'
  const [type, blob, comment] = sshPublicKey(() => Buffer.from(key, 'hex'), 'client-5').split(' ')
  expect([type, comment]).toEqual(['ssh-ed25519', 'client-5'])
  expect(Buffer.from(blob!, 'base64').toString('hex')).toBe(
    `0000000b${Buffer.from('ssh-ed25519').toString('hex')}00000020${key}`,
  )
})
