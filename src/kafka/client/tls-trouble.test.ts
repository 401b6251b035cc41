import { expect, it } from 'vitest'
import { tlsTrouble } from './tls-trouble.ts'

it.each([
  [
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'self-signed certificate; if the root CA is installed locally, try …',
    /kafka\.tls\.ca_cert/,
  ],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'self-signed certificate in certificate chain', /not known here/],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'unable to verify the first certificate', /not known here/],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'unable to get local issuer certificate', /not known here/],
  ['CERT_HAS_EXPIRED', 'certificate has expired', /has expired .*Give the broker a new one/],
  ['CERT_NOT_YET_VALID', 'certificate is not yet valid', /not valid yet .*clocks/],
  [
    'ERR_TLS_CERT_ALTNAME_INVALID',
    "Hostname/IP does not match certificate's altnames: …",
    /other names .*kafka\.brokers/,
  ],
  [undefined, 'ssl/tls alert bad certificate SSL alert number 42', /client certificate .*kafka\.tls\.client_key/],
  [undefined, 'tlsv13 alert certificate required SSL alert number 116', /client certificate/],
  [undefined, 'tlsv1 alert unknown ca SSL alert number 48', /client certificate/],
  ['EPROTO', 'wrong version number', /does not speak TLS/],
  ['ERR_SSL_UNSUPPORTED_PROTOCOL', 'unsupported protocol', /TLS 1\.2 or 1\.3/],
  ['EPROTO', 'something else', /does not come about \(something else\)\. Check kafka\.tls/],
])('tells what to do about %s: %s', (code, message, found) => {
  const told = tlsTrouble({ code, message: `Connection error: ${message}` }, 'one:9092')
  expect(told).toMatch(/^TLS to one:9092 failed: /)
  expect(told).toMatch(found)
  expect(told).not.toMatch(/Connection error|root CA is installed/)
})

it.each(['connect ECONNREFUSED 127.0.0.1:9092', 'Closed connection', 'Connection timeout'])(
  'leaves other trouble: %s',
  (message) => {
    expect(tlsTrouble({ code: undefined, message }, 'one:9092')).toBeUndefined()
  },
)
