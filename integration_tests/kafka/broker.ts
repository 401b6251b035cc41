// A real Kafka broker on this machine, alone in its cluster, from the jars of the test part. It ends with the process that
// started it, however that one ends. Knows no test and no client.

import { access, mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { kafkaVersion } from '../tools/test-parts/kafka.ts'
import { answers } from './answers.ts'
import { drawClusterId, listenerNames, log4j2Properties, serverProperties } from './broker-files.ts'
import type { Listeners, Ports } from './broker-files.ts'
import { findKafka } from './find-kafka.ts'
import { freePorts } from './free-port.ts'
import { GuardedProcess } from './guarded-process.ts'
import { BROKER, checkLeave } from './leave.ts'

const READY_MS = 60_000
const STOP_MS = 30_000
const ASK_AGAIN_MS = 100
const LOG_LINES = 15
const QUICK_START = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC']

export interface BrokerOptions {
  /** Of Kafka; KAFKA_VERSION or the usual one when absent. */
  readonly version?: string
  /** As Java's -Xmx takes it, 256m when absent. */
  readonly heap?: string
  /** Java starts quickly and runs slowly; true when absent. False for measuring. */
  readonly quickStart?: boolean
  /** Lines of server.properties, over the usual ones. */
  readonly properties?: Readonly<Record<string, string>>
  /** Listeners besides PLAINTEXT, by name in upper case, with their security protocols: `{ TLS: 'SSL' }`. */
  readonly listeners?: Listeners
  /** More for `StorageTool format`: `['-S', 'SCRAM-SHA-256=[name=alice,password=secret]']`. */
  readonly formatArgs?: readonly string[]
  /** Loggers that say everything, by their names. */
  readonly loud?: readonly string[]
  /** More arguments for Java, as `-Dname=value`. */
  readonly javaArgs?: readonly string[]
  /** The port of PLAINTEXT; a free one when absent. */
  readonly port?: number
  /** Of other listeners, by their names; free ones when absent. */
  readonly ports?: Ports
  /** A folder that is kept: empty, or an earlier broker's. A temporary one when absent. */
  readonly folder?: string
  /** Ends the start, not the broker. */
  readonly signal?: AbortSignal
}

/** Tests get it from `describeOwnKafka`. */
export type StartBroker = (options?: BrokerOptions) => Promise<Broker>

/** @throws in a test outside of its guard; when the jars or Java are absent, or the broker doesn't answer within 60 s: with the
 *  last lines of its log. */
export async function startBroker(options: BrokerOptions = {}): Promise<Broker> {
  checkLeave(BROKER, process.env)
  const kafka = await findKafka(options.version ?? kafkaVersion(process.env), process.env, options.signal)
  if ('reason' in kafka) throw new Error(`No Kafka broker can be started: ${kafka.reason}`)
  for (let isLast = false; ; isLast = true) {
    const broker = await Broker.create([kafka.java, '-cp', kafka.classPath], options)
    try {
      await broker.start(options.signal)
      return broker
    } catch (error) {
      await broker[Symbol.asyncDispose]()
      // another process may take a port between the draw and the start
      if (isLast || options.port !== undefined || !/Address already in use/.test(String(error))) throw error
    }
  }
}

class Broker implements AsyncDisposable {
  /** All listeners' ports by their names, CONTROLLER among them. */
  readonly ports: Ports
  readonly folder: string
  readonly #java: readonly string[]
  readonly #options: BrokerOptions
  #process: GuardedProcess | undefined

  private constructor(folder: string, ports: Ports, java: readonly string[], options: BrokerOptions) {
    this.folder = folder
    this.ports = ports
    this.#java = java
    this.#options = options
  }

  /** A broker that is not started yet. @param java its command with the class path */
  static async create(java: readonly string[], options: BrokerOptions): Promise<Broker> {
    const names = listenerNames(options.listeners ?? {})
    const drawn = await freePorts(names.length)
    const ports = Object.fromEntries(names.map((name, index) => [name, drawn[index]!]))
    Object.assign(ports, options.ports)
    if (options.port !== undefined) ports['PLAINTEXT'] = options.port
    const folder = resolve(options.folder ?? (await mkdtemp(join(tmpdir(), 'kafka-broker-'))))
    if (folder.includes(',')) throw new Error(`Kafka takes no folder with a comma in its name: ${folder}`)
    await mkdir(folder, { recursive: true })
    return new Broker(folder, ports, java, options)
  }

  /** `host:port` of PLAINTEXT. */
  get bootstrap(): string {
    return this.address('PLAINTEXT')
  }

  /** Of the running broker, for signals of the test's own; undefined while there is none. */
  get pid(): number | undefined {
    return this.#process?.isAlive ? this.#process.pid : undefined
  }

  /** `host:port` of a listener. */
  address(listener: string): string {
    const port = this.ports[listener]
    if (port === undefined) throw new Error(`the broker has no listener ${listener}`)
    return `127.0.0.1:${port}`
  }

  /** What the broker said in all its starts: warnings and worse. */
  async log(): Promise<string> {
    return readFile(this.#at('broker.log'), 'utf8').catch(() => '')
  }

  /** Starts it unless it runs, and resolves once it answers. What it kept from an earlier start is there. */
  async start(signal?: AbortSignal): Promise<void> {
    if (this.#process?.isAlive) return
    const before = (await this.log()).length
    try {
      await this.#writeFiles()
      if (!(await exists(this.#at('data/meta.properties')))) await this.#format(signal)
      await this.#run(signal)
    } catch (error) {
      await this.kill()
      signal?.throwIfAborted()
      const said = (await this.log()).slice(before)
      throw new Error(`${(error as Error).message} Its log ends with:\n${lastLines(said)}`, { cause: error })
    }
  }

  /** Resolves when it is not running, whoever ended it. */
  async ended(): Promise<void> {
    await this.#process?.ended
  }

  /** SIGTERM, and SIGKILL when it has not ended 30 s later. Data and ports are kept. */
  async stop(): Promise<void> {
    const running = this.#process
    if (running === undefined) return
    running.send('SIGTERM')
    const limit = setTimeout(() => running.send('SIGKILL'), STOP_MS)
    await running.ended
    clearTimeout(limit)
  }

  /** SIGKILL: as if the machine had lost its power. Data and ports are kept; the next start takes about 3 s longer. */
  async kill(): Promise<void> {
    this.#process?.send('SIGKILL')
    await this.#process?.ended
  }

  /** Stops it unless it has ended, then starts it with the same data on the same ports. */
  async restart(signal?: AbortSignal): Promise<void> {
    await this.stop()
    await this.start(signal)
  }

  /** Ends it and removes its folder; one that was given is kept, and the broker stops in good order. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#options.folder !== undefined) return this.stop()
    await this.kill()
    await rm(this.folder, { recursive: true, force: true, maxRetries: 3 })
  }

  #at(name: string): string {
    return join(this.folder, name)
  }

  async #writeFiles(): Promise<void> {
    const { listeners = {}, properties = {} } = this.#options
    await writeFile(
      this.#at('server.properties'),
      serverProperties(this.#at('data'), this.ports, listeners, properties),
      { mode: 0o600 },
    )
    await writeFile(this.#at('log4j2.properties'), log4j2Properties(this.#options.loud))
    // what the codecs unpack there, a broker that is killed leaves
    await rm(this.#at('tmp'), { recursive: true, force: true })
    await mkdir(this.#at('tmp'))
  }

  async #format(signal: AbortSignal | undefined): Promise<void> {
    const more = this.#options.formatArgs ?? []
    const id = drawClusterId()
    const program = ['kafka.tools.StorageTool', 'format', '--cluster-id', id, '--config', this.#at('server.properties')]
    await this.#spawn([...program, ...more], signal)
    const { code } = await this.#process!.ended
    if (code !== 0) throw new Error('The folder of the Kafka broker could not be formatted.')
  }

  async #run(signal: AbortSignal | undefined): Promise<void> {
    await this.#spawn([`-Xmx${this.#options.heap ?? '256m'}`, 'kafka.Kafka', this.#at('server.properties')], signal)
    const limit = AbortSignal.timeout(READY_MS)
    const stopped = signal === undefined ? limit : AbortSignal.any([signal, limit])
    while (!(await answers(this.ports['PLAINTEXT']!, stopped))) {
      if (limit.aborted) throw new Error(`The Kafka broker did not answer within ${READY_MS / 1000} s.`)
      await sleep(ASK_AGAIN_MS, undefined, { signal: stopped }).catch(() => signal?.throwIfAborted())
      if (!this.#process!.isAlive) throw new Error('The Kafka broker ended while it started.')
    }
    // an answer may be that of a stranger who took the port
    if (!this.#process!.isAlive) throw new Error('The Kafka broker ended while it started.')
  }

  /** @param signal kills it as long as it starts */
  async #spawn(args: readonly string[], signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted()
    const quick = (this.#options.quickStart ?? true) ? QUICK_START : []
    const places = [
      `-Djava.io.tmpdir=${this.#at('tmp')}`,
      `-Dlog4j2.configurationFile=${this.#at('log4j2.properties')}`,
      SIMPLE_LOGGER,
      ...(this.#options.javaArgs ?? []),
    ]
    await using log = await open(this.#at('broker.log'), 'a')
    this.#process = await GuardedProcess.start([...this.#java, ...quick, ...places, ...args], {
      environment: process.env,
      log: log.fd,
      doomed: this.#options.folder === undefined ? this.folder : undefined,
    })
  }
}

export type { Broker }

/** Kafka 3's logger knows no file of log4j2. */
const SIMPLE_LOGGER = '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn'

/** Without the stack traces, which would leave no room for what happened. */
function lastLines(log: string): string {
  const lines = log.split('\n').filter((line) => line !== '' && !/^\s+(?:at |\.\.\. )/.test(line))
  return lines.slice(-LOG_LINES).join('\n')
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
