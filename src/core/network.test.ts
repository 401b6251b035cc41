import { expect, it, test } from 'vitest'
import { isThisMachine, networkCause, statusCause } from './network.ts'

test.each([
  ['ECONNREFUSED', false, 'connection refused'],
  ['ECONNREFUSED', true, 'connection refused'],
  ['ENOTFOUND', false, 'DNS lookup failed'],
  ['EAI_AGAIN', true, 'DNS lookup failed'],
  ['EHOSTUNREACH', false, 'host unreachable'],
  ['ECONNRESET', false, 'connection reset'],
  ['ECONNRESET', true, 'TLS handshake failed'],
  ['UND_ERR_SOCKET', false, 'connection closed'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', true, 'TLS handshake failed'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', true, 'TLS handshake failed'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', false, 'TLS handshake failed'],
  ['HPE_INVALID_CONSTANT', false, 'invalid HTTP response'],
  ['EWHATEVER', false, 'request failed'],
])('%s, in a TLS handshake %s: %s', (code, inHandshake, words) => {
  expect(networkCause(code, inHandshake)).toEqual({ words, code })
})

test.each([
  [503, '503 Service Unavailable'],
  [502, '502 Bad Gateway'],
  [599, '599'],
])('%i: %s', (status, words) => {
  expect(statusCause(status)).toEqual({ words })
})

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
