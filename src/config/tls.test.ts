import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

import { Secret } from '../core/secret.ts'
import { Findings } from './findings.ts'
import { checkTls, pemText } from './tls.ts'

const { trusted, client } = JSON.parse(
  readFileSync(new URL('../service/http/certificates.test.json', import.meta.url), 'utf8'),
) as Record<'trusted' | 'client', { certificate: string; key: string }>

const tlsOf = ({ client_key: key, ...texts }: Readonly<Record<string, string>>) => ({
  ...texts,
  client_key: key === undefined ? undefined : new Secret(key),
})

it.each<[Record<string, string>, unknown[]]>([
  [{}, []],
  [{ ca_certificate: trusted.certificate }, []],
  [{ client_certificate: client.certificate, client_key: client.key }, []],
  [{ client_certificate: client.certificate, client_key: pemText(client.key.replaceAll('\n', String.raw`\n`)) }, []],
  [{ client_certificate: client.certificate }, ['client_key is required with `client_certificate`']],
  [{ client_key: client.key }, ['client_certificate is required with `client_key`']],
  [
    { client_certificate: trusted.certificate, client_key: client.key },
    ['client_key does not belong to `client_certificate`'],
  ],
  [
    { ca_certificate: 'x', client_certificate: 'y', client_key: 'z' },
    [
      'ca_certificate holds no PEM certificate (-----BEGIN CERTIFICATE----- …)',
      'client_certificate holds no PEM certificate (-----BEGIN CERTIFICATE----- …)',
      'client_key is not a readable PEM private key',
    ],
  ],
  [
    { ca_certificate: 'x', client_key: client.key },
    [expect.stringContaining('ca_certificate'), 'client_certificate is required with `client_key`'],
  ],
])('certificates %#', (texts, problems) => {
  const findings = new Findings()
  checkTls(tlsOf(texts), [], findings)
  expect(findings.problems.map((pair) => pair.join(' '))).toEqual(problems)
})
