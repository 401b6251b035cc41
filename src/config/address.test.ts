import { expect, test } from 'vitest'

import { isThisMachine, readAddress } from './address.ts'
import { writeOptions } from './write/write-options.ts'

test.each([
  ['https://import.example.com', 'https://import.example.com'],
  ['https://import.example.com/', 'https://import.example.com'],
  [' HTTPS://Import.Example.com:443/api// \n', 'https://import.example.com/api'],
  ['https://import.example.com:8443/a%20b', 'https://import.example.com:8443/a%20b'],
  ['https://bücher.example.com', 'https://xn--bcher-kva.example.com'],
  ['http://localhost:9999/sandbox', 'http://localhost:9999/sandbox'],
  ['http://127.0.0.1', 'http://127.0.0.1'],
  ['http://127.255.3.4:1', 'http://127.255.3.4:1'],
  ['http://127.1', 'http://127.0.0.1'],
  ['http://[::1]:8080', 'http://[::1]:8080'],
])('%j is %s', (text, url) => {
  expect(readAddress(text, false)).toEqual({ url })
  const shape = writeOptions.shape.import_url.meta() as { pattern: string }
  expect(text).toMatch(new RegExp(shape.pattern))
})

test.each([
  ['', 'is empty'],
  [
    'import.example.com',
    'must begin with https://, or with http:// for a service on this machine: found neither; write https://import.example.com',
  ],
  ['127.0.0.1:8585', 'found neither; write http://127.0.0.1:8585'],
  ['import.example.com:8443/shop?apikey=canary', 'found neither; write https://import.example.com:8443'],
  ['canary@import.example.com', 'found neither; write https://host.example.com'],
  ['canary7q9k3p5x.q9w3', 'found neither; write https://host.example.com'],
  ['htp://import.example.com', 'for a service on this machine: found htp://'],
  ['canary0123456789://x', 'found neither; write https://host.example.com'],
  ['ftp://import.example.com', 'must begin with https://'],
  ['file:///etc/passwd', 'must begin with https://'],
  ['javascript:alert(1)', 'must begin with https://'],
  ['https:', 'is not an address'],
  ['https://', 'is not an address'],
  ['https:///import.example.com', 'is not an address'],
  ['https:import.example.com', 'is not an address'],
  ['https://import.example.com:99999', 'is not an address'],
  ['https://import example.com', 'is not an address'],
  ['https://import.example.com\\x', 'is not an address'],
  ['https://[::1', 'is not an address'],
  ['https://user:canary@import.example.com', 'no user name'],
  ['https://canary@import.example.com', 'no user name'],
  ['https://@import.example.com', 'no user name'],
  ['https://import.example.com?apikey=canary', 'no query'],
  ['https://import.example.com/?', 'no query'],
  ['https://import.example.com#canary', 'no fragment'],
  ['http://127.0.0.1:8585/_local/', 'of the page of the local service: write http://127.0.0.1:8585, without /_local'],
  ['http://127.0.0.1:8585/_local/tables', 'write http://127.0.0.1:8585, without'],
  ['http://import.example.com', 'allow_insecure_http'],
  ['http://localhost.example.com', 'allow_insecure_http'],
  ['http://127.0.0.1.example.com', 'allow_insecure_http'],
  ['http://[::2]', 'allow_insecure_http'],
  ['http://0.0.0.0', 'allow_insecure_http'],
  ['http://10.0.0.1', 'allow_insecure_http'],
  [`https://import.example.com/${'x'.repeat(3_000)}`, '2,048'],
])('%j is refused: %s', (text, words) => {
  const read = readAddress(text, false)
  expect('problem' in read ? read.problem : read.url).toContain(words)
  expect(JSON.stringify(read)).not.toContain('canary')
})

test('http beyond this machine is accepted when allowed', () => {
  expect(readAddress('http://import.example.com', true)).toEqual({ url: 'http://import.example.com' })
})

test.each(['localhost', 'LocalHost', '127.0.0.1', '127.255.0.9', '::1'])('%s is this machine', (host) => {
  expect(isThisMachine(host)).toBe(true)
})

test.each([
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
