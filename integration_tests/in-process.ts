// Runs `plan` and `write` in this process, for tests that need hundreds of runs.

import { plan } from '../src/commands/plan.ts'
import type { Plan } from '../src/commands/plan-outcome.ts'
import { write } from '../src/commands/write.ts'
import type { Io } from '../src/process/io.ts'
import type { Input } from '../src/process/pipe-input.ts'
import { ioOf, Said } from '../src/process/testing/said.ts'
import { Scrubber } from '../src/secrets/scrubber.ts'
import type { ReportFiles } from '../src/telemetry/report/report-file.ts'
import type { Message } from './connector.ts'

/** @param columns of the terminal; absent: none */
export async function planned(
  catalogFile: string,
  configFile?: string,
  options: {
    readonly json?: boolean
    readonly columns?: number | undefined
    readonly env?: Io['env'] | undefined
  } = {},
): Promise<{ code: number | 'stopped'; text: string }> {
  const said = new Said()
  const code = await plan(
    { catalogFile, configFile, json: options.json ?? false },
    { stdout: said.output, columns: options.columns, env: options.env ?? { NO_COLOR: '1' }, scrubber: new Scrubber() },
  )
  return { code, text: await said.text() }
}

export async function planOfFiles(
  catalogFile: string,
  configFile?: string,
): Promise<{ code: number | 'stopped'; plan: Plan }> {
  const { code, text } = await planned(catalogFile, configFile, { json: true })
  return { code, plan: JSON.parse(text) as Plan }
}

/** Gives an input as a pipe does: in chunks of one buffer, which is overwritten before the next one comes, so that nothing may be
 *  kept of it. */
export class ReusedChunks implements Input {
  readonly #bytes: Buffer
  readonly #size: number
  #ended = false

  /** @param size of a chunk; however short the input is, it comes in seven at least unless that is given */
  constructor(bytes: Buffer, size = Math.min(64 * 1024, Math.ceil(bytes.length / 7))) {
    this.#bytes = bytes
    this.#size = size
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    const buffer = Buffer.alloc(this.#size)
    for (let from = 0; from < this.#bytes.length && !this.#ended; from += this.#size) {
      yield buffer.subarray(0, this.#bytes.copy(buffer, 0, from, from + this.#size))
      buffer.fill('"')
      // a pipe's next chunk is never there in the same turn
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  destroy(): void {
    this.#ended = true
  }
}

export async function written(
  catalogFile: string,
  configFile: string,
  input: string,
  reportFiles: ReportFiles = {},
): Promise<{ code: number | 'stopped'; messages: Message[] }> {
  const said = new Said()
  const code = await write(
    { catalogFile, configFile, reportFiles },
    ioOf(new ReusedChunks(Buffer.from(input)), said, said),
  )
  const lines = (await said.text()).split('\n').slice(0, -1)
  return { code, messages: lines.map((line) => JSON.parse(line) as Message) }
}
