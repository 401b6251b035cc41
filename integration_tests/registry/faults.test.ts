// Schemas from a small registry over real connections, and what becomes of them when it misbehaves.

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { registryRoute, type RegistryRouteOptions } from '../../src/kafka/source/registry-route.ts'
import { lookForOutages, registryOutage } from '../../src/telemetry/outage-watch.ts'
import { systemClock } from '../../src/process/system-clock.ts'
import { ConnectorError } from '../../src/core/errors.ts'
import { Secret } from '../../src/core/secret.ts'
import { reads } from '../../src/core/testing/reads.ts'
import { CachingStore, type SchemaStore } from '../../src/registry/schema-store.ts'
import type { RegisteredSchema, SchemaId } from '../../src/registry/types.ts'
import { Scrubber } from '../../src/secrets/scrubber.ts'
import { startFakeRegistry, type FakeRegistry } from './fake-registry.ts'

interface Opened extends AsyncDisposable {
  readonly store: SchemaStore
  readonly lines: string[]
  /** As it was given to what makes decoders. */
  schema(id: SchemaId): RegisteredSchema | string | undefined
}

function open(registry: FakeRegistry, more: Partial<RegistryRouteOptions> = {}): Opened {
  const route = registryRoute({
    url: registry.url,
    login: undefined,
    caCertificate: undefined,
    clientCertificate: undefined,
    clientKey: undefined,
    proxy: undefined,
    scrub: (text) => text,
    requestTimeoutMs: 5_000,
    ...more,
  })
  const lines: string[] = []
  const watch = registryOutage(
    registry.url,
    { stallDeadlineMs: 900_000 },
    { log: async (level, message) => void lines.push(`${level} ${message}`), clock: systemClock },
  )
  const over = new AbortController()
  void lookForOutages([watch], systemClock, over.signal)
  const schemas = new Map<unknown, RegisteredSchema>()
  const make = (schema: RegisteredSchema) => {
    const decoder = { type: schema.type, decode: () => ({ json: Buffer.from('null') }) }
    schemas.set(decoder, schema)
    return decoder
  }
  const store = new CachingStore({
    ask: route.ask,
    address: route.address,
    clock: systemClock,
    make: { AVRO: make, PROTOBUF: make, JSON: make },
    log: (level, message) => lines.push(`${level} ${message}`),
    outage: watch,
  })
  return {
    store,
    lines,
    schema(id) {
      const known = store.known(id)
      return known && 'problem' in known ? known.problem : schemas.get(known)
    },
    async [Symbol.asyncDispose]() {
      over.abort()
      store[Symbol.dispose]()
      await route[Symbol.asyncDispose]()
    },
  }
}

const never = new AbortController().signal

async function stopOf(opened: Opened, id: SchemaId = 1): Promise<string> {
  const error: unknown = await opened.store.load([id], never).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(ConnectorError)
  return (error as ConnectorError).message
}

const AVRO = { schema: '{"type":"string"}' }

describe('schemas', () => {
  it('of every type are found by id and by GUID, under a path too', async () => {
    await using registry = await startFakeRegistry({ prefix: '/apis/ccompat/v7' })
    const avro = registry.register('a-value', AVRO)
    const proto = registry.register('p-value', { schema: 'syntax = "proto3";', schemaType: 'PROTOBUF' })
    const json = registry.register('j-value', { schema: '{"title":"é"}', schemaType: 'JSON' })
    await using opened = open(registry)
    await opened.store.load([avro.id, proto.guid, json.id], never)
    expect(opened.schema(avro.id)).toEqual({ type: 'AVRO', text: AVRO.schema, references: [] })
    expect(opened.schema(proto.guid)).toMatchObject({ type: 'PROTOBUF', text: 'syntax = "proto3";' })
    expect(opened.schema(json.id)).toMatchObject({ type: 'JSON', text: '{"title":"é"}' })
  })
})

describe('a registry', () => {
  it('that is away and comes back is waited for, without a schema lost', async () => {
    await using registry = await startFakeRegistry()
    const [one, two] = [registry.register('a', AVRO), registry.register('b', { schema: '"int"' })]
    await using opened = open(registry)
    await opened.store.load([one.id], never)
    await registry.stop()
    const aborter = new AbortController()
    const given = expect(opened.store.load([two.id], aborter.signal)).rejects.toThrow('revoked')
    const loading = opened.store.load([one.id, two.id], never)
    await until(() => opened.lines.length > 0)
    expect(opened.lines).toEqual([
      expect.stringMatching(
        /^warn The schema registry at 127\.0\.0\.1:\d+ is unavailable: connection refused \(ECONNREFUSED\)\. Records that need its schemas wait/,
      ),
    ])
    expect(opened.store.waitsBecause).toMatch(/ECONNREFUSED/)
    expect(opened.schema(one.id)).toMatchObject({ text: AVRO.schema })
    aborter.abort(new Error('revoked'))
    await given
    await registry.start()
    await loading
    expect(opened.schema(two.id)).toMatchObject({ text: '"int"' })
    expect(opened.store.waitsBecause).toBeUndefined()
    expect(opened.lines).toEqual([
      expect.anything(),
      expect.stringMatching(/^info The schema registry at \S+ answers again, after \d+ s and \d+ retries\.$/),
    ])
  })

  it.each([
    ['fails', { times: 2, answer: { status: 500, body: '{"error_code":50001}' } }],
    ['is overloaded', { times: 1, answer: { status: 429, headers: { 'retry-after': '0' } } }],
    ['closes connections', { times: 2, reset: 'before' as const }],
    ['breaks off its answers', { times: 2, reset: 'within' as const }],
    ['says nothing', { times: 1, silent: true }],
  ])('that %s for a while is waited for', async (_, fault) => {
    await using registry = await startFakeRegistry()
    const { id } = registry.register('a', AVRO)
    registry.fault(fault)
    await using opened = open(registry, { requestTimeoutMs: 200 })
    await opened.store.load([id], never)
    expect(opened.schema(id)).toMatchObject({ text: AVRO.schema })
    expect(registry.requests).toHaveLength(fault.times + 1)
  })

  it('that is not there, where its path is wrong, ends the run', async () => {
    await using registry = await startFakeRegistry({ prefix: '/apis/ccompat/v7' })
    const { id } = registry.register('a', AVRO)
    await using opened = open(registry, { url: new URL(registry.url).origin })
    expect(await stopOf(opened, id)).toMatch(/ answered 404 .*nothing there answers as a schema registry does/)
  })

  it('wants the right login, and a wrong one is shown nowhere', async () => {
    const scrubber = new Scrubber(['wr0ng-password', 'wr0ng-token'])
    await using basic = await startFakeRegistry({ login: { username: 'reader', password: 'right' } })
    await using bearer = await startFakeRegistry({ login: { token: 'right' } })
    const user = (password: string) => ({ kind: 'basic', username: 'reader', secret: reads(password) }) as const
    const bearerOf = (token: string) =>
      ({ kind: 'bearer', secret: reads(token), logicalCluster: undefined, identityPoolId: undefined }) as const
    for (const [registry, right, wrong] of [
      [basic, user('right'), user('wr0ng-password')],
      [bearer, bearerOf('right'), bearerOf('wr0ng-token')],
    ] as const) {
      const { id } = registry.register('a', AVRO)
      await using refused = open(registry, { login: wrong, scrub: scrubber.scrub })
      const message = await stopOf(refused, id)
      expect(message).toMatch(/ answered 401 \(Unauthorized\) .*Check username and password, or token/)
      expect(message).not.toContain('wr0ng')
      await using opened = open(registry, { login: right })
      await opened.store.load([id], never)
      expect(opened.schema(id)).toMatchObject({ text: AVRO.schema })
    }
  })

  it('may speak TLS, and ask for the client’s certificate', async () => {
    const certificates = new URL('../../src/service/http/certificates.test.json', import.meta.url)
    const made = JSON.parse(readFileSync(certificates, 'utf8')) as Record<
      'trusted' | 'client',
      { certificate: string; key: string }
    >
    const { trusted, client } = made
    const tls = { cert: trusted.certificate, key: trusted.key, ca: client.certificate, requestCert: true }
    await using registry = await startFakeRegistry({ tls })
    const { id } = registry.register('a', AVRO)
    await using untrusting = open(registry)
    expect(await stopOf(untrusting, id)).toMatch(/is self-signed .*ca_certificate/)
    await using opened = open(registry, {
      caCertificate: trusted.certificate,
      clientCertificate: client.certificate,
      clientKey: new Secret(client.key),
    })
    await opened.store.load([id], never)
    expect(opened.schema(id)).toMatchObject({ text: AVRO.schema })
  })
})

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10))
}
