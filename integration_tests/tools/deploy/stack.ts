// The stack of deploy/compose.yaml, as a project of its own: other ports, other names, nothing of the machine's own settings.
// Knows how it is started and asked, not what it should answer.

import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Docker, Ran, RunOptions } from '../image/docker.ts'
import { freePorts } from '../../kafka/free-port.ts'
import type { Compose } from './compose.ts'

const FOLDER = new URL('../../../deploy/', import.meta.url).pathname
const PATIENCE_MS = 180_000
const LOOK_MS = 250

/** What the engine knows of a container, as far as it is looked at. */
export interface Container {
  readonly Id: string
  readonly RestartCount: number
  readonly State: {
    readonly Status: string
    readonly ExitCode: number
    readonly OOMKilled: boolean
    readonly Health?: { readonly Status: string }
  }
  readonly Config: { readonly StopTimeout?: number }
  readonly HostConfig: { readonly Memory: number; readonly ReadonlyRootfs: boolean }
}

/** By names that the engine has. */
export interface Images {
  readonly connector: string
  readonly broker: string
}

export class Stack {
  readonly docker: Docker
  readonly #compose: Compose
  readonly #project = `analytics-deploy-test-${randomBytes(4).toString('hex')}`
  readonly #env: Readonly<Record<string, string>>
  /** Of images that declare some: `down` leaves them. */
  readonly #volumes = new Set<string>()
  readonly #ports: { readonly broker: number; readonly service: number; readonly health: number }

  private constructor(docker: Docker, compose: Compose, images: Images, [broker, service, health]: readonly number[]) {
    this.docker = docker
    this.#compose = compose
    this.#ports = { broker: broker!, service: service!, health: health! }
    this.#env = {
      CONNECTOR_IMAGE: images.connector,
      BROKER_IMAGE: images.broker,
      BROKER_PORT: `${broker}`,
      SERVICE_PORT: `${service}`,
      HEALTH_PORT: `${health}`,
      ANALYTICS_API_KEY: '',
    }
  }

  /** Nothing is started yet. */
  static async of(docker: Docker, compose: Compose, images: Images): Promise<Stack> {
    return new Stack(docker, compose, images, await freePorts(3))
  }

  /** `host:port` of the broker for programs on this machine. */
  get bootstrap(): string {
    return `127.0.0.1:${this.#ports.broker}`
  }

  /** Runs one command of Compose on the stack's file. */
  run(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
    return this.#compose.client.run(this.#args(args), this.#with(options))
  }

  /** The same; what it prints. Throws with its words when it fails. */
  output(args: readonly string[], options: RunOptions = {}): Promise<string> {
    return this.#compose.client.output(this.#args(args), this.#with(options))
  }

  #args(args: readonly string[]): string[] {
    const project = ['--project-name', this.#project, '--project-directory', FOLDER, '--env-file', '/dev/null']
    return [...this.#compose.prefix, ...project, '--file', `${FOLDER}compose.yaml`, '--ansi', 'never', ...args]
  }

  #with({ env, ...options }: RunOptions): RunOptions {
    return { limitSeconds: 240, ...options, env: { ...this.#env, ...env } }
  }

  /** What a command in a service's container prints. @param input its standard input */
  inside(service: string, command: readonly string[], input = ''): Promise<string> {
    return this.output(['exec', '-T', service, ...command], { input })
  }

  /** @throws when the service has no container */
  async container(service: string): Promise<Container> {
    const id = await this.output(['ps', '--all', '--quiet', service])
    const found = JSON.parse(await this.docker.output(['inspect', '--type', 'container', id])) as Container[]
    return found[0]!
  }

  /** Starts everything, and waits for the connector to be ready. @throws with what was said when that never comes */
  async up(): Promise<void> {
    try {
      await this.output(['up', '--detach'])
      await this.healthy('connector')
    } finally {
      await this.#learnVolumes()
    }
  }

  healthy(service: string): Promise<void> {
    return this.until(
      `${service} is healthy`,
      async () => (await this.container(service)).State.Health?.Status === 'healthy',
    )
  }

  async #learnVolumes(): Promise<void> {
    const { stdout } = await this.run(['ps', '--all', '--quiet'])
    const format = '{{range .Mounts}}{{if eq .Type "volume"}}{{println .Name}}{{end}}{{end}}'
    const ids = linesOf(stdout)
    if (ids.length === 0) return
    const mounted = await this.docker.run(['inspect', '--type', 'container', '--format', format, ...ids])
    for (const name of linesOf(mounted.stdout)) this.#volumes.add(name)
  }

  /** A page of the connector, from this machine. */
  async health(path: string): Promise<{ status: number; text: string }> {
    const answer = await fetch(`http://127.0.0.1:${this.#ports.health}${path}`)
    return { status: answer.status, text: await answer.text() }
  }

  /** A table's rows in the local service as texts, first arrival first; none while there is no table. */
  async rows(table: string): Promise<string[]> {
    const answer = await fetch(`http://127.0.0.1:${this.#ports.service}/_local/tables/${table}?client_id=7`)
    const text = await answer.text()
    if (answer.status === 404) return []
    if (answer.status !== 200) throw new Error(`${answer.status}: ${text}`)
    return text
      .trim()
      .replace(/^\[|\]$/g, '')
      .split(',\n')
      .map((row) => row.trim())
  }

  /** Waits until it is so; a throw is a no. @throws with what the stack said when it never is */
  async until(what: string, isSo: () => Promise<boolean>): Promise<void> {
    let problem: unknown
    for (const from = performance.now(); performance.now() - from < PATIENCE_MS; await sleep(LOOK_MS)) {
      problem = undefined
      const so = await isSo().catch((error: unknown) => {
        problem = error
        return false
      })
      if (so) return
    }
    throw new Error(`it never came true that ${what}; the stack says:\n${await this.said()}`, { cause: problem })
  }

  /** States and the ends of the logs, for a person. */
  async said(): Promise<string> {
    const [states, logs] = await Promise.all([this.run(['ps', '--all']), this.run(['logs', '--tail', '15'])])
    return [states.stdout, logs.stdout, logs.stderr].join('\n')
  }

  /** Ids of what is there of the stack: containers, volumes, networks. */
  async remains(): Promise<string[]> {
    const label = `label=com.docker.compose.project=${this.#project}`
    const found: string[] = []
    for (const args of [
      ['ps', '--all'],
      ['volume', 'ls'],
      ['network', 'ls'],
    ])
      found.push(...linesOf(await this.docker.output([...args, '--quiet', '--filter', label])))
    return found
  }

  /** Removes everything of this stack, also after the caller's signal. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#learnVolumes()
    const { client } = this.#compose
    const down = ['--profile', 'sample', 'down', '--volumes', '--remove-orphans', '--timeout', '5']
    await client.unstoppable().run(this.#args(down), this.#with({}))
    if (this.#volumes.size > 0) await this.docker.unstoppable().run(['volume', 'rm', '--force', ...this.#volumes])
  }
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '')
}
