// Standard input as a source: Airbyte messages become items, and STATE lines are printed when they are committed.

import { gen } from 'stream-chain'
import { codeOf, ConnectorError } from '../core/errors.ts'
import type { Counts, Item, Source } from '../core/types.ts'
import { fileFault } from '../files/file-faults.ts'
import type { Lines, LineSplitter } from '../json/split-lines.ts'
import type { MapperSpace } from '../mapping/mapper-space.ts'
import type { RecordMapper } from '../mapping/record-mapper.ts'
import { emptySlot, type ItemSlot } from '../mapping/stream-mapping.ts'
import type { Input } from '../process/pipe-input.ts'
import { InputCutOff } from './bad-line.ts'
import type { MappedStream } from './find-stream.ts'
import type { Message, RecordMessage, StateMessage } from './messages.ts'
import { messageLines, type MessageReader } from './reader.ts'
import { costOf, keptLine, type Origin } from './record-line.ts'

interface StdinSourceOptions {
  readonly input: Input
  /** Most bytes of a line; a longer one ends the input with a fault. */
  readonly maxLineBytes: number
  readonly reader: MessageReader<MappedStream>
  /** What the streams' mappers share. `reset` makes room for what they write of the next chunk; `forget` drops a record that they read. */
  readonly space: MapperSpace
  /** Whether a record's origin is its whole line, or only the line's number. */
  readonly keepsLines: boolean
  /** Whether nothing is read behind the first rejected record. */
  readonly endsAtRejected?: boolean
  /** Collects garbage at once. Called between very long lines. */
  collect(): void
  /** Prints a STATE line, given in pieces. */
  print(line: readonly Uint8Array[]): Promise<void>
  /** Waits a moment for `signal` to abort: what cut the input off may be about to ask for a stop. */
  awaitStop(signal: AbortSignal): Promise<void>
  /** Logs a warning. */
  readonly warn: (message: string) => void
  /** The name of a stream that was perhaps meant. Absent when none is looked for. */
  readonly nearest?: (name: string) => string | undefined
}

/** Most slots kept from one chunk to the next. */
const MOST_SLOTS = 4096
/** Bytes that a held state costs beside its own: its objects here and in the ledger. Twice as many if it covers all streams. */
const STATE_BYTES = 2048
/** A line of this many bytes is kept as the bytes it was read into, instead of a copy. */
const LONG_BYTES = 8 * 1024 * 1024
/** Garbage of very long lines is collected after this many bytes of them: V8 would let several of 64 MiB come together. */
const COLLECT_AFTER_BYTES = 16 * 1024 * 1024
const MIXED_STATES = 'STREAM and GLOBAL states are mixed in this input; they are passed on in the order they came.'
const END = Symbol('end of input')
type Chunk = Uint8Array | typeof END
type AirbyteItem = Item<StateMessage<MappedStream>, Origin>

/** Turns a fault of reading the input into an error for the user; any other error stays as it is. */
function readFault(error: unknown): unknown {
  if (!(error instanceof Error && 'syscall' in error && error.syscall === 'read')) return error
  const message = `Standard input cannot be read: ${fileFault(error, 'read') ?? codeOf(error)}.`
  const advice = 'Give it Airbyte messages, one JSON object per line; the next run goes on from the last state.'
  return new ConnectorError('system', 'input.unreadable', `${message} ${advice}`, { cause: error })
}

/** Records and states of standard input, in order. It is read once. Each chunk goes through lines (split-lines.ts) and messages
 *  (reader.ts) to items, which are valid until the next chunk is asked for. */
export class StdinSource implements Source<StateMessage<MappedStream>, Origin> {
  readonly #options: StdinSourceOptions
  readonly #splitter: LineSplitter
  readonly #items: AirbyteItem[] = []
  readonly #slots: ItemSlot<Origin>[] = []
  /** The chunk's very long line, whose bytes may be kept. `undefined` when it has none. */
  #longLine: Lines | undefined
  /** Whether nothing was read yet. */
  isEmpty = true
  /** Bytes of very long lines since garbage was collected. */
  #longBytes = 0
  /** The kinds of scopes that states had so far; `stream` stands for any stream. */
  readonly #scopes = new Set<'stream' | 'all' | 'none'>()

  constructor(options: StdinSourceOptions) {
    this.#options = options
    this.#splitter = messageLines({ maxLineBytes: options.maxLineBytes, onLong: () => this.#freeLongLines() })
  }

  async *read(signal: AbortSignal): AsyncGenerator<readonly AirbyteItem[]> {
    const { input, reader } = this.#options
    const items = gen(
      (chunk: Chunk) => this.#split(chunk),
      (lines: readonly Lines[]) => reader.read(lines),
      (messages: readonly Message<MappedStream>[]) => this.#toItems(messages),
    )
    // a read that waits for input ends only with the input
    const end = (): void => input.destroy()
    signal.addEventListener('abort', end, { once: true })
    try {
      for await (const chunk of input) {
        this.isEmpty = false
        yield* items(chunk)
      }
      yield* items(END)
    } catch (error) {
      // the input ended in the midst of a line, or a read failed
      const isCutOff = error instanceof InputCutOff || !(error instanceof ConnectorError)
      // a platform that is stopping ends writer and reader at once; a run that is stopped by then takes no error of its source for a fault
      if (isCutOff) await this.#options.awaitStop(signal)
      throw readFault(error)
    } finally {
      signal.removeEventListener('abort', end)
    }
  }

  settled(state: StateMessage<MappedStream>, counts: Counts): Promise<void> {
    return this.#options.print(state.withStats(counts))
  }

  /** Yields all lines of a chunk as one output: `gen` runs an output ahead of its consumer, so there must be one a chunk,
   *  for messages and items are filled again with the next. Lines before one that is too long come first. */
  *#split(chunk: Chunk): Generator<readonly Lines[]> {
    const lines: Lines[] = []
    try {
      this.#longLine = undefined
      for (const some of chunk === END ? this.#splitter.end() : this.#splitter.push(chunk)) {
        lines.push(some)
        if (!some.keep) continue // it is there only with a very long line
        this.#longLine = some
        this.#longBytes += some.bytes.length
      }
    } catch (error) {
      yield lines
      throw error
    }
    yield lines
  }

  /** Lets go of the bytes of earlier chunks, before another very long line takes its memory. None of them is in use any more, but slots
   *  and messages that are filled again still refer to them. */
  #freeLongLines(): void {
    if (this.#longBytes < COLLECT_AFTER_BYTES) return
    this.#longBytes = 0
    this.#items.length = 0
    this.#slots.length = 0
    this.#options.reader.forget()
    this.#options.space.forget()
    this.#options.collect()
  }

  /** Yields the messages' items as one array. If `map` throws, what comes before is yielded first; a rejected record is an item instead. */
  *#toItems(messages: readonly Message<MappedStream>[]): Generator<readonly AirbyteItem[]> {
    const items = this.#items
    let size = 0
    this.#options.space.reset()
    try {
      for (const message of messages) {
        if (message.kind === 'status') message.stream.status = message.status // for end-words.ts
        else {
          const item = message.kind === 'record' ? this.#record(message, size) : this.#checkpoint(message)
          items[size++] = item
          if (item.kind === 'rejected' && this.#options.endsAtRejected === true) break
        }
      }
    } catch (error) {
      items.length = size
      yield items
      throw error
    }
    items.length = size
    yield items
  }

  #record(message: RecordMessage<MappedStream>, index: number): AirbyteItem {
    const { mapper, fields } = message.stream
    // an origin that is only a line's number holds no memory of its own: 0 bytes
    const item = this.#options.keepsLines
      ? this.#keptRecord(mapper, message, index)
      : mapper.map(message, message.line, 0, this.#slot(index))
    // samples the fields of the data, but not before it is mapped: `map` throws if the stream must not have records
    fields?.see(message)
    return item
  }

  #keptRecord(mapper: RecordMapper<Origin>, message: RecordMessage<MappedStream>, index: number): AirbyteItem {
    const { line: number, bytes, lineFrom, lineTo } = message
    // a very long line is not copied: by `keep`, the splitter leaves it its bytes
    const keepsBytes = lineTo - lineFrom >= LONG_BYTES && this.#longLine?.bytes === bytes
    const line = keptLine(number, bytes, lineFrom, lineTo, keepsBytes)
    if (keepsBytes) this.#longLine!.keep!()
    return mapper.map(message, line, costOf(line), this.#slot(index))
  }

  /** Items are consumed before the next chunk is read, so each chunk's take the same slots. A fresh one is of line 0 until it is filled. */
  #slot(index: number): ItemSlot<Origin> {
    const slot = this.#slots[index]
    if (slot) return slot
    const fresh = emptySlot<Origin>(0)
    if (index < MOST_SLOTS) this.#slots.push(fresh)
    return fresh
  }

  #checkpoint(state: StateMessage<MappedStream>): AirbyteItem {
    const { scope } = state
    this.#checkScope(state)
    return {
      kind: 'checkpoint',
      scope: typeof scope === 'string' ? scope : scope.mapping.track,
      checkpoint: state,
      bytes: state.bytes.length + (scope === 'all' ? 2 * STATE_BYTES : STATE_BYTES),
    }
  }

  /** Warns once of each thing that is odd about a state's scope (decisions.md#states-keep-their-streams-order). */
  #checkScope({ scope, line, named }: StateMessage<MappedStream>): void {
    const kind = scope === 'all' || scope === 'none' ? scope : 'stream'
    if (this.#scopes.has(kind)) return
    this.#scopes.add(kind)
    const { warn, nearest } = this.#options
    if (kind === 'none') warn(stateOfNoStream(line, nearest?.(named!))) // a state of `none` always is `named`
    else if (this.#scopes.has('all') && this.#scopes.has('stream')) warn(MIXED_STATES)
  }
}

function stateOfNoStream(line: number, near: string | undefined): string {
  const meant = near === undefined ? '' : ` Did you mean ${JSON.stringify(near)}?`
  return `The STATE of input line ${line} is of a stream that the catalog does not name: such a STATE waits for every record before it, and counts none.${meant}`
}
