import { expect, it } from 'vitest'
import { isThisMachine } from './this-machine.ts'

it.each(['localhost', 'LocalHost', '127.0.0.1', '127.255.0.9', '::1'])('%s is this machine', (host) => {
  expect(isThisMachine(host)).toBe(true)
})

it.each([
  '',
  'localhost.example.com',
  'alocalhost',
  '127.0.0.1.example.com',
  '127.0.0.256',
  '127.0.0.01',
  '127.1',
  '128.0.0.1',
  '0.0.0.0',
  '::2',
  '10.0.0.1',
])('%j is not', (host) => {
  expect(isThisMachine(host)).toBe(false)
})
