// The program of a token server for tests: oidc-provider, a certified OpenID server, on loopback. It is told by its parent what to do,
// and tells back how often it was asked for a token.

import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { Provider } from 'oidc-provider'

const start = JSON.parse(process.argv[2])
const issuer = `http://127.0.0.1:${start.port}`
/** What may change while it runs. */
const now = { seconds: 60, subjects: 'same', delayMs: 0, status: 0, audience: 'kafka', skewSeconds: 0, ...start.now }
let tokens = 0
// the same in its next life
let keys = [start.key]
let callback = open()

function newKey() {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: `key-${Math.random()}` }
}

function open() {
  const metadata = { redirect_uris: [], response_types: [], grant_types: ['client_credentials'], scope: 'kafka other' }
  const provider = new Provider(issuer, {
    clients: [
      {
        ...metadata,
        client_id: 'stream',
        client_secret: start.secret,
        token_endpoint_auth_method: 'client_secret_basic',
      },
      {
        ...metadata,
        client_id: 'poster',
        client_secret: start.secret,
        token_endpoint_auth_method: 'client_secret_post',
      },
      {
        ...metadata,
        client_id: 'vouched',
        token_endpoint_auth_method: 'private_key_jwt',
        token_endpoint_auth_signing_alg: 'ES256',
        jwks: { keys: [start.assertionKey] },
      },
    ],
    jwks: { keys },
    scopes: ['kafka', 'other', 'elsewhere'],
    ttl: { ClientCredentials: () => now.seconds },
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => 'https://kafka.test',
        getResourceServerInfo: () => ({
          scope: 'kafka other',
          audience: now.audience,
          accessTokenTTL: now.seconds,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
    formats: {
      customizers: {
        jwt(_, token, parts) {
          parts.payload.sub = now.subjects === 'same' ? 'stream' : `stream-${++tokens}`
          for (const claim of ['iat', 'exp', 'nbf'])
            if (parts.payload[claim] !== undefined) parts.payload[claim] += now.skewSeconds
        },
      },
    },
  })
  return provider.callback()
}

async function answer(request, response) {
  const isToken = request.url === '/token'
  if (now.skewSeconds !== 0) response.setHeader('date', new Date(Date.now() + now.skewSeconds * 1000).toUTCString())
  if (isToken) process.send?.({ asked: true })
  if (isToken && now.delayMs > 0) await sleep(now.delayMs)
  if (isToken && now.status > 0) response.writeHead(now.status).end()
  else callback(request, response)
}

const server = createServer((request, response) => void answer(request, response))

process.on('message', (told) => {
  Object.assign(now, told.now)
  if (told.keys === 'both') keys = [...keys, newKey()]
  if (told.keys === 'turn') keys = keys.toReversed()
  if (told.keys === 'hard') keys = [newKey()]
  if (told.keys !== undefined || told.now !== undefined) callback = open()
  process.send({ done: told.id })
})
process.on('disconnect', () => process.exit())
server.listen(start.port, '127.0.0.1', () => process.send({ listens: true }))
