// `serve` as a process on a file: killed at any moment and started again at the same address, with all it acknowledged.

import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import type { Children } from './children.ts'
import { MAX_BODY } from './kinds.ts'

/** A port that was just given up may be taken for a moment. */
const STARTS = 20
const START_AGAIN_MS = 200

export class ServiceProcess implements AsyncDisposable {
  readonly #children: Children
  readonly #options: readonly string[]
  #child: ChildProcess | undefined
  #port = 0
  /** Resolves while it answers. */
  #up: Promise<void> = Promise.resolve()

  private constructor(children: Children, options: readonly string[]) {
    this.#children = children
    this.#options = options
  }

  /** @param options of `serve`, beside port and the largest body */
  static async open(children: Children, options: readonly string[]): Promise<ServiceProcess> {
    const service = new ServiceProcess(children, options)
    await service.#start()
    return service
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** Ends it by a signal and, after a while, starts it again.
   *  @returns how many faults were waiting, and are forgotten */
  async restart(signal: 'SIGKILL' | 'SIGTERM', downMs: number): Promise<number> {
    let cleared = 0
    const again = async (): Promise<void> => {
      const answer = await this.#fetch('DELETE', '/_local/faults')
      cleared = (JSON.parse(answer!) as { cleared: number }).cleared
      await this.#end(signal)
      await wait(downMs)
      await this.#start()
    }
    await (this.#up = again())
    return cleared
  }

  /** Its answer's body, latin1; asked again while it is down. Undefined: 404. */
  async ask(method: string, path: string, body?: object): Promise<string | undefined> {
    for (;;) {
      await this.#up
      const during = this.#up
      try {
        return await this.#fetch(method, path, body)
      } catch (error) {
        if (during === this.#up) throw error
      }
    }
  }

  async #fetch(method: string, path: string, body?: object): Promise<string | undefined> {
    const answer = await fetch(`${this.url}${path}`, { method, ...(body && { body: JSON.stringify(body) }) })
    const bytes = Buffer.from(await answer.arrayBuffer())
    if (answer.status === 404) return undefined
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${bytes.toString()}`)
    return bytes.toString('latin1')
  }

  /** The rows of a table, latin1; none when it was never pushed. */
  async rows(table: string): Promise<string[]> {
    const body = await this.ask('GET', `/_local/tables/${table}`)
    // rows hold no line feed
    return body === undefined || body === '[]\n' ? [] : body.slice(1, -2).split(',\n')
  }

  /** Waits until nothing that its clients have sent so far can change a table any more.
   *  @param lateMs how long an answer is held back at most */
  async quiet(lateMs: number): Promise<void> {
    // an answer over a new connection: what lay in the sockets before has been read
    await this.ask('GET', '/_local/tables')
    await wait(lateMs + 50)
    await this.ask('GET', '/_local/tables')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#up.catch(() => {})
    await this.#end('SIGKILL')
  }

  async #start(): Promise<void> {
    for (let left = STARTS; ; left--) {
      const child = this.#children.start([
        'serve',
        '--port',
        String(this.#port),
        '--max-body',
        String(MAX_BODY),
        ...this.#options,
      ])
      this.#child = child
      const said = await greeting(child)
      const port = /"import_url":"http:\/\/127\.0\.0\.1:(\d+)"/.exec(said)?.[1]
      if (port !== undefined) {
        this.#port = Number(port)
        return
      }
      if (left === 0) throw new Error(`serve does not start: ${said}`)
      await wait(START_AGAIN_MS)
    }
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'close')
    child.kill(signal)
    await ended
  }
}

/** All it says until it listens, or ends. */
async function greeting(child: ChildProcess): Promise<string> {
  let said = ''
  child.stdin!.end()
  child.stderr!.on('data', (chunk: Buffer) => (said += chunk.toString()))
  return new Promise((resolve) => {
    child.stdout!.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      if (said.includes('"import_url"') && said.endsWith('\n')) resolve(said)
    })
    child.once('close', () => resolve(said))
  })
}
