// Runs the connector against a service with a shape for a while, on input that does not end, and says what the service
// saw. Knows no bars.

import { fork, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Inputs } from '../inputs.ts'
import type { Shape, Tenth } from './shape.ts'

export interface Run {
  readonly shape: Shape
  /** Options of the config beside address, client and key. */
  readonly options: Readonly<Record<string, unknown>>
  readonly seconds: number
}

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

export class ShapedServer implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly url: string

  constructor(child: ChildProcess, port: number) {
    this.#child = child
    this.url = `http://127.0.0.1:${port}`
  }

  static async start(): Promise<ShapedServer> {
    const child = fork(fileURLToPath(new URL('shaped-server.ts', import.meta.url)))
    const [message] = (await once(child, 'message')) as [{ port: number }]
    return new ShapedServer(child, message.port)
  }

  async become(shape: Shape): Promise<void> {
    this.#child.send({ shape })
    await once(this.#child, 'message')
  }

  async seen(): Promise<Tenth[]> {
    this.#child.send({})
    const [message] = (await once(this.#child, 'message')) as [{ tenths: Tenth[] }]
    return message.tenths
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, 'exit')
    this.#child.disconnect()
    await ended
  }
}

/** What the service saw in each tenth of a second, from its first upsert on; start-up is not in it. */
export async function runShaped(run: Run, server: ShapedServer, inputs: Inputs): Promise<Tenth[]> {
  await server.become(run.shape)
  const config = inputs.config(server.url, run.options)
  const { files } = inputs.messages('small')
  const script = `while cat ${files.join(' ')}; do :; done 2>/dev/null | exec '${process.execPath}' '${MAIN}' write --config '${config}' --catalog '${inputs.catalog('append_dedup')}' >/dev/null`
  const child = spawn('sh', ['-c', script], { stdio: 'ignore', detached: true, env: { PATH: process.env['PATH'] } })
  const ended = once(child, 'exit')
  await new Promise((resolve) => setTimeout(resolve, run.seconds * 1000))
  if (child.exitCode !== null) throw new Error(`the connector ended early with exit code ${child.exitCode}`)
  const seen = await server.seen()
  process.kill(-child.pid!, 'SIGKILL')
  await ended
  return seen
}
