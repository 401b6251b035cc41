// Standard input as a source: Airbyte messages become items, STATE lines go back out when they are due.
// Composes protocol and mapping, which don't know each other; decides nothing of delivery.

import type { Readable } from 'node:stream'
import { gen } from 'stream-chain'
import { ConnectorError } from '../core/errors.ts'
import type { Counts, Item, Source } from '../core/types.ts'
import { LineSplitter } from '../json/split-lines.ts'
import type { Lines } from '../json/split-lines.ts'
import type { RecordMapper, StreamMapping } from '../mapping/stream-mapping.ts'
import type { Message, StateMessage } from '../protocol/messages.ts'
import type { MessageReader } from '../protocol/reader.ts'

/** A record's origin: the number of its line. */
export type LineNumber = number

/** A stream of the catalog, ready to map. */
export interface MappedStream {
  readonly mapping: StreamMapping
  readonly mapper: RecordMapper<LineNumber>
  /** The last STREAM_STATUS of it on the input. */
  status: string | undefined
}

export interface StdinSourceOptions {
  readonly input: Readable
  readonly reader: MessageReader<MappedStream>
  /** Prints a STATE line. */
  print(line: Uint8Array): Promise<void>
  /** Called once when STREAM and GLOBAL (or LEGACY) states are mixed (assumptions 29). */
  onMixedStates(): void
}

const END = Symbol('end of input')
type Chunk = Uint8Array | typeof END
type AirbyteItem = Item<StateMessage<MappedStream>, LineNumber>

/** Records and states of standard input, in order. One use. */
export class StdinSource implements Source<StateMessage<MappedStream>, LineNumber> {
  readonly #options: StdinSourceOptions
  readonly #splitter = new LineSplitter()
  readonly #kinds = new Set<'stream' | 'all'>()

  constructor(options: StdinSourceOptions) {
    this.#options = options
  }

  async *read(signal: AbortSignal): AsyncGenerator<readonly AirbyteItem[]> {
    const { input, reader } = this.#options
    const items = gen(
      (chunk: Chunk) => this.#split(chunk),
      (lines: Lines) => reader.read(lines),
      (messages: readonly Message<MappedStream>[]) => this.#toItems(messages),
    )
    // a read that waits for input ends only with the input
    const end = (): void => void input.destroy()
    signal.addEventListener('abort', end, { once: true })
    try {
      for await (const chunk of input as AsyncIterable<Uint8Array>) yield* items(chunk)
      yield* items(END)
    } finally {
      signal.removeEventListener('abort', end)
    }
  }

  commit(state: StateMessage<MappedStream>, counts: Counts): Promise<void> {
    return this.#options.print(state.withStats(counts.written, counts.rejected))
  }

  *#split(chunk: Chunk): Generator<Lines> {
    if (chunk === END) yield* this.#splitter.end()
    else yield* this.#splitter.push(chunk)
  }

  /** The messages' items. What comes before a refused record is yielded before the error is thrown. */
  *#toItems(messages: readonly Message<MappedStream>[]): Generator<AirbyteItem[]> {
    const items: AirbyteItem[] = []
    try {
      for (const message of messages) {
        if (message.kind === 'record') items.push(message.stream.mapper.map(message, message.line, 0))
        else if (message.kind === 'state') items.push(this.#checkpoint(message))
        else message.stream.status = message.status
      }
    } catch (error) {
      yield items
      throw error
    }
    yield items
  }

  #checkpoint(state: StateMessage<MappedStream>): AirbyteItem {
    const { scope } = state
    this.#kinds.add(scope === 'all' ? 'all' : 'stream')
    if (this.#kinds.size === 2) {
      this.#options.onMixedStates()
      this.#kinds.clear()
    }
    return {
      kind: 'checkpoint',
      scope: scope === 'all' ? 'all' : scope.mapping.track,
      checkpoint: state,
      bytes: state.bytes.length,
    }
  }
}

/** The policy `fail`: a rejected record stops the run, naming its stream, table and line (assumptions 27a). */
export const failOnRejected = {
  put(rejected: {
    readonly track: { name: string }
    readonly table?: { name: string }
    readonly reason: string
    readonly origin: LineNumber
  }): Promise<void> {
    const table = rejected.table ? ` (table "${rejected.table.name}")` : ''
    const message =
      `A record of stream "${rejected.track.name}"${table}, input line ${rejected.origin}, can not be stored: ${rejected.reason}. ` +
      'Correct it at its source, or leave the stream out, and run again: the next run goes on from the last state.'
    return Promise.reject(new ConnectorError('config', message, { track: rejected.track }))
  },
}
