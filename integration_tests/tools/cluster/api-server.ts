// A Kubernetes API server with its etcd on this machine: it knows every object as a cluster does, and runs none.

import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePorts } from '../../kafka/free-port.ts'

const PATIENCE_MS = 120_000
const LOOK_MS = 250

export interface Answer {
  readonly status: number
  readonly text: string
}

export class ApiServer {
  readonly #folder: string
  readonly #port: number
  readonly #token: string
  readonly #children: ChildProcess[] = []

  private constructor(folder: string, port: number) {
    this.#folder = folder
    this.#port = port
    this.#token = randomBytes(16).toString('hex')
  }

  /** Is ready when it is returned. @param programs the folder with both @throws with what they said when that never comes */
  static async start(programs: string, signal: AbortSignal): Promise<ApiServer> {
    const [client, peer, port] = await freePorts(3)
    const server = new ApiServer(mkdtempSync(join(tmpdir(), 'api-server-')), port!)
    try {
      server.#startEtcd(join(programs, 'etcd'), client!, peer!)
      server.#startServer(join(programs, 'kube-apiserver'), client!)
      await server.until('/readyz', signal)
      return server
    } catch (error) {
      const said = server.#said()
      await server[Symbol.asyncDispose]()
      throw new Error(`the API server did not start; it said:\n${said}`, { cause: error })
    }
  }

  #startEtcd(program: string, client: number, peer: number): void {
    const [clients, peers] = [client, peer].map((it) => `http://127.0.0.1:${it}`)
    this.#spawn('etcd', program, {
      'data-dir': join(this.#folder, 'data'),
      'listen-client-urls': clients!,
      'advertise-client-urls': clients!,
      'listen-peer-urls': peers!,
      'initial-advertise-peer-urls': peers!,
      'initial-cluster': `default=${peers}`,
      // nothing here is to outlast a power failure
      'unsafe-no-fsync': 'true',
    })
  }

  #startServer(program: string, client: number): void {
    const [certificates, key, tokens] = ['certificates', 'key.pem', 'tokens.csv'].map((it) => join(this.#folder, it))
    mkdirSync(certificates!)
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    writeFileSync(key!, privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 })
    writeFileSync(tokens!, `${this.#token},tester,tester,system:masters\n`, { mode: 0o600 })
    this.#spawn('kube-apiserver', program, {
      'bind-address': '127.0.0.1',
      // of documentation: it is told to others and never called, and may be no loopback
      'advertise-address': '192.0.2.1',
      'secure-port': `${this.#port}`,
      'cert-dir': certificates!,
      'etcd-servers': `http://127.0.0.1:${client}`,
      'service-cluster-ip-range': '10.0.0.0/24',
      'service-account-issuer': 'https://localhost',
      'service-account-key-file': key!,
      'service-account-signing-key-file': key!,
      'token-auth-file': tokens!,
      'authorization-mode': 'RBAC',
    })
  }

  #spawn(name: string, program: string, options: Readonly<Record<string, string>>): void {
    const log = openSync(join(this.#folder, `${name}.log`), 'w')
    const args = Object.entries(options).map(([option, value]) => `--${option}=${value}`)
    const child = spawn(program, args, { cwd: this.#folder, stdio: ['ignore', log, log] })
    closeSync(log)
    child.once('error', () => {})
    this.#children.push(child)
  }

  #said(): string {
    return ['etcd', 'kube-apiserver']
      .map((name) => readFileSync(join(this.#folder, `${name}.log`), 'utf8').slice(-2000))
      .join('\n')
  }

  /** Waits until `path` answers 200. @throws when it never does, or a program has ended */
  async until(path: string, signal: AbortSignal): Promise<void> {
    let last = ''
    for (const from = performance.now(); performance.now() - from < PATIENCE_MS; await sleep(LOOK_MS)) {
      signal.throwIfAborted()
      for (const child of this.#children) assert(isRunning(child), 'a program ended')
      const answer = await this.ask('GET', path).catch((error: unknown) => ({ status: 0, text: String(error) }))
      if (answer.status === 200) return
      last = `${answer.status} ${answer.text}`
    }
    throw new Error(`${path} was never answered with 200, but with ${last}`)
  }

  /** @param body as JSON */
  async ask(method: 'GET' | 'POST', path: string, body?: object): Promise<Answer> {
    const asked = request({
      method,
      path,
      host: '127.0.0.1',
      servername: 'kubernetes',
      port: this.#port,
      ca: readFileSync(join(this.#folder, 'certificates/apiserver.crt')),
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' },
      agent: false,
      timeout: 30_000,
    })
    asked.on('timeout', () => asked.destroy(new Error(`${path} was not answered`)))
    asked.end(body && JSON.stringify(body))
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    return { status: response.statusCode!, text: await text(response) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children.toReversed()) {
      if (!isRunning(child)) continue
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    }
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

function isRunning({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid !== undefined && exitCode === null && signalCode === null
}
