// Processes of a soak. None outlives it, however it ends.

import type { ChildProcess } from 'node:child_process'
import { start } from '../connector.ts'

export class Children implements Disposable {
  readonly #alive = new Set<ChildProcess>()
  readonly #signal: AbortSignal | undefined
  readonly #end = (): void => this[Symbol.dispose]()
  #ended = false

  /** @param signal ends them all */
  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal
    process.on('exit', this.#end)
    signal?.addEventListener('abort', this.#end)
  }

  /** Starts the connector with a command. */
  start(args: readonly string[]): ChildProcess {
    if (this.#ended) throw new Error('the soak is over')
    const child = start(args)
    this.#alive.add(child)
    child.once('close', () => this.#alive.delete(child))
    return child
  }

  [Symbol.dispose](): void {
    this.#ended = true
    process.off('exit', this.#end)
    this.#signal?.removeEventListener('abort', this.#end)
    for (const child of this.#alive) child.kill('SIGKILL')
  }
}
