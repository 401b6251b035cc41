import { expect, test } from 'vitest'
import type { Target } from './answer.ts'
import { diagnose, outcomeOf } from './failure.ts'

const TARGET: Target = {
  origin: 'https://import.example.com:8443',
  clientId: 7,
  addressOption: 'sandbox_import_url',
  scrub: (text) => text,
}

function failed(code: string, begun = false): ReturnType<typeof outcomeOf> {
  const error = Object.assign(new Error('/v2/client/7?apikey=canary'), { code })
  return outcomeOf({ kind: 'failure', why: 'error', begun, error }, TARGET)
}

test.each([
  'ENOTFOUND',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'EHOSTUNREACH',
  'UND_ERR_SOCKET',
  'HPE_INVALID_CONSTANT',
  'EMFILE',
  'E_NEW',
])('%s is a network retry, ambiguous once begun', (code) => {
  const expected = {
    status: 'retry',
    cause: 'network',
    congestion: false,
    reason: expect.stringContaining(`(${code})`),
    remedy: expect.stringMatching(/\w.*\.$/),
    why: { words: expect.stringMatching(/^[a-zA-Z ]+$/) as unknown, code },
  }
  expect(failed(code)).toEqual({ ...expected, ambiguous: false })
  expect(failed(code, true)).toEqual({ ...expected, ambiguous: true })
})

test.each(['UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT'])('%s is a timeout before anything was sent', (code) => {
  expect(failed(code)).toMatchObject({ status: 'retry', cause: 'timeout', congestion: true, ambiguous: false })
  expect(failed(code, true)).toMatchObject({ cause: 'timeout', ambiguous: true })
})

test.each([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'ca_certificate'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'is self-signed'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'ca_certificate'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'is signed by an unknown authority'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'ca_certificate'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'ca_certificate'],
  ['CERT_HAS_EXPIRED', 'has expired'],
  ['CERT_NOT_YET_VALID', 'not valid yet'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'the name import.example.com'],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'client_certificate'],
  ['ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE', 'client_certificate'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'sandbox_import_url'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'this port speaks plain http'],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', 'this port speaks plain http'],
  ['ERR_OSSL_PEM_NO_START_LINE', 'client_key'],
])('%s stops the run and says what to do: %s', (code, words) => {
  const outcome = failed(code)
  expect(outcome).toMatchObject({ status: 'stop', error: { kind: 'config' } })
  if (outcome.status === 'stop') expect(outcome.error.message).toContain(words)
})

test('a request that cannot be made is ours', () => {
  expect(failed('UND_ERR_INVALID_ARG')).toMatchObject({ status: 'stop', error: { kind: 'system' } })
})

test('the error of the first address stands for all', () => {
  const error = new AggregateError([Object.assign(new Error('no'), { code: 'ECONNREFUSED' })])
  expect(diagnose({ kind: 'failure', why: 'error', begun: false, error }, TARGET).found).toContain(
    'refused the connection',
  )
})

test.each([
  undefined,
  null,
  'apikey=canary',
  {},
  { code: 7 },
  { code: '' },
  new Error('apikey=canary'),
  new AggregateError([]),
])('whatever was thrown, only a code or a name is shown: %s', (error) => {
  const { found, remedy } = diagnose({ kind: 'failure', why: 'error', begun: false, error }, TARGET)
  expect(`${found} ${remedy}`).not.toContain('canary')
  expect(found).toContain('https://import.example.com:8443')
})

test('a connection that was closed as it lay idle is retried as stale; what cannot heal stops all the same', () => {
  const stale = (code: string): ReturnType<typeof outcomeOf> =>
    outcomeOf({ kind: 'failure', why: 'error', begun: true, stale: true, error: { code } }, TARGET)
  expect(stale('EPIPE')).toMatchObject({ status: 'retry', ambiguous: true, congestion: false, stale: true })
  expect(stale('CERT_HAS_EXPIRED')).toMatchObject({ status: 'stop' })
})

test('behind a proxy every message says so', () => {
  const proxy = { origin: 'http://proxy.example.com:3128', variable: 'HTTPS_PROXY', authorization: undefined }
  for (const why of ['timeout', 'aborted', 'error'] as const) {
    const { found } = diagnose({ kind: 'failure', why, begun: true }, { ...TARGET, proxy })
    expect(found).toContain('https://import.example.com:8443')
    expect(found).toMatch(/\(through the proxy http:\/\/proxy\.example\.com:3128, HTTPS_PROXY\)$/)
  }
})

test.each([
  ['ECONNREFUSED', false, 'connection refused'],
  ['ECONNRESET', false, 'TLS handshake failed'],
  ['ECONNRESET', true, 'connection reset'],
  ['UND_ERR_CONNECT_TIMEOUT', false, 'connection timeout'],
])('%s, begun %s, is %s to who looks it up', (code, begun, words) => {
  expect(failed(code, begun)).toMatchObject({ why: { words } })
})
