import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { NoSecretError, Secret, type ReadSecret } from '../../core/secret.ts'
import { reads } from '../../core/testing/reads.ts'
import type { RegistryResult } from '../../registry/retrying-client.ts'
import { Scrubber } from '../../secrets/scrubber.ts'
import { rawAnswer } from '../../service/http/testing/raw-answer.ts'
import { startRawServer } from '../../service/http/testing/raw-server.ts'
import { registryRoute, type RegistryRouteOptions } from './registry-route.ts'

const never = new AbortController().signal

const given = (more: Partial<RegistryRouteOptions>): RegistryRouteOptions => ({
  url: 'http://127.0.0.1:1',
  login: undefined,
  caCertificate: undefined,
  clientCertificate: undefined,
  clientKey: undefined,
  proxy: undefined,
  scrub: (text) => text,
  requestTimeoutMs: 5_000,
  wallClock: () => Date.parse('2026-01-01T00:00:00Z'),
  ...more,
})

const basic = (username: string, secret: ReadSecret) => ({ kind: 'basic', username, secret }) as const
const bearer = (secret: ReadSecret) =>
  ({ kind: 'bearer', secret, logicalCluster: undefined, identityPoolId: undefined }) as const

interface Exchanged {
  readonly asked: RegistryResult
  readonly request: string
}

/** What one question brings where bytes are answered. */
async function exchanged(
  answer: string | Buffer,
  more: Partial<RegistryRouteOptions> = {},
  ends = false,
): Promise<Exchanged> {
  let seen = ''
  await using server = await startRawServer((socket: Socket, request) => {
    seen = request
    if (ends) socket.end(answer)
    else socket.write(answer)
  })
  await using route = registryRoute(given({ url: `http://127.0.0.1:${server.port}/apis/ccompat/v7`, ...more }))
  return { asked: await route.ask('/schemas/ids/1', never), request: seen }
}

const packed = (head: string, body: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\n${head}content-length: ${body.length}\r\n\r\n`), body])

describe('a question', () => {
  it('goes below the address, asks for what registries speak, and follows nothing', async () => {
    const { asked, request } = await exchanged(rawAnswer('200 OK', '{"schema":"é"}'))
    expect(request).toMatch(/^GET \/apis\/ccompat\/v7\/schemas\/ids\/1 HTTP\/1\.1\r\n/)
    expect(request).toMatch(/\r\naccept: application\/vnd\.schemaregistry\.v1\+json, /i)
    expect(request).not.toMatch(/authorization/i)
    const plain = { status: 200, isCut: false, words: '', retryAfterMs: undefined, leadsTo: undefined }
    expect(asked).toEqual({ ...plain, body: '{"schema":"é"}' })
  })

  it('carries user name and password, of any letters', async () => {
    const login = basic('jürgen', reads('p:ä"ß w'))
    const { request } = await exchanged(rawAnswer('200 OK', ''), { login })
    const [, sent = ''] = /\r\nauthorization: Basic (\S+)\r\n/i.exec(request) ?? []
    expect(Buffer.from(sent, 'base64').toString('utf8')).toBe('jürgen:p:ä"ß w')
  })

  it('carries a token', async () => {
    const { request } = await exchanged(rawAnswer('200 OK', ''), { login: bearer(reads('a.b-c_d==\n')) })
    expect(request).toMatch(/\r\nauthorization: Bearer a\.b-c_d==\r\n/i)
  })

  it.each(['a\r\nx: y', 'two words', 'ä', ''])('is not sent with a token that is none, as yet: %j', async (token) => {
    const { asked, request } = await exchanged(rawAnswer('200 OK', ''), { login: bearer(reads(token)) })
    expect([request, asked]).toEqual([
      '',
      {
        failed: 'the token of schema_registry holds what no HTTP header can carry',
        why: { words: 'no secret to log in with' },
      },
    ])
  })
})

describe('a login that the registry does not know', () => {
  /** Answers 401 unless the login is one of these. */
  async function askedOf(good: readonly string[], login: RegistryRouteOptions['login']) {
    const seen: string[] = []
    await using server = await startRawServer((socket: Socket, request) => {
      const sent = /\r\nauthorization: (.*)\r\n/i.exec(request)?.[1] ?? ''
      seen.push(sent)
      const body = JSON.stringify({ error_code: 40101, message: `no ${sent}` })
      socket.write(good.includes(sent) ? rawAnswer('200 OK', '[]') : rawAnswer('401 No', body))
    })
    await using route = registryRoute(given({ url: `http://127.0.0.1:${server.port}`, login }))
    const answer = await route.ask('/x', never)
    if ('failed' in answer) throw new Error(answer.failed)
    return { seen, statuses: [answer.status], words: answer.words }
  }
  /** The last one again and again. */
  const reading = (...texts: string[]): ReadSecret => {
    return async () => new Secret(texts.length > 1 ? texts.shift()! : texts[0]!)
  }

  it('is read again, and the question is asked once more', async () => {
    expect(await askedOf(['Bearer new-token'], bearer(reading('old-token', 'new-token')))).toMatchObject({
      seen: ['Bearer old-token', 'Bearer new-token'],
      statuses: [200],
    })
  })

  it('is read again with its user name', async () => {
    const sent = (word: string): string => `Basic ${Buffer.from(`ada:${word}`).toString('base64')}`
    const { seen, statuses } = await askedOf([sent('new-word')], basic('ada', reading('old-word', 'new-word')))
    expect([seen, statuses]).toEqual([[sent('old-word'), sent('new-word')], [200]])
  })

  it.each<[string, ReadSecret]>([
    ['that is as before', reading('old-token')],
    ['whose file is gone', (refused) => (refused ? Promise.reject(new NoSecretError('gone')) : reads('old-token')())],
    ['whose file holds what can be no token', reading('old-token', 'two words')],
  ])('%s is not asked with again', async (_, secret) => {
    const { seen, statuses } = await askedOf([], bearer(secret))
    expect([seen, statuses]).toEqual([['Bearer old-token'], [401]])
  })

  it('is asked with once more and no further, and neither is told', async () => {
    const { seen, statuses, words } = await askedOf([], bearer(reading('old-token', 'new-token', 'newer-token')))
    expect([seen, statuses]).toEqual([['Bearer old-token', 'Bearer new-token'], [401]])
    expect(words).toBe('no Bearer ******')
  })

  it('is fetched, and another one is once the registry has refused it', async () => {
    const tokens = ['old-token', 'new-token'].map((text) => new Secret(text))
    const asked: unknown[] = []
    const login = bearer(async (refused) => (asked.push(refused), tokens[refused ? 1 : 0]!))
    const told = { seen: ['Bearer old-token', 'Bearer new-token'], statuses: [200] }
    expect(await askedOf(['Bearer new-token'], login)).toMatchObject(told)
    expect(asked).toEqual([undefined, tokens[0]])
  })

  it('is waited for where there is no token, unless that is a fault of ours', async () => {
    const failing = (error: Error) => given({ login: bearer(() => Promise.reject(error)) })
    await using route = registryRoute(failing(new NoSecretError('the token server a:1 gives no token: timeout')))
    expect(await route.ask('/x', never)).toEqual({
      failed: 'the token server a:1 gives no token: timeout',
      why: { words: 'no secret to log in with' },
    })
    await using broken = registryRoute(failing(new TypeError('a bug')))
    await expect(broken.ask('/x', never)).rejects.toThrow('a bug')
  })

  it('goes with what Confluent wants beside it', async () => {
    const login = { ...bearer(reads('t')), logicalCluster: 'lsrc-1', identityPoolId: 'pool-2' }
    const { request } = await exchanged(rawAnswer('200 OK', '[]'), { login })
    expect(request).toMatch(/\r\ntarget-sr-cluster: lsrc-1\r\nconfluent-identity-pool-id: pool-2\r\n/i)
  })
})

describe('an answer', () => {
  it('says what the registry says, without secrets', async () => {
    const scrubber = new Scrubber(['s3cret-password'])
    const login = basic('reader', reads('s3cret-password'))
    const echo = `Basic ${Buffer.from('reader:s3cret-password').toString('base64')}`
    const body = JSON.stringify({ error_code: 401, message: `no ${echo} s3cret-password` })
    const { asked } = await exchanged(rawAnswer('401 Unauthorized', body), { login, scrub: scrubber.scrub })
    if ('failed' in asked) throw new Error(asked.failed)
    expect(asked.words).toBe('no Basic ****** ******')
  })

  it.each([
    ['Retry-After: 7', { retryAfterMs: 7_000 }],
    ['Retry-After: Thu, 01 Jan 2026 00:00:30 GMT', { retryAfterMs: 30_000 }],
    ['Retry-After: soon', { retryAfterMs: undefined }],
    ['Location: https://user:pass@login.example.com/x?token=y', { leadsTo: 'https://login.example.com' }],
    ['Location: /login', { leadsTo: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as string }],
    ['Location: mailto:x', { leadsTo: 'mailto:' }],
    ['Location: http://[', { leadsTo: undefined }],
  ])('tells of %s', async (header, expected) => {
    expect((await exchanged(rawAnswer('503 Busy', '', `${header}\r\n`))).asked).toMatchObject({
      status: 503,
      ...expected,
    })
  })

  it('may be packed, though nobody asked for it', async () => {
    const { asked } = await exchanged(packed('content-encoding: gzip\r\n', gzipSync('{"schema":"x"}')))
    expect(asked).toMatchObject({ body: '{"schema":"x"}' })
  })

  it('that is no UTF-8 is no text', async () => {
    expect((await exchanged(packed('', Buffer.from([0x7b, 0xff])))).asked).toMatchObject({ body: undefined })
  })

  it.each([4_194_305, 17_000_000])('of %i bytes is cut', async (length) => {
    const { asked } = await exchanged(packed('', Buffer.alloc(length, 'é')))
    expect(asked).toMatchObject({ status: 200, isCut: true })
    if ('body' in asked) expect(Buffer.byteLength(asked.body ?? '')).toBeGreaterThanOrEqual(4_194_304)
  })

  it('that ends too early is none', async () => {
    const { asked } = await exchanged('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"schema":', {}, true)
    expect(asked).toEqual({
      failed: expect.stringMatching(/ broke off its answer \(200\)$/) as string,
      why: { words: 'connection closed' },
    })
  })

  it.each(['{"sche', '{"schema":"é'].map((text) => Buffer.from(text).subarray(0, 10)))(
    'that its connection cuts off is none',
    async (body) => {
      const answer = Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), body])
      const { asked } = await exchanged(answer, {}, true)
      expect(asked).toEqual({
        failed: expect.stringMatching(/ broke off its answer \(200\)$/) as string,
        why: { words: 'connection closed' },
      })
    },
  )

  it('that is no HTTP is none', async () => {
    expect((await exchanged('SSH-2.0\r\n\r\n')).asked).toEqual({
      failed: expect.stringMatching(/ is not HTTP\/1\.1 /) as string,
      remedy: 'Check scheme and port in schema_registry.url, and any proxy in between.',
      why: { words: 'invalid HTTP response', code: expect.stringMatching(/^(HPE_|HTTPParserError)/) as string },
    })
  })
})

describe('no answer', () => {
  it('where nobody listens', async () => {
    await using route = registryRoute(given({}))
    expect(await route.ask('/x', never)).toEqual({
      failed: 'http://127.0.0.1:1 refused the connection (ECONNREFUSED)',
      remedy: 'Check host and port in schema_registry.url, and that the registry is up.',
      why: { words: 'connection refused', code: 'ECONNREFUSED' },
    })
  })

  it('in time', async () => {
    await using server = await startRawServer(() => {})
    await using route = registryRoute(given({ url: `http://127.0.0.1:${server.port}`, requestTimeoutMs: 50 }))
    expect(await route.ask('/x', never)).toMatchObject({
      failed: `http://127.0.0.1:${server.port} did not answer in time`,
      remedy: expect.stringMatching(/if the registry is slow, raise request_timeout_seconds\.$/) as string,
    })
  })

  it('for who gives up, and for who asks when it is closed', async () => {
    await using server = await startRawServer(() => {})
    const route = registryRoute(given({ url: `http://127.0.0.1:${server.port}` }))
    const aborter = new AbortController()
    const asking = route.ask('/x', aborter.signal)
    aborter.abort()
    expect(await asking).toHaveProperty('failed')
    const other = route.ask('/x', never)
    await route[Symbol.asyncDispose]()
    expect(await other).toHaveProperty('failed')
  })

  it('over a certificate nobody trusts, and that is an error; trusted it is an answer', async () => {
    const certificates = new URL('../../service/http/certificates.test.json', import.meta.url)
    const { trusted } = JSON.parse(readFileSync(certificates, 'utf8')) as {
      trusted: { certificate: string; key: string }
    }
    const server = createServer({ cert: trusted.certificate, key: trusted.key }, (_, response) => response.end('{}'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `https://localhost:${(server.address() as AddressInfo).port}`
    await using strange = registryRoute(given({ url }))
    await expect(strange.ask('/x', never)).rejects.toThrow(
      /^The schema registry: the TLS certificate .* schema_registry\.ca_certificate\.$/,
    )
    await using known = registryRoute(given({ url, caCertificate: trusted.certificate }))
    expect(await known.ask('/x', never)).toMatchObject({ status: 200, body: '{}' })
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
})
