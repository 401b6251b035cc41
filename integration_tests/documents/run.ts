// Runs `write` in this process, with the input a pipe would give: chunks of one buffer that is filled again and again.

import type { Input } from '../../src/process/pipe-input.ts'
import { write } from '../../src/commands/write.ts'
import type { Finished, Message, WorkFolder } from '../connector.ts'
import { ioOf, Said } from '../in-process.ts'

/** As `run` of the process, without one. */
export async function runHere(work: WorkFolder, config: object, streams: object[], input: Buffer): Promise<Finished> {
  const [out, err] = [new Said(), new Said()]
  const files = {
    configFile: await work.file('config.json', config),
    catalogFile: await work.file('catalog.json', { streams }),
  }
  const ended = await write(files, ioOf(new ReusedChunks(input), out, err))
  const stdout = await out.text()
  const lines = stdout.split('\n').slice(0, -1)
  const messages = lines.map((line) => JSON.parse(line) as Message)
  return {
    code: ended === 'stopped' ? null : ended,
    stdout,
    stderr: await err.text(),
    lines,
    messages,
    states: lines.filter((_, index) => messages[index]!.type === 'STATE'),
  }
}

/** What a pipe gives at once. */
const CHUNK = 64 * 1024
/** However short the input is, it comes in so many chunks at least. */
const CHUNKS = 7

/** Each chunk is overwritten before the next one comes, so that nothing may be kept of it. */
export class ReusedChunks implements Input {
  readonly #bytes: Buffer
  #ended = false

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    const length = Math.min(CHUNK, Math.ceil(this.#bytes.length / CHUNKS))
    const buffer = Buffer.alloc(length)
    for (let from = 0; from < this.#bytes.length && !this.#ended; from += length) {
      const size = this.#bytes.copy(buffer, 0, from, from + length)
      yield buffer.subarray(0, size)
      buffer.fill('"')
      // a pipe's next chunk is never there in the same turn
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  destroy(): void {
    this.#ended = true
  }
}
