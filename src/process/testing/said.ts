// What a command needs of its process, for tests: outputs that keep what is written to them, and nothing to read.

import { Writable } from 'node:stream'
import { Scrubber } from '../../secrets/scrubber.ts'
import type { Io } from '../io.ts'
import { Output } from '../output.ts'
import type { Input } from '../pipe-input.ts'

/** What was written to it, as text. */
export class Said {
  readonly output: Output
  readonly #chunks: Buffer[] = []

  /** @param error what every write fails with */
  constructor(error?: Error) {
    const write = (chunk: Buffer, _encoding: unknown, done: (error?: Error) => void): void => {
      if (!error) this.#chunks.push(chunk)
      done(error)
    }
    this.output = new Output(new Writable({ write }))
  }

  /** Resolves when all of it is written. */
  async text(): Promise<string> {
    await this.output.flush().catch(() => {})
    return Buffer.concat(this.#chunks).toString()
  }
}

/** For commands that read no input. */
export const NO_INPUT: Input = {
  [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('nothing is read')) }),
  destroy() {},
}

/** A process without a terminal, which nothing stops.
 *  @param more what is not so */
export function ioOf(input: Input, stdout: Said, stderr: Said, more: Partial<Io> = {}): Io {
  return {
    argv: [],
    env: {},
    openInput: () => Promise.resolve(input),
    stdout: stdout.output,
    stderr: stderr.output,
    scrubber: new Scrubber(),
    isTty: false,
    columns: undefined,
    signal: new AbortController().signal,
    ...more,
  }
}
