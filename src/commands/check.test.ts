// Prerequisites that may fail, against real servers on this machine; and no output that holds the key. What else a check finds is in
// spec/broken-setups.

import { readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, test } from 'vitest'
import { ConnectorError } from '../core/errors.ts'
import type { Io } from '../process/io.ts'
import { ownFolder } from '../process/testing/own-folder.ts'
import { ioOf, NO_INPUT, Said } from '../process/testing/said.ts'
import { check, checkFault, type CheckOptions } from './check.ts'

const KEY = 'k/é+&=%"\\'
const QUICK = { connectMs: 2_000, longestMs: 2_000, retryMs: 1_000 }
const { trusted } = JSON.parse(
  readFileSync(new URL('../service/http/certificates.test.json', import.meta.url), 'utf8'),
) as {
  trusted: { certificate: string; key: string }
}

const folder = ownFolder('file')
const configFile = join(folder, 'config.json')

const servers: Server[] = []
const strays: unknown[] = []
const stray = (reason: unknown): number => strays.push(reason)
beforeEach(() => {
  process.on('unhandledRejection', stray)
})
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  process.off('unhandledRejection', stray)
  expect(strays.splice(0)).toEqual([])
})

type Handler = (request: IncomingMessage, response: ServerResponse) => void

async function listen(server: Server): Promise<number> {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

const serve = async (handler: Handler): Promise<string> => `http://127.0.0.1:${await listen(createServer(handler))}`

const AUTHENTICATE = `/v2/client/7/authenticate?apikey=${encodeURIComponent(KEY)}`

/** The service as the document shows it. */
const service: Handler = (request, response) => {
  const [status, body] =
    request.url === '/' ? [200, ''] : request.url === AUTHENTICATE ? [200, '{"code":200}'] : [404, '']
  response.writeHead(status).end(body)
}

/** Status as it should be, authenticate as given. */
const withAuthenticate =
  (status: number, body: string, headers: Record<string, string> = {}): Handler =>
  (request, response) => {
    if (request.url === '/') response.end()
    else response.writeHead(status, headers).end(body)
  }

interface Checked {
  readonly status: string
  readonly message: string
  /** The text on standard error, if that is a terminal. */
  readonly shown: string
}

async function run(config: unknown, options: Partial<CheckOptions> = {}, more: Partial<Io> = {}): Promise<Checked> {
  await writeFile(configFile, typeof config === 'string' ? config : JSON.stringify(config))
  const [out, err] = [new Said(), new Said()]
  expect(await check({ configFile, patience: QUICK, ...options }, ioOf(NO_INPUT, out, err, more))).toBe(0)
  const [output, shown] = [await out.text(), await err.text()]
  for (const form of [KEY, encodeURIComponent(KEY), encodeURI(KEY), JSON.stringify(KEY).slice(1, -1)]) {
    expect(output + shown).not.toContain(form)
    expect(output).not.toContain(JSON.stringify(form).slice(1, -1))
  }
  expect(output).toMatch(/^\{"type":"CONNECTION_STATUS","connectionStatus":\{"status":"[^\n]*\n$/)
  const told = (JSON.parse(output) as { connectionStatus: { status: string; message: string } }).connectionStatus
  return { ...told, shown }
}

const config = (import_url: string, more: object = {}): object => ({ import_url, client_id: 7, api_key: KEY, ...more })

test('all is well', async () => {
  const { status, message } = await run(config(await serve(service)))
  expect(status).toBe('SUCCEEDED')
  expect(message).toMatch(/^http:\/\/127\.0\.0\.1:\d+ is working and accepts the key for client 7\.$/)
})

test('with use_sandbox only the sandbox is asked', async () => {
  const asked: string[] = []
  const origin = await serve((request, response) => {
    asked.push(request.url!)
    response.end('{}')
  })
  const more = { use_sandbox: true, sandbox_import_url: `${origin}/sandbox/` }
  const { status, message } = await run(config('https://nowhere.invalid', more))
  expect(status).toBe('SUCCEEDED')
  expect(message).toContain('sandbox')
  expect(asked).toEqual(['/sandbox/', `/sandbox${AUTHENTICATE}`])
})

test('warnings are notes, also of a success', async () => {
  const { status, message } = await run(config(await serve(service), { max_point: 7 }))
  expect(status).toBe('SUCCEEDED')
  expect(message).toContain('did you mean `max_points`?')
})

test('the file for rejected records is tried with everything else, and not made', async () => {
  const more = { on_rejected: 'divert', rejected_file: join(folder, 'rejected.jsonl') }
  expect((await run(config(await serve(service), more))).status).toBe('SUCCEEDED')
  expect(readdirSync(folder)).toEqual(['config.json'])
  const nowhere = { ...more, rejected_file: join(folder, 'none', 'rejected.jsonl') }
  const { status, message } = await run(config('http://127.0.0.1:1', { ...nowhere, max_points: 0 }))
  expect(status).toBe('FAILED')
  for (const words of ['3 things', 'max_points', 'no such folder', '127.0.0.1:1']) expect(message).toContain(words)
  const idle = { ...nowhere, on_rejected: 'fail' }
  expect((await run(config(await serve(service), idle))).status).toBe('SUCCEEDED')
})

test.each<[string, Handler, RegExp]>([
  ['a bad request', withAuthenticate(400, '{"reasons":["apikey: absent"]}'), /answered 400 \(apikey: absent\)/],
  [
    'a page in its place',
    withAuthenticate(200, '<html><title>Sign in</title></html>'),
    /HTML page titled "Sign in".*import_url/,
  ],
  ['a page for everything', (_, response) => response.end('<!doctype html><p>hello'), /an HTML page.*import_url/],
  [
    'a redirect',
    (_, response) => response.writeHead(301, { location: 'https://elsewhere.example.com/secret/path' }).end(),
    /redirect to https:\/\/elsewhere\.example\.com\. .*import_url/,
  ],
  [
    'a failing service',
    (_, response) => response.writeHead(503).end('down'),
    /answered 503 \(down\): it is not working right now/,
  ],
  ['a stall', () => {}, /did not answer in time.*import_url/],
])('%s', async (_, handler, words) => {
  const patience = { ...QUICK, longestMs: 300, retryMs: 100 }
  const { status, message } = await run(config(await serve(handler)), { patience })
  expect(status).toBe('FAILED')
  expect(message).toMatch(words)
  expect(message).not.toContain('secret/path')
})

test('another web server is told by its page before anything else', async () => {
  const page = '<!DOCTYPE HTML><html><head><title>Error response</title></head></html>'
  const { message } = await run(config(await serve(withAuthenticate(404, page))))
  expect(message).toMatch(
    /for client 7 .*: this is not the import interface of the Analytics Service, as it seems: it answered with an HTML page titled "Error response". Or there is no such client. Check client_id/,
  )
})

test('an address that is refused for http has its name looked up all the same', async () => {
  const { status, message } = await run(config('http://nowhere.invalid'))
  expect(status).toBe('FAILED')
  expect(message).toMatch(/2 things.*uses http:.*the name nowhere\.invalid could not be resolved.*import_url/s)
})

test('what passes is tried again', async () => {
  let asked = 0
  const origin = await serve((request, response) => {
    if (++asked === 1) response.writeHead(503).end()
    else service(request, response)
  })
  expect((await run(config(origin))).status).toBe('SUCCEEDED')
})

test('status and key may both be wrong, and both are named', async () => {
  const origin = await serve((request, response) => response.writeHead(request.url === '/' ? 500 : 401).end())
  const { message } = await run(config(origin))
  expect(message).toMatch(/^2 things are wrong:\n1\. .*answered 500.*\n2\. .*answered 401/)
})

test('a path that is not there is told once, with its remedy', async () => {
  const origin = await serve((request, response) =>
    response.writeHead(404).end(JSON.stringify({ message: 'not found', reasons: [`${request.url} is no path`] })),
  )
  const { status, message } = await run(config(`${origin}/foo`))
  expect(status).toBe('FAILED')
  expect(message).toMatch(/404 .* when asked for its status.*import_url.*without \/v2.*a path that does not exist/)
  expect(message).toMatch(/\(So client_id and api_key could not be checked\.\)$/)
  expect(message).not.toMatch(/things are wrong|no such client|\n/)
})

test('other answers to address and client are told both', async () => {
  const origin = await serve((request, response) => response.writeHead(request.url === '/' ? 400 : 404).end())
  expect((await run(config(origin))).message).toMatch(/^2 things are wrong:\n1\. .*answered 400.*\n2\. .*answered 404/)
})

test('TLS nobody trusts, and trusted with its authority', async () => {
  const pair = { cert: trusted.certificate, key: trusted.key }
  const url = `https://localhost:${await listen(createTlsServer(pair, service))}`
  const { status, message } = await run(config(url))
  expect(status).toBe('FAILED')
  expect(message).toMatch(/DEPTH_ZERO_SELF_SIGNED_CERT.*ca_certificate/)
  expect((await run(config(url, { ca_certificate: trusted.certificate }))).status).toBe('SUCCEEDED')
})

test('a service that echoes address and key does not make us show it', async () => {
  const echo: Handler = (request, response) => {
    const url = `http://${request.headers.host}${request.url}`
    const forms = [url, decodeURIComponent(request.url!), JSON.stringify(KEY), Buffer.from(KEY).toString('base64')]
    response.writeHead(request.url === '/' ? 200 : 401).end(JSON.stringify({ message: url, reasons: forms }))
  }
  const { message } = await run(config(await serve(echo)))
  expect(message).toContain('******')
  expect(message).not.toContain(Buffer.from(KEY).toString('base64'))
})

test('bad options are all named, and what can be asked is asked beside', async () => {
  const origin = await serve(withAuthenticate(401, ''))
  const { status, message } = await run(config(origin, { max_points: 0, concurrency: 'x' }))
  expect(status).toBe('FAILED')
  expect(message).toMatch(/^3 things are wrong:\n1\. `max_points` .*\n2\. `concurrency` .*\n3\. .*answered 401/)
})

test('without client and key the address is tried all the same', async () => {
  const asked: string[] = []
  const origin = await serve((request, response) => {
    asked.push(request.url!)
    response.writeHead(500).end()
  })
  const { message } = await run({ import_url: origin })
  expect(message).toMatch(/`client_id` is required[^]*`api_key` is required[^]*answered 500/)
  expect(new Set(asked)).toEqual(new Set(['/']))
})

test.each([
  ['no address', { client_id: 7, api_key: KEY }, /`import_url` is required[^]*was not contacted/],
  ['rubbish', `{"api_key":${JSON.stringify(KEY)}`, /not valid JSON/],
  ['an empty file', '', /the file of --config is empty/],
  [
    'a key in the address',
    config(`https://import.example.com/?apikey=${encodeURIComponent(KEY)}`),
    /must contain no query/,
  ],
])('%s', async (_, file, words) => {
  const { status, message } = await run(file)
  expect(status).toBe('FAILED')
  expect(message).toMatch(words)
})

test('when it is to end, it says so at once', async () => {
  const abort = new AbortController()
  const origin = await serve(() => abort.abort())
  const { status, message } = await run(config(origin), {}, { signal: abort.signal })
  expect(status).toBe('FAILED')
  expect(message).toContain('was cancelled')
})

const DEFECT = 'The check itself failed, which is a bug in this program: please report it. '

it.each(['config', 'transient', 'system'] as const)('an error for the user is told in its own words (%s)', (kind) => {
  expect(
    checkFault(new ConnectorError(kind, 'program.fault', 'No broker answers.', { cause: new Error('inner') })),
  ).toEqual({ code: 'program.fault', text: 'No broker answers.' })
})

it.each([
  [new TypeError('x is undefined'), 'TypeError: x is undefined'],
  [new Error(''), 'Error: '],
  [Object.assign(new Error('gone'), { name: 'ConnectorError' }), 'ConnectorError: gone'],
  [new DOMException('too late', 'TimeoutError'), 'TimeoutError: too late'],
  ['a text', 'a text'],
  [undefined, 'undefined'],
])('anything else is a defect, with what was thrown: %s', (thrown, told) => {
  expect(checkFault(thrown)).toEqual({ code: 'program.fault', text: `${DEFECT}${told}` })
})

test('at a terminal each prerequisite has a line, and the protocol its own', async () => {
  const shown = async (given: object): Promise<string> => {
    const io = { env: { NO_COLOR: '1' }, errorSize: () => ({ columns: 80, rows: 24 }) }
    return (await run(given, {}, io)).shown.replaceAll(/\n {6}/g, ' ')
  }
  const origin = await serve(service)
  const file = join(folder, 'rejected.jsonl')
  const good = await shown(config(origin, { max_point: 7, on_rejected: 'divert', rejected_file: file }))
  expect(good).toMatch(/^ok {4}The configuration ".*config\.json" can be used\.\nwarn {2}.*did you mean `max_points`\?/)
  expect(good).toMatch(
    /\nok {4}The file for rejected records can be written\.\nok {4}http:.* is working and accepts the key/,
  )
  expect(good).toMatch(/\n\nwrite can start\.\n$/)
  const bad = await shown({ client_id: 7, api_key: KEY, max_points: 0 })
  expect(bad).toMatch(
    /^FAIL {2}`import_url` is required\. \[config\.option\]\nFAIL {2}`max_points` [^\n]*\. \[config\.option\] The service was not contacted/,
  )
  expect(bad).toMatch(/\n\n2 problems to fix before write can start\.\n$/)
  const down = await shown(config(await serve(withAuthenticate(401, ''))))
  expect(down).toMatch(/^ok {4}The configuration[^\n]*\nFAIL {2}http:[^\n]*the key is wrong/)
})
