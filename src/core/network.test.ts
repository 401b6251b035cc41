import { expect, test } from 'vitest'
import { networkCause, statusCause } from './network.ts'

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
