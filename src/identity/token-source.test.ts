// What is asked of a token server, and what its answer means.

import { describe, expect, it } from 'vitest'
import type { OauthConfig } from '../config/stream/stream-config.ts'
import { NoSecretError, Secret } from '../core/secret.ts'
import { reads } from '../core/testing/reads.ts'
import { tokenSource, type Miss, type Token, type TokenAnswer, type TokenRequest } from './token-source.ts'

const never = new AbortController().signal
const URL_OF = 'https://idp.example.com/token'

const NO_TLS = { caCertificate: undefined, clientCertificate: undefined, clientKey: undefined }
const credentials = (more: Partial<OauthConfig> = {}): OauthConfig => ({
  ...NO_TLS,
  group: 'kafka.sasl.oauth',
  address: { option: 'token_url', url: URL_OF },
  clientId: 'warehouse',
  proof: { option: 'client_secret', read: reads('s +&=%/ü:') },
  clientAuth: undefined,
  scope: undefined,
  audience: undefined,
  ...more,
})

const answer = (status: number, body: unknown, more: object = {}): TokenAnswer => ({
  status,
  body: typeof body === 'string' ? body : JSON.stringify(body),
  words: '',
  date: undefined,
  afterMs: undefined,
  ...more,
})

async function fetched(
  given: Partial<OauthConfig>,
  answers: readonly TokenAnswer[],
): Promise<{ readonly requests: TokenRequest[]; readonly found: Token | Miss; readonly learnt: string[] }> {
  const requests: TokenRequest[] = []
  const learnt: string[] = []
  const ask = async (request: TokenRequest): Promise<TokenAnswer> => answers[requests.push(request) - 1]!
  const found = await tokenSource(credentials(given), ask, (secret) => learnt.push(secret))(never)
  return { requests, found, learnt }
}

const GOOD = answer(200, { access_token: 'a.b-c', token_type: 'bearer', expires_in: 60 })

describe('a request', () => {
  it('has the secret in a header, encoded as in a form', async () => {
    const { requests, found, learnt } = await fetched({ scope: 'a b', audience: 'kafka' }, [GOOD])
    const [{ url, headers, form }] = requests as [TokenRequest]
    expect(url).toBe(URL_OF)
    expect(headers[0]).toBe('authorization')
    expect(Buffer.from(headers[1]!.slice('Basic '.length), 'base64').toString()).toBe(
      'warehouse:s+%2B%26%3D%25%2F%C3%BC%3A',
    )
    expect(String(form)).toBe('grant_type=client_credentials&scope=a+b&audience=kafka')
    expect(found).toMatchObject({ lifeMs: 60_000 })
    expect(learnt).toEqual(['a.b-c'])
  })

  it('has it in the form where that is wanted', async () => {
    const { requests } = await fetched({ clientAuth: 'post' }, [GOOD])
    expect(requests[0]!.headers).toEqual([])
    expect(Object.fromEntries(requests[0]!.form!)).toEqual({
      grant_type: 'client_credentials',
      client_id: 'warehouse',
      client_secret: 's +&=%/ü:',
    })
  })

  it('has an assertion that is read at each fetch', async () => {
    let times = 0
    const read = async (): Promise<Secret> => new Secret(`assertion-${++times}\n`)
    const requests: TokenRequest[] = []
    const source = tokenSource(
      credentials({ proof: { option: 'assertion', read } }),
      async (request) => (requests.push(request), GOOD),
      () => {},
    )
    await source(never)
    await source(never)
    expect(requests.map(({ form }) => form!.get('client_assertion'))).toEqual(['assertion-1', 'assertion-2'])
    expect(requests[0]!.form!.get('client_assertion_type')).toBe(
      'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    )
    expect(requests[0]!.form!.has('client_secret')).toBe(false)
  })

  it('waits where the file cannot be read', async () => {
    const read = () => Promise.reject(new NoSecretError('kafka.sasl.oauth.assertion refers to a file'))
    expect((await fetched({ proof: { option: 'assertion', read } }, [])).found).toEqual({
      cause: { words: 'kafka.sasl.oauth.assertion refers to a file' },
    })
  })

  it('waits for nothing where the fault is ours', async () => {
    const read = () => Promise.reject(new TypeError('a bug'))
    await expect(fetched({ proof: { option: 'client_secret', read } }, [])).rejects.toThrow('a bug')
  })
})

describe('an issuer', () => {
  const issuer = 'https://idp.example.com/realm'
  const address = { option: 'issuer', url: issuer } as const
  const found = { issuer, token_endpoint: 'https://other.example.com/t' }

  it.each<[string, object, boolean]>([
    ['says nothing', {}, false],
    ['has both', { token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'] }, false],
    ['wants a form', { token_endpoint_auth_methods_supported: ['client_secret_post'] }, true],
  ])('names the address, once, and how the secret is sent: %s', async (_, more, isPost) => {
    const requests: TokenRequest[] = []
    const answers = [answer(200, { ...found, ...more }), GOOD, GOOD]
    const source = tokenSource(
      credentials({ address }),
      async (request) => answers[requests.push(request) - 1]!,
      () => {},
    )
    await source(never)
    expect(await source(never)).toMatchObject({ lifeMs: 60_000 })
    expect(requests.map(({ url }) => url)).toEqual([
      `${issuer}/.well-known/openid-configuration`,
      found.token_endpoint,
      found.token_endpoint,
    ])
    expect(requests[1]!.form!.has('client_secret')).toBe(isPost)
  })

  it.each<[string, TokenAnswer]>([
    ['of a name that is no plain address', answer(200, { ...found, issuer: 'https://canary@evil.example.com' })],
    ['of another name at a fault', answer(404, { ...found, issuer: 'https://evil.example.com' })],
    ['without an address', answer(200, { issuer })],
    ['that is a page', answer(200, '<html>', { words: 'an HTML page' })],
    ['that is not there', answer(404, '')],
  ])('%s is refused', async (_, given) => {
    const { found } = await fetched({ address }, [given])
    expect(found).toMatchObject({
      code: 'identity.not-a-token-server',
      remedy: 'Check kafka.sasl.oauth.issuer, and any proxy in between.',
    })
  })

  it('of another name is told how it calls itself', async () => {
    const named = 'http://127.0.0.1:9094/Realm'
    const { found: miss } = await fetched({ address }, [answer(200, { ...found, issuer: named })])
    expect(miss).toEqual({
      cause: { words: `it calls itself ${named}` },
      remedy: 'Write that as kafka.sasl.oauth.issuer.',
      code: 'identity.not-a-token-server',
    })
  })

  it('that is away is asked again', async () => {
    const { found } = await fetched({ address }, [answer(503, '')])
    expect(found).toEqual({ cause: { words: '503 Service Unavailable' }, afterMs: undefined })
  })
})

describe('an answer', () => {
  const jwt = (claims: object): string => `e.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.s`
  it.each<[unknown, string, number]>([
    [60, 'opaque', 60_000],
    ['3599', 'opaque', 3_599_000],
    [undefined, 'opaque', 300_000],
    [undefined, jwt({ iat: 100, exp: 130 }), 30_000],
    [0, jwt({ iat: 100, exp: 130 }), 30_000],
    [-5, 'opaque', 300_000],
    ['soon', 'opaque', 300_000],
    [0.1, 'opaque', 1_000],
    [1e12, 'opaque', 604_800_000],
  ])('that lives %j is taken for that long', async (life, token, lifeMs) => {
    expect((await fetched({}, [answer(200, { access_token: token, expires_in: life })])).found).toMatchObject({
      lifeMs,
    })
  })

  it.each<[asked: string | undefined, said: unknown, token: string, lacks: string[]]>([
    [undefined, 'a', 'opaque', []],
    ['a  b', 'b', 'opaque', ['a']],
    ['a b', 'b a c', jwt({}), []],
    ['a', '', jwt({ scope: 'a' }), ['a']],
    ['a b', ['b'], 'opaque', ['a']],
    // all, or a token that nothing can be seen of
    ['a', undefined, 'opaque', []],
    ['a', null, jwt({ scope: 'a b' }), []],
    ['a b', undefined, jwt({ scp: ['b'] }), ['a']],
    ['a b', undefined, jwt({ scp: 'b a' }), []],
    ['a', { toString: 1 }, jwt({ scope: [{ toString: 1 }], scp: ['a'] }), []],
    ['a b', undefined, jwt({}), ['a', 'b']],
    ['https://ns.example.com/.default', undefined, jwt({ roles: ['x'] }), []],
  ])('to the scope %j that names %j lacks what neither it nor its token has: %s', async (scope, said, token, lacks) => {
    const { found } = await fetched({ scope }, [answer(200, { access_token: token, scope: said })])
    expect(found).toMatchObject({ lacks })
  })

  it.each<[number, unknown, object]>([
    [
      401,
      { error: 'invalid_client' },
      { code: 'identity.refused', remedy: expect.stringContaining('oauth.client_secret') as string },
    ],
    [
      400,
      { error: 'invalid_scope' },
      { code: 'identity.refused', remedy: expect.stringContaining('oauth.scope') as string },
    ],
    [400, { error: 'unauthorized_client' }, { code: 'identity.refused' }],
    [
      400,
      { error: 'invalid_target' },
      { code: 'identity.refused', remedy: expect.stringContaining('oauth.audience') as string },
    ],
    [400, { error: 'constructor' }, { code: 'identity.refused' }],
    [401, '{"error":"__proto__"}', { code: 'identity.refused' }],
    [403, '', { code: 'identity.refused' }],
    [401, 'no', { code: 'identity.refused' }],
    [400, { error: 'temporarily_unavailable' }, { cause: { words: '400' } }],
    [429, '', { cause: { words: '429 Too Many Requests' } }],
    [500, { error: 'server_error' }, { cause: { words: '500 Internal Server Error' } }],
    [503, '', { cause: { words: '503 Service Unavailable' } }],
    [404, '<html>', { remedy: 'Check kafka.sasl.oauth.token_url, and any proxy in between.' }],
    [302, '', { code: 'identity.not-a-token-server' }],
    [200, '<html>', { code: 'identity.not-a-token-server' }],
    [200, { access_token: '' }, { code: 'identity.not-a-token-server' }],
    [200, { access_token: 'two words' }, { code: 'identity.not-a-token-server' }],
    [200, { access_token: 'a\r\nb: c' }, { code: 'identity.not-a-token-server' }],
    [200, { access_token: 'a', token_type: 'DPoP' }, { code: 'identity.not-a-token-server' }],
    [200, [], { code: 'identity.not-a-token-server' }],
    [200, '{"__proto__":{"access_token":"a"}}', { code: 'identity.not-a-token-server' }],
  ])('%i %j is what it is', async (status, body, expected) => {
    const { found, learnt } = await fetched({}, [answer(status, body)])
    expect(found).toMatchObject(expected)
    expect(learnt).toEqual([])
  })

  it('that refuses without a known reason names what was asked for', async () => {
    const { found } = await fetched({ scope: 's', audience: 'a' }, [answer(400, 'no')])
    const [client, scope, audience] = ['client_id', 'scope', 'audience'].map((name) => `kafka.sasl.oauth.${name}`)
    expect(found).toMatchObject({ remedy: `Check ${client}, ${scope}, ${audience}.` })
  })
})
