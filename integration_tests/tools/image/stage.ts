// The stage of a run as a platform sets it: a folder shared by the connector and who feeds it, named pipes in it, a network
// with the local service and nothing else. Knows how the connector is started, not what it should answer.

import { randomBytes } from 'node:crypto'
import { ended, type Docker, type Ran } from './docker.ts'

export const KEY = 'image-test-key'
/** In the connector's words. */
export const CONFIG = { import_url: 'http://service:8585', client_id: 7, api_key: KEY, allow_insecure_http: true }

const CONFIG_OPTION = '--config /dest/connectorConfig.json'
const COMMANDS = {
  spec: 'spec',
  check: `check ${CONFIG_OPTION}`,
  write: `write ${CONFIG_OPTION} --catalog /dest/catalog.json`,
} as const
const STREAMS = ['stdin', 'stdout', 'stderr'] as const

/** Printed behind what is run, where the engine shows it: of either version of control groups. */
const MEASURE = `
  cd /sys/fs/cgroup
  cat memory.peak memory/memory.max_usage_in_bytes 2>/dev/null
  [ ! -e memory.events ] || while read -r name count; do [ "$name" != max ] || echo "$count"; done <memory.events
  cat memory/memory.failcnt 2>/dev/null`

/** How a connector ended. */
export interface Finished extends Ran {
  readonly messages: readonly { type: string; [member: string]: unknown }[]
  /** Of its container, the most memory at a time. */
  readonly peakBytes?: number
  /** How often there was no more to have. */
  readonly timesAtLimit?: number
}

export interface PlatformRun {
  readonly input?: string
  /** Prints the input on the stage, instead. */
  readonly feeder?: string
  /** Options of the command. */
  readonly more?: string
  /** Options of the container. */
  readonly options?: readonly string[]
  readonly limitSeconds?: number
}

export class Stage {
  readonly #docker: Docker
  readonly #image: string
  /** The name of everything that belongs to this stage, and its label. */
  readonly #name = `analytics-image-test-${randomBytes(4).toString('hex')}`
  /** As pods run it: no root, no capabilities; stricter: nothing to write on but the folder. */
  readonly #hardened: readonly string[]

  private constructor(docker: Docker, image: string) {
    this.#docker = docker
    this.#image = image
    const folder = `--workdir /dest --volume ${this.#name}:/dest:nocopy`
    const rights = '--user 1000:1000 --cap-drop ALL --security-opt no-new-privileges --read-only'
    this.#hardened = `--label ${this.#name} --network ${this.#name} ${rights} ${folder}`.split(' ')
  }

  /** Network, folder, the local service with client 7, and the container that stands for the platform. */
  static async set(docker: Docker, image: string): Promise<Stage> {
    const stage = new Stage(docker, image)
    try {
      await stage.#set()
    } catch (error) {
      await stage[Symbol.asyncDispose]()
      throw error
    }
    return stage
  }

  async #set(): Promise<void> {
    const name = this.#name
    // internal: no way out; without an address for the bridge not even to this machine
    const isolated = ['--internal', '--opt', 'com.docker.network.bridge.inhibit_ipv4=true']
    await this.#docker.output(['network', 'create', '--label', name, ...isolated, name])
    await this.#docker.output(['volume', 'create', '--label', name, name])
    const platform = ['--label', name, '--network', 'none', '--volume', `${name}:/dest:nocopy`, '--user', '0']
    await this.#detached(`${name}-platform`, platform, ['--entrypoint', 'sleep'], ['infinity'])
    await this.#docker.output(['exec', `${name}-platform`, 'chown', '1000:1000', '/dest'])
    const serve = ['serve', '--host', '0.0.0.0', '--client', `7:${KEY}`]
    await this.#detached(`${name}-service`, [...this.#hardened, '--network-alias', 'service'], [], serve)
    try {
      await this.ask('/', 200)
    } catch (error) {
      const { stdout, stderr } = await this.#docker.run(['logs', '--tail', '20', `${name}-service`])
      throw new Error(`the local service does not answer; it says: ${stdout}${stderr}`, { cause: error })
    }
  }

  async #detached(name: string, options: string[], entry: string[], command: string[]): Promise<void> {
    await this.#docker.output(['run', '--detach', '--name', name, ...options, ...entry, this.#image, ...command])
  }

  /** The local service's answer to a GET, asked from its own container. @param tries as long as it does not listen yet */
  async ask(path: string, tries = 1): Promise<string> {
    const script = `
      const [url, tries] = process.argv.slice(1)
      for (let left = Number(tries); ; left--) {
        const answer = await fetch(url).catch((error) => { if (left <= 1) throw error })
        if (answer) { process.stdout.write(await answer.text()); break }
        await new Promise((resolve) => setTimeout(resolve, 50))
      }`
    const run = ['node', '--input-type=module', '--eval', script, `http://127.0.0.1:8585${path}`, String(tries)]
    return this.#docker.output(['exec', `${this.#name}-service`, ...run])
  }

  /** What a command in the platform's container prints; the folder is /dest. */
  async shell(script: string, input = ''): Promise<string> {
    return this.#docker.output(this.#exec(script), { input })
  }

  #exec(script: string): string[] {
    return [
      'exec',
      '--interactive',
      '--user',
      '1000',
      '--workdir',
      '/dest',
      `${this.#name}-platform`,
      'sh',
      '-c',
      script,
    ]
  }

  /** Puts config and catalog where the commands expect them. */
  async provide(config: unknown, catalog?: unknown): Promise<void> {
    await this.shell('cat >connectorConfig.json', JSON.stringify(config))
    if (catalog !== undefined) await this.shell('cat >catalog.json', JSON.stringify(catalog))
  }

  /** Starts a command as the platform does, by its shell line, with its streams through named pipes. */
  async asPlatform(command: keyof typeof COMMANDS, run: PlatformRun = {}): Promise<Finished> {
    const { input = '', feeder = 'cat', more = '', options = [], limitSeconds = 60 } = run
    await this.shell(`rm -f ${STREAMS.join(' ')} && mkfifo ${STREAMS.join(' ')}`)
    const fed = this.#docker.run(this.#exec(`${feeder} >stdin`), { input, limitSeconds })
    const said = ['stdout', 'stderr'].map((name) => this.#docker.run(this.#exec(`cat ${name}`), { limitSeconds }))
    const line = `eval "$AIRBYTE_ENTRYPOINT ${COMMANDS[command]} ${more}" </dest/stdin >/dest/stdout 2>/dest/stderr`
    const shell = ['run', '--rm', ...this.#hardened, ...options, '--entrypoint', 'sh', this.#image, '-c']
    const ran = await this.#docker.run([...shell, `${line}; code=$?; ${MEASURE}\nexit $code`], { limitSeconds })
    // lets go of whoever still waits at a pipe that the connector never opened
    await this.shell(STREAMS.map((name) => `: <>${name}`).join('; '))
    const [out, err] = await Promise.all(said)
    await fed
    if (ran.stderr !== '') throw new Error(`shell or engine: ${ran.stderr.trim()}`)
    const [peakBytes, timesAtLimit] = ran.stdout.trim().split('\n').map(Number)
    const measured = { peakBytes: peakBytes ?? Number.NaN, timesAtLimit: timesAtLimit ?? Number.NaN }
    return { ...finished({ code: ran.code, stdout: out!.stdout, stderr: err!.stdout }), ...measured }
  }

  /** Runs the image's entry point, or what `options` put in its place. */
  async byEntryPoint(command: readonly string[], run: Pick<PlatformRun, 'input' | 'options'> = {}): Promise<Ran> {
    const options = ['--rm', '--interactive', ...this.#hardened, ...(run.options ?? [])]
    return this.#docker.run(['run', ...options, this.#image, ...command], { input: run.input ?? '' })
  }

  /** Starts `write` by the image's entry point and asks it to stop once `enough` of its output has come; its input stays open. */
  async stoppedWrite(input: string, enough: (stdout: string) => boolean): Promise<Finished> {
    const name = `${this.#name}-stopped`
    const options = ['--rm', '--interactive', '--name', name, ...this.#hardened]
    const child = this.#docker.start(['run', ...options, this.#image, ...COMMANDS.write.split(' ')])
    const done = ended(child)
    let stdout = ''
    const stop = new Promise<void>((resolve) => {
      child.stdout!.on('data', (chunk: Buffer) => {
        stdout += String(chunk)
        if (enough(stdout)) resolve()
      })
      child.once('close', () => resolve())
    })
    child.stdin!.write(input)
    await stop
    await this.#docker.run(['stop', '-t', '30', name])
    return finished(await done)
  }

  /** Removes everything of this stage, also after the caller's signal. */
  async [Symbol.asyncDispose](): Promise<void> {
    const docker = this.#docker.unstoppable()
    const filter = ['--filter', `label=${this.#name}`]
    const containers = await docker.run(['ps', '--all', '--quiet', ...filter])
    const ids = containers.stdout.split('\n').filter((id) => id !== '')
    if (ids.length > 0) await docker.run(['rm', '--force', '--volumes', ...ids])
    await docker.run(['volume', 'rm', '--force', this.#name])
    await docker.run(['network', 'rm', this.#name])
  }
}

/** Every line of standard output has to be a message. */
function finished(ran: Ran): Finished {
  const lines = ran.stdout.split('\n').filter((line) => line !== '')
  return { ...ran, messages: lines.map((line) => JSON.parse(line) as Finished['messages'][number]) }
}
