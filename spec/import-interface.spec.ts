// The contract of the import interface, replayed: each file in import-interface/ is a conversation with one local
// service. Knows how files are written and nothing of what is in them.

import { readdirSync, readFileSync } from 'node:fs'
import { type IncomingHttpHeaders, request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { startLocalService } from '../src/local-service/start.ts'
import type { LocalServiceOptions } from '../src/local-service/context.ts'

interface Conversation {
  readonly title: string
  /** Where the contract says so. */
  readonly source: string
  /** Options of the local service; `now` stands still. */
  readonly service?: Omit<LocalServiceOptions, 'now'> & { readonly now?: number }
  readonly exchanges: readonly Exchange[]
  /** What the tables of the only client hold in the end; null: the table does not exist. */
  readonly rows?: Readonly<Record<string, readonly string[] | null>>
}

interface Exchange {
  readonly situation?: string
  /** Method and target, sent as they stand here. */
  readonly request: string
  /** null: without that header. */
  readonly headers?: Readonly<Record<string, string | null>>
  /** Text, bytes, or an array of `times` copies with `#` replaced by 0, 1, 2 … */
  readonly body?: string | { readonly base64: string } | { readonly repeat: string; readonly times: number }
  readonly answer: Expected
}

interface Expected {
  readonly status?: number
  /** The connection is reset instead. */
  readonly reset?: true
  /** Patterns. */
  readonly headers?: Readonly<Record<string, string>>
  /** The whole body, parsed; `{"matches": pattern}` stands for any text of that pattern. */
  readonly body?: unknown
  /** The whole body, as it is. */
  readonly text?: string
}

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

const folder = new URL('import-interface/', import.meta.url)

for (const file of readdirSync(folder).sort()) {
  const { title, source, service, exchanges, rows } = JSON.parse(
    readFileSync(new URL(file, folder), 'utf8'),
  ) as Conversation

  describe(`${title} (${source})`, () => {
    it(file, async () => {
      const { now, ...options } = service ?? {}
      await using local = await startLocalService({ ...options, ...(now === undefined ? {} : { now: () => now }) })
      for (const [index, exchange] of exchanges.entries()) {
        await check(local.port, exchange, `exchange ${index}: ${exchange.request} ${exchange.situation ?? ''}`)
      }
      for (const [table, expected] of Object.entries(rows ?? {})) {
        const exists = local.tables().some((it) => it.table === table)
        expect(exists ? local.rows(table, 7) : null, `rows of ${table}`).toEqual(expected)
      }
    })
  })
}

async function check(port: number, exchange: Exchange, name: string): Promise<void> {
  const { status, reset, headers = {}, body, text } = exchange.answer
  if (reset) {
    await expect(send(port, exchange), name).rejects.toMatchObject({ code: 'ECONNRESET' })
    return
  }
  const answer = await send(port, exchange)
  expect(answer.status, `${name}\n${answer.text}`).toBe(status)
  expect(answer.headers['content-type'], name).toBeDefined()
  for (const [header, pattern] of Object.entries(headers)) {
    expect(answer.headers[header], `${name}, ${header}`).toMatch(new RegExp(pattern))
  }
  if (text !== undefined) expect(answer.text, name).toBe(text)
  if (body !== undefined) expect(JSON.parse(answer.text), name).toEqual(pattern(body))
}

function pattern(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pattern)
  if (typeof value !== 'object' || value === null) return value
  if ('matches' in value) return expect.stringMatching(new RegExp(String(value.matches)))
  return Object.fromEntries(Object.entries(value).map(([name, it]) => [name, pattern(it)]))
}

/** Not fetch: it tidies paths up. */
function send(port: number, exchange: Exchange): Promise<Answer> {
  const [method, path] = exchange.request.split(' ') as [string, string]
  const body = bytesOf(exchange.body)
  const headers = Object.entries({
    ...(body && { 'Content-Type': 'application/json', 'Content-Length': String(body.length) }),
    ...(exchange.headers?.['Transfer-Encoding'] && { 'Content-Length': null }),
    ...exchange.headers,
  }).filter((header): header is [string, string] => header[1] !== null)
  return new Promise((resolve, reject) => {
    const sent = request({ port, method, path, headers: Object.fromEntries(headers), agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({
          status: response.statusCode!,
          headers: response.headers,
          text: Buffer.concat(chunks).toString(),
        }),
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

function bytesOf(body: Exchange['body']): Buffer | undefined {
  if (body === undefined) return undefined
  if (typeof body === 'string') return Buffer.from(body)
  if ('base64' in body) return Buffer.from(body.base64, 'base64')
  const copies = Array.from({ length: body.times }, (_, index) => body.repeat.replaceAll('#', String(index)))
  return Buffer.from(`[${copies.join(',')}]`)
}
