// What PyAirbyte is tried on: our executable as an installation leaves it, a local service, sources whose words are kept, and
// a folder that takes whatever PyAirbyte writes. Whoever asks for an address beyond this machine is refused and noted.

import { execFile } from 'node:child_process'
import { chmod, copyFile, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startLocalService, type LocalService } from '../../../src/local-service/start.ts'
import { openOutside, type Outside } from './outside.ts'
import { parse, type Data } from './rows.ts'
import { runGroup, type Done } from './run-group.ts'

const CHECKOUT = fileURLToPath(new URL('../../../', import.meta.url))
const LIMIT_SECONDS = 240
const CLIENTS = 30

export const EXECUTABLE = 'destination-analytics-service'
/** The same, started by a wrapper that keeps what comes in. */
export const TEED_EXECUTABLE = 'teed-destination'

export interface Parts {
  /** Folders of the Python environments. */
  readonly pyairbyte: string
  readonly sourceFaker: string
}

export interface Given {
  readonly parts: Parts
  readonly signal: AbortSignal
  /** This process's by default. */
  readonly env?: NodeJS.ProcessEnv
}

export interface Config {
  readonly import_url: string
  readonly client_id: number
  readonly api_key: string
}

interface RecordMessage {
  readonly type: string
  readonly record: { readonly stream: string; readonly data: Data }
}

export class Stage implements AsyncDisposable {
  readonly service: LocalService
  readonly outside: Outside
  readonly #folder: string
  readonly #parts: Parts
  readonly #signal: AbortSignal
  readonly #env: NodeJS.ProcessEnv
  #clients = 0
  #works = 0

  private constructor(folder: string, given: Given, service: LocalService, outside: Outside) {
    this.#folder = folder
    this.#parts = given.parts
    this.#signal = given.signal
    this.#env = given.env ?? process.env
    this.service = service
    this.outside = outside
  }

  static async set(given: Given): Promise<Stage> {
    const folder = await mkdtemp(join(tmpdir(), 'pyairbyte-'))
    const clients = Array.from({ length: CLIENTS }, (_, index) => ({ id: 100 + index, key: `key-${index}` }))
    const service = await startLocalService({ clients: [{ id: 7, key: 'demo-key' }, ...clients] })
    const stage = new Stage(folder, given, service, await openOutside())
    try {
      await stage.#install()
      return stage
    } catch (error) {
      await stage[Symbol.asyncDispose]()
      throw error
    }
  }

  /** The config of a client who has no tables yet. */
  config(): Config {
    const index = this.#clients++
    return { import_url: this.service.url, client_id: 100 + index, api_key: `key-${index}` }
  }

  /** The path of one of the executables. */
  program(name: string): string {
    return join(this.#folder, 'bin', name)
  }

  /** An empty folder to work in, with PyAirbyte's default cache. */
  async work(): Promise<string> {
    const folder = join(this.#folder, `work-${++this.#works}`)
    await mkdir(folder)
    return folder
  }

  /** Runs a program of PyAirbyte's environment. @param capture where the wrappers keep their copies */
  async run(
    program: string,
    args: readonly string[],
    folder: string,
    capture = join(folder, 'capture'),
  ): Promise<Done> {
    return runGroup(join(this.#parts.pyairbyte, 'bin', program), args, {
      cwd: folder,
      env: { ...this.#environment(), CAPTURE: capture },
      signal: AbortSignal.any([this.#signal, AbortSignal.timeout(LIMIT_SECONDS * 1000)]),
    })
  }

  /** The tables of a client and their rows, as the local service gives them. */
  async tables({ client_id: id }: Pick<Config, 'client_id'>): Promise<Map<string, Data[]>> {
    const get = async (path: string): Promise<unknown> =>
      parse(await (await fetch(`${this.service.url}${path}`)).text())
    const sizes = (await get('/_local/tables')) as { client_id: bigint; table: string }[]
    const tables = new Map<string, Data[]>()
    for (const { client_id: client, table } of sizes)
      if (client === BigInt(id)) tables.set(table, (await get(`/_local/tables/${table}?client_id=${id}`)) as Data[])
    return tables
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]()
    await this.outside[Symbol.asyncDispose]()
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 3 })
  }

  async #install(): Promise<void> {
    const at = (...path: string[]): string => join(this.#folder, ...path)
    for (const name of ['bin', 'home', 'tmp', 'package']) await mkdir(at(name))
    const main = at('package', 'dist', 'main.js')
    await promisify(execFile)(
      join(CHECKOUT, 'node_modules', '.bin', 'rolldown'),
      ['--config', 'rolldown.config.ts', '--dir', dirname(main)],
      { cwd: CHECKOUT, env: this.#environment() },
    )
    await copyFile(join(CHECKOUT, 'package.json'), at('package', 'package.json'))
    await cp(join(CHECKOUT, 'spec'), at('package', 'spec'), { recursive: true })
    await chmod(main, 0o755)
    await symlink(main, at('bin', EXECUTABLE))
    const script = async (name: string, text: string): Promise<void> => {
      await writeFile(at('bin', name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
    }
    // what a source says while it discovers and reads, what the destination is given to write
    const kept = (source: string): string =>
      `case "$1" in discover | read) '${source}' "$@" | tee -a "$CAPTURE.$1" ;; *) exec '${source}' "$@" ;; esac`
    await script('source-faker', kept(join(this.#parts.sourceFaker, 'bin', 'source-faker')))
    await script('source-smoke-test', kept(join(this.#parts.pyairbyte, 'bin', 'source-smoke-test')))
    await script(TEED_EXECUTABLE, `tee -a "$CAPTURE.write" | '${main}' "$@"`)
  }

  #environment(): NodeJS.ProcessEnv {
    const own = Object.entries(this.#env).filter(([name]) => !/^(?:AIRBYTE_|PYTHON|CI$)|_proxy$/i.test(name))
    const at = (name: string): string => join(this.#folder, name)
    const { url } = this.outside
    return {
      ...Object.fromEntries(own),
      PATH: [at('bin'), dirname(process.execPath), join(this.#parts.pyairbyte, 'bin'), this.#env['PATH']].join(':'),
      HOME: at('home'),
      TMPDIR: at('tmp'),
      AIRBYTE_LOGGING_ROOT: at('logs'),
      // no registry of connectors, no telemetry
      AIRBYTE_OFFLINE_MODE: '1',
      DO_NOT_TRACK: '1',
      PYTHONWARNINGS: 'ignore',
      NO_COLOR: '1',
      HTTP_PROXY: url,
      HTTPS_PROXY: url,
      NO_PROXY: '127.0.0.1',
    }
  }
}

/** The records in a copy that a wrapper kept, by stream, in order. */
export async function readRecords(capture: string): Promise<Map<string, Data[]>> {
  const streams = new Map<string, Data[]>()
  for (const line of (await readFile(capture, 'utf8')).split('\n')) {
    if (!line.startsWith('{')) continue
    const { type, record } = parse(line) as RecordMessage
    if (type !== 'RECORD') continue
    const records = streams.get(record.stream)
    if (records === undefined) streams.set(record.stream, [record.data])
    else records.push(record.data)
  }
  return streams
}
