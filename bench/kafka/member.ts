// One measured process of a group, from its start until it is told to stop. Knows no messages.

import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Measurement } from '../measure-program.ts'

export type Usage = Pick<Measurement, 'cpuSeconds' | 'peakRssBytes'>

const USAGE = fileURLToPath(new URL('../usage.cjs', import.meta.url))
const EXCERPT_CHARACTERS = 2000
const STOP_MS = 40_000
const STOPPED = new Set([0, 143])

export class Member implements AsyncDisposable {
  /** Why it cannot be measured any more; undefined while it runs. */
  failure: string | undefined
  readonly #child: ChildProcess
  readonly #ended: Promise<{ readonly usage: string; readonly output: string }>

  /** Starts a script with its arguments, on the Node that runs the bench and with an environment of PATH and API_KEY only. */
  constructor(command: readonly string[]) {
    const child = spawn(process.execPath, ['--require', USAGE, ...command], {
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'], API_KEY: 'demo-key' },
    })
    const [, out, err, used] = child.stdio as unknown as readonly [null, Readable, Readable, Readable]
    child.once('error', (error) => (this.failure ??= error.message))
    this.#child = child
    this.#ended = Promise.all([text(out), text(err), text(used), once(child, 'close')]).then(
      ([stdout, stderr, usage, [code, signal]]) => {
        const output = (stdout + stderr).slice(-EXCERPT_CHARACTERS)
        this.failure ??= `a member ended (${signal ?? code}) and was not asked to\n${output}`
        return { usage, output }
      },
    )
    // whoever asks for its end hears of it
    this.#ended.catch(() => {})
  }

  /** @throws when it doesn't end in good order within 40 s */
  async stop(): Promise<Usage> {
    if (this.failure !== undefined) throw new Error(this.failure)
    this.#child.kill('SIGTERM')
    const late = setTimeout(() => this.#child.kill('SIGKILL'), STOP_MS)
    const { usage, output } = await this.#ended
    clearTimeout(late)
    const { exitCode, signalCode } = this.#child
    if (exitCode === null || !STOPPED.has(exitCode))
      throw new Error(`a member that was asked to stop ended with ${signalCode ?? exitCode}\n${output}`)
    return JSON.parse(usage) as Usage
  }

  /** Kills it unless it has ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill('SIGKILL')
    await this.#ended.catch(() => {})
  }
}
