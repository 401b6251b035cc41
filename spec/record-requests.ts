// Stands before a service and writes down each request as it came over the wire: names of headers in their case, all of
// them, bodies as bytes.

import { createServer, request as send, type IncomingMessage } from 'node:http'
import { listening } from '../src/process/testing/listening.ts'

export interface Recorded {
  readonly method: string
  /** With its query. */
  readonly path: string
  /** Names and values in the order they came. */
  readonly headers: readonly (readonly [string, string])[]
  readonly body: string
}

/** Listens on 127.0.0.1 and passes everything on to `target`. @param recorded gets each request once it is whole */
export async function startRecorder(
  target: string,
  recorded: (request: Recorded) => void,
): Promise<AsyncDisposable & { readonly url: string }> {
  const opened = await listening(
    createServer((request, response) => {
      void (async () => {
        const body = await wholeBody(request)
        const { method = '', url = '', rawHeaders } = request
        recorded({ method, path: url, headers: pairs(rawHeaders), body: body.toString('utf8') })
        const passed = send(`${target}${url}`, { method, headers: request.headers, agent: false }, (answer) => {
          response.writeHead(answer.statusCode!, answer.headers)
          answer.pipe(response)
        })
        passed.on('error', () => response.destroy())
        passed.end(body)
      })()
    }),
  )
  return { url: `http://127.0.0.1:${opened.port}`, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() }
}

async function wholeBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

function pairs(raw: readonly string[]): [string, string][] {
  return raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1]!]] : []))
}
