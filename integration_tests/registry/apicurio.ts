// A real schema registry on this machine, from the jars of the test part. It ends with the process that started it, however
// that one ends. Its schemas lie in memory: they are gone when it stops, and ids begin at 1 again. Knows no test and no schema.

import { mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePorts, isFree } from '../kafka/free-port.ts'
import { GuardedProcess } from '../kafka/guarded-process.ts'
import { checkLeave, REGISTRY } from '../kafka/leave.ts'
import { findApicurio } from './find-apicurio.ts'

const READY_MS = 60_000
const STOP_MS = 30_000
const ASK_AGAIN_MS = 100
const ANSWER_MS = 5000
const LOG_LINES = 15
const TAKEN = 'is not free'
const QUIET = ['quarkus.log.console.level=WARN', 'quarkus.banner.enabled=false']

export interface ApicurioOptions {
  /** A free one when absent. */
  readonly port?: number
  /** As Java's -Xmx takes it, 300m when absent. */
  readonly heap?: string
  /** Ends the start, not the registry. */
  readonly signal?: AbortSignal
}

/** Tests get it from `describeApicurio` or `describeRegistry`. */
export type StartApicurio = (options?: ApicurioOptions) => Promise<Apicurio>

/** @throws in a test outside of its guard; when the jars or Java are absent, or it doesn't answer within 60 s: with the last
 *  lines of its log. */
export async function startApicurio(options: ApicurioOptions = {}): Promise<Apicurio> {
  checkLeave(REGISTRY, process.env)
  const found = await findApicurio(process.env, options.signal)
  if ('reason' in found) throw new Error(`No schema registry can be started: ${found.reason}`)
  for (let isLast = false; ; isLast = true) {
    const registry = await Apicurio.create(found, options)
    try {
      await registry.start(options.signal)
      return registry
    } catch (error) {
      await registry[Symbol.asyncDispose]()
      if (isLast || options.port !== undefined || !String(error).includes(TAKEN)) throw error
    }
  }
}

/** Disposed nothing of it is left. */
class Apicurio implements AsyncDisposable {
  readonly port: number
  /** Of Confluent's interface: `${url}/schemas/ids/1`. */
  readonly url: string
  readonly #folder: string
  readonly #command: readonly string[]
  #process: GuardedProcess | undefined

  private constructor(folder: string, port: number, command: readonly string[]) {
    this.#folder = folder
    this.port = port
    this.url = `http://127.0.0.1:${port}/apis/ccompat/v7`
    this.#command = command
  }

  /** A registry that is not started yet. */
  static async create(
    { java, jar }: { readonly java: string; readonly jar: string },
    { port, heap = '300m' }: ApicurioOptions,
  ): Promise<Apicurio> {
    const own = port ?? (await freePorts(1))[0]!
    const folder = await mkdtemp(join(tmpdir(), 'apicurio-'))
    const quickStart = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC']
    const settings = ['quarkus.http.host=127.0.0.1', `quarkus.http.port=${own}`, ...QUIET]
    const properties = [`java.io.tmpdir=${folder}`, ...settings].map((setting) => `-D${setting}`)
    return new Apicurio(folder, own, [java, `-Xmx${heap}`, ...quickStart, ...properties, '-jar', jar])
  }

  get isRunning(): boolean {
    return this.#process?.isAlive ?? false
  }

  /** What it said in all its starts: warnings and worse. */
  async log(): Promise<string> {
    return readFile(this.#logFile, 'utf8').catch(() => '')
  }

  /** Starts it, empty, unless it runs, and resolves once it answers. */
  async start(signal?: AbortSignal): Promise<void> {
    if (this.isRunning) return
    const before = (await this.log()).length
    try {
      await this.#run(signal)
    } catch (error) {
      await this.kill()
      signal?.throwIfAborted()
      const said = (await this.log()).slice(before).trimEnd().split('\n').slice(-LOG_LINES).join('\n')
      const more = said === '' ? '' : ` Its log ends with:\n${said}`
      throw new Error(`${(error as Error).message}${more}`, { cause: error })
    }
  }

  /** SIGTERM, and SIGKILL when it has not ended 30 s later. The port is kept, the schemas are gone. */
  async stop(): Promise<void> {
    const running = this.#process
    if (running === undefined) return
    running.send('SIGTERM')
    const limit = setTimeout(() => running.send('SIGKILL'), STOP_MS)
    await running.ended
    clearTimeout(limit)
  }

  /** SIGKILL. The port is kept, the schemas are gone. */
  async kill(): Promise<void> {
    this.#process?.send('SIGKILL')
    await this.#process?.ended
  }

  /** Registers a schema under a subject, as POST takes it. @returns its id @throws with what the registry said */
  async register(
    subject: string,
    schema: {
      readonly schema: string
      readonly schemaType?: 'AVRO' | 'PROTOBUF' | 'JSON'
      readonly references?: readonly { readonly name: string; readonly subject: string; readonly version: number }[]
    },
  ): Promise<number> {
    const response = await fetch(`${this.url}/subjects/${encodeURIComponent(subject)}/versions`, {
      method: 'POST',
      headers: { 'content-type': 'application/vnd.schemaregistry.v1+json' },
      body: JSON.stringify(schema),
      signal: AbortSignal.timeout(READY_MS),
    })
    const said = await response.text()
    if (!response.ok) throw new Error(`The registry did not take a schema of ${subject}: ${response.status} ${said}`)
    return (JSON.parse(said) as { id: number }).id
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 3 })
  }

  get #logFile(): string {
    return join(this.#folder, 'registry.log')
  }

  async #run(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted()
    // it would take a moment to find out, in which the other one's answers pass for its own
    if (!(await isFree(this.port))) throw new Error(`Port ${this.port} of 127.0.0.1 ${TAKEN}.`)
    await using log = await open(this.#logFile, 'a')
    const options = { environment: process.env, log: log.fd, doomed: this.#folder }
    this.#process = await GuardedProcess.start(this.#command, options)
    const limit = AbortSignal.timeout(READY_MS)
    const stopped = signal === undefined ? limit : AbortSignal.any([signal, limit])
    while (!(await answers(this.url, stopped))) {
      if (limit.aborted) throw new Error(`The schema registry did not answer within ${READY_MS / 1000} s.`)
      await sleep(ASK_AGAIN_MS, undefined, { signal: stopped }).catch(() => signal?.throwIfAborted())
      if (!this.isRunning) throw new Error('The schema registry ended while it started.')
    }
  }
}

export type { Apicurio }

async function answers(url: string, signal: AbortSignal): Promise<boolean> {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)])
    const response = await fetch(`${url}/subjects`, { signal: limit })
    await response.arrayBuffer()
    return response.ok
  } catch {
    return false
  }
}
