// Runs the Docker client. Which engine it talks to, its environment says.

import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'

/** How one call of the client ended. `code` is null when the limit or the caller ended it. */
export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly input?: string
  readonly env?: NodeJS.ProcessEnv
  /** Default 60. */
  readonly limitSeconds?: number
}

export class Docker {
  readonly #command: string
  readonly #env: NodeJS.ProcessEnv
  readonly #signal: AbortSignal

  /** @param signal ends the client's calls, not what they started in the engine */
  constructor(command: string, env: NodeJS.ProcessEnv, signal: AbortSignal) {
    this.#command = command
    this.#env = env
    this.#signal = signal
  }

  /** What a client needs to find the same engine. */
  get env(): NodeJS.ProcessEnv {
    return this.#env
  }

  /** Ends the client's calls. */
  get signal(): AbortSignal {
    return this.#signal
  }

  /** The same client and engine, for calls that come after the caller's signal. */
  unstoppable(): Docker {
    return new Docker(this.#command, this.#env, new AbortController().signal)
  }

  /** Starts one call; all three streams are pipes. */
  start(args: readonly string[], { env = {}, limitSeconds = 60 }: RunOptions = {}): ChildProcess {
    const child = spawn(this.#command, args, {
      env: { ...this.#env, ...env },
      stdio: 'pipe',
      signal: AbortSignal.any([this.#signal, AbortSignal.timeout(limitSeconds * 1000)]),
      killSignal: 'SIGKILL',
    })
    child.on('error', () => {}) // a missing client and the limit: `ended` tells
    child.stdin.on('error', () => {})
    return child
  }

  /** Runs one call to its end. Never throws. */
  async run(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
    const child = this.start(args, options)
    child.stdin!.end(options.input ?? '')
    return ended(child)
  }

  /** What one call prints, without the last newline. Throws with the client's words when it fails. */
  async output(args: readonly string[], options: RunOptions = {}): Promise<string> {
    const { code, stdout, stderr } = await this.run(args, options)
    const how = code === null ? 'did not end in time or was stopped' : `failed (${code})`
    if (code !== 0) throw new Error(`docker ${args.slice(0, 2).join(' ')} ${how}: ${stderr.trim()}`)
    return stdout.trimEnd()
  }
}

/** Everything a started call says until it ends. */
export async function ended(child: ChildProcess): Promise<Ran> {
  const closed = once(child, 'close').catch((error: unknown) => [null, String(error)])
  const heard = (stream: Readable): Promise<string> => text(stream).catch(() => '')
  const [stdout, stderr, [code]] = await Promise.all([heard(child.stdout!), heard(child.stderr!), closed])
  return { code: code as number | null, stdout, stderr }
}
