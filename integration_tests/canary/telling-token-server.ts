// A token server, and a registry, that tells everybody what it was asked with, in every trouble of troubles.ts. Without a trouble it
// gives tokens, each another one, which begin with TOKEN.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { listening } from '../../src/process/testing/listening.ts'
import { inAllForms } from './forms.ts'
import { pathOf, TROUBLES } from './troubles.ts'

/** What a login may send, and a text may spoil. */
export const TOKEN = "tok/en+'<7>&%="

export interface TellingTokenServer extends AsyncDisposable {
  /** @param trouble undefined: it gives tokens */
  url(trouble?: string): string
  /** How many tokens it gave. */
  readonly given: number
}

/** Troubles in the words of RFC 6749, beside those of troubles.ts. */
const WORDS = { '401 in words': (secret: string) => ({ error: 'invalid_client', error_description: secret }) }
export const TOKEN_TROUBLES: readonly string[] = [...Object.keys(TROUBLES), ...Object.keys(WORDS)].filter(
  (name) => name !== 'silence' && name !== 'none',
)

export async function startTellingTokenServer(): Promise<TellingTokenServer> {
  let given = 0
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    const key = secretOf(request, body)
    const url = `http://${request.headers.host}${request.url}?apikey=${encodeURIComponent(key)}`
    const names = [...Object.keys(TROUBLES), ...Object.keys(WORDS)]
    const name = names.find((trouble) => pathOf(trouble) === request.url!.split('/')[1])
    const json = { 'content-type': 'application/json' }
    if (name === undefined) {
      const token = { access_token: `${TOKEN}${++given}`, expires_in: 2, token_type: 'Bearer', echo: inAllForms(key) }
      response.writeHead(200, json)
      response.flushHeaders()
      // in a packet of its own, whose first bytes are the token's: debug output shows those
      await sleep(20)
      response.end(JSON.stringify(token))
    } else if (name in WORDS) {
      const words = WORDS[name as keyof typeof WORDS](`${key} ${inAllForms(key)}`)
      response.writeHead(401, json).end(JSON.stringify(words))
    } else TROUBLES[name]!({ response, socket: request.socket, url, key, body })
  }
  const server = await listening(createServer((request, response) => void answer(request, response)))
  return {
    url: (trouble) => `http://127.0.0.1:${server.port}/${trouble === undefined ? 'token' : pathOf(trouble)}`,
    get given() {
      return given
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

/** Of the client: in the header, or in the form. Of a registry's: its token. */
function secretOf({ headers: { authorization = '' } }: IncomingMessage, body: string): string {
  if (authorization.startsWith('Bearer ')) return authorization.slice(7)
  const form = new URLSearchParams(body)
  const pair = Buffer.from(authorization.slice(6), 'base64').toString()
  const inHeader = new URLSearchParams(pair.replace(/^[^:]*:/, 's=')).get('s')
  return form.get('client_secret') ?? form.get('client_assertion') ?? inHeader ?? ''
}
