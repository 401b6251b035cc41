// A service that speaks interface A, and tells everybody every secret there is: in all that it answers when all goes well,
// and in every trouble of troubles.ts where it is to have one.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { listening } from '../../src/process/testing/listening.ts'
import { inAllForms } from './forms.ts'
import { TROUBLES } from './troubles.ts'

export interface Told {
  /** By endpoint: what goes wrong there, each time. */
  readonly troubles?: Readonly<Record<string, string>>
  /** By endpoint: the state a job is in; absent: completed. */
  readonly states?: Readonly<Record<string, string>>
  /** By endpoint: members of its answer. */
  readonly answers?: Readonly<Record<string, object>>
  readonly onCall?: (endpoint: string) => void
  /** Absent: no TLS. */
  readonly tls?: { readonly cert: string; readonly key: string; readonly ca: string }
}

export interface CanaryService extends AsyncDisposable {
  readonly url: string
  /** How often each endpoint was called. */
  readonly calls: ReadonlyMap<string, number>
}

const PATHS: readonly (readonly [endpoint: string, method: string, path: RegExp])[] = [
  ['A1', 'POST', /^\/v1\/tokens$/],
  ['A2', 'POST', /^\/v3\/signups$/],
  ['A3', 'GET', /^\/v3\/signups\/[^/]+$/],
  ['A4', 'POST', /^\/v3\/invites$/],
  ['A5', 'PUT', /^\/v1\/clients\/\d+$/],
  ['A6', 'POST', /^\/v1\/v2\/clients\/\d+\/connections\/input-connections$/],
  ['A7', 'GET', /^\/v1\/v2\/clients\/\d+\/connections\/input-connections$/],
  ['A8', 'POST', /^\/v2\/client\/\d+\/job$/],
  ['A9', 'GET', /^\/v2\/client\/\d+\/job\/type\/\d+$/],
  ['A10', 'POST', /^\/v1\/clients\/\d+\/autodash$/],
  ['A11', 'GET', /^\/v1\/clients\/\d+\/autodash\/[^/]+$/],
]

/** Node's debug output shows the first 50 bytes of whatever arrives, before anybody can know that a token is in it. */
const FIRST = { 'x-first': 'nothing yet '.repeat(5).trim() }

/** @param secrets the first is the token, the second the refresh token
 *  @param more told as it is */
export async function startCanaryService(
  secrets: readonly string[],
  more: string,
  told: Told = {},
): Promise<CanaryService> {
  const calls = new Map<string, number>()
  const all = secrets.join(' ')
  const echo = { echo: secrets, message: `${inAllForms(all)} ${more}` }
  const answers = answersOf(secrets, told.states ?? {})
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const path = request.url!.split('?')[0]!
    const [endpoint] = PATHS.find(([, method, pattern]) => method === request.method && pattern.test(path))!
    calls.set(endpoint, (calls.get(endpoint) ?? 0) + 1)
    told.onCall?.(endpoint)
    const trouble = told.troubles?.[endpoint]
    if (trouble !== undefined) {
      // a token that nobody was given is no secret yet
      const known = endpoint === 'A1' ? secrets.slice(2).join(' ') : all
      const url = `http://${request.headers.host}${path}?all=${encodeURIComponent(known)}`
      const body = `${Buffer.concat(chunks).toString()} ${JSON.stringify(request.headers)} ${more}`
      TROUBLES[trouble]!({ response, socket: request.socket, url, key: known, body })
      return
    }
    const good = { ...answers[endpoint], ...told.answers?.[endpoint] }
    const body = endpoint === 'A7' || endpoint === 'A9' ? [{ ...echo, ...good }] : { ...echo, ...good }
    response.writeHead(200, { ...FIRST, 'x-all': encodeURIComponent(all) }).end(JSON.stringify(body))
  }
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => void answer(request, response)
  const server = told.tls
    ? createTlsServer({ ...told.tls, requestCert: true, rejectUnauthorized: true }, onRequest)
    : createServer(onRequest)
  const opened = await listening(server)
  return {
    url: told.tls ? `https://localhost:${opened.port}` : `http://127.0.0.1:${opened.port}`,
    calls,
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  }
}

function answersOf(
  [token, refresh, ...others]: readonly string[],
  states: Readonly<Record<string, string>>,
): Readonly<Record<string, object>> {
  const status = (endpoint: string): string => states[endpoint] ?? 'completed'
  return {
    A1: { id: 1, access_token: token, refresh_token: refresh, user_id: 5, expires_in: 14_400 },
    A2: { id: 'signup-1', url: `http://127.0.0.1/${encodeURIComponent(others.join(' '))}` },
    A3: { id: 'signup-1', status: status('A3'), client_id: 9, pubkey: `ssh-ed25519 ${others.join(' ')}` },
    A4: { id: 11 },
    A5: {},
    A6: { id: 12 },
    A7: { id: 12, name: 'store', status: status('A7') },
    A8: { id: 13 },
    A9: { id: 13, status: { name: status('A9'), id: 3 }, type: { name: 'Connection Test', id: 27 } },
    A10: { id: 'dash-1' },
    A11: { job_id: 'dash-1', status: status('A11') },
  }
}
