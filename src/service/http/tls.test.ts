// TLS against real servers: which certificates stop a run and what the message tells to do.

import type { AddressInfo } from 'node:net'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type ServerOptions } from 'node:https'
import { expect, test } from 'vitest'

import { Secret } from '../../core/secret.ts'
import type { HttpOptions } from './http.ts'
import { CERTIFICATES, DONE, sent, type Pair, type Told } from './testing/calls.ts'

const { trusted, otherHost, expired, client } = CERTIFICATES

async function sendTo(shown: Pair, more: Partial<HttpOptions> = {}, tls: ServerOptions = {}): Promise<Told> {
  const server = createServer({ cert: shown.certificate, key: shown.key, ...tls }, (_, response) => response.end('{}'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    return await sent(`https://localhost:${(server.address() as AddressInfo).port}`, more)
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

function expectStop(outcome: Told, words: RegExp): void {
  expect(outcome).toMatchObject({ status: 'stop', error: { kind: 'config' } })
  if (outcome.status === 'stop') expect(outcome.error.message).toMatch(words)
}

test('a certificate nobody trusts stops and names ca_certificate', async () => {
  expectStop(await sendTo(trusted), /self-signed \(DEPTH_ZERO_SELF_SIGNED_CERT\)\..*ca_certificate/)
})

test('given as ca_certificate it is trusted', async () => {
  expect(await sendTo(trusted, { caCertificate: trusted.certificate })).toMatchObject(DONE)
})

test('a certificate for another name stops and names the address', async () => {
  expectStop(
    await sendTo(otherHost, { caCertificate: otherHost.certificate }),
    /not valid for the name localhost.*import_url/,
  )
})

test('an expired certificate stops and says so', async () => {
  expectStop(await sendTo(expired, { caCertificate: expired.certificate }), /expired/)
})

test.each(['TLSv1.2', 'TLSv1.3'] as const)(
  'a client certificate that is asked for is shown, over %s',
  async (maxVersion) => {
    const server = { requestCert: true, ca: client.certificate, maxVersion }
    const withCa = { caCertificate: trusted.certificate }
    expect(await sendTo(trusted, withCa, server)).not.toMatchObject(DONE)
    const shown = { ...withCa, clientCertificate: client.certificate, clientKey: new Secret(client.key) }
    expect(await sendTo(trusted, shown, server)).toMatchObject(DONE)
  },
)

test('a server that refuses for want of a client certificate stops and names it', async () => {
  const server = { requestCert: true, ca: client.certificate, maxVersion: 'TLSv1.2' } as const
  expectStop(await sendTo(trusted, { caCertificate: trusted.certificate }, server), /client_certificate/)
})

test('https to a server that speaks plain http stops and names the address', async () => {
  const server = createHttpServer((_, response) => response.end('{}'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  expectStop(await sent(`https://localhost:${(server.address() as AddressInfo).port}`), /scheme and port in import_url/)
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

test('http to a server that speaks TLS comes to no acknowledgement', async () => {
  const server = createServer({ cert: trusted.certificate, key: trusted.key })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const outcome = await sent(`http://localhost:${(server.address() as AddressInfo).port}`)
  expect(outcome).toMatchObject({ status: 'retry', cause: 'network' })
  await new Promise((resolve) => server.close(resolve))
})

test('material that is no PEM stops before anything is sent', async () => {
  expectStop(await sendTo(trusted, { clientCertificate: 'rubbish', clientKey: new Secret('rubbish') }), /client_key/)
})
