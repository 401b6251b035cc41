// Cuts the input into lines, and reads lines as messages: a RECORD in one strict pass over its bytes, rarer messages member by member.
// Decides which lines stop the run (decisions.md#a-line-that-cannot-be-read-stops-the-run).

import { isUtf8 } from 'node:buffer'
import { ConnectorError } from '../core/errors.ts'
import { Scanner } from '../json/scanner.ts'
import { LF, LineSplitter, type Lines, type SplitOptions } from '../json/split-lines.ts'
import { afterBom } from '../json/json-faults.ts'
import { decodeString } from '../json/strings.ts'
import { badLine, invalidUtf8, lineTooLong, unknownStream } from './bad-line.ts'
import { Envelope } from './envelope.ts'
import { StreamMemo, type StreamLookup } from './find-stream.ts'
import { RecordMessage, type Message } from './messages.ts'
import { readState, readStatus } from './read-state.ts'

/** A STATE of this many bytes is kept in the bytes that it was read into. */
const LONG_BYTES = 8 * 1024 * 1024
/** Most messages kept for reuse. */
const MOST_SPARE = 4096
const CR = 13

/** Cuts the input into lines. A line beyond the limit is a ConnectorError (system), which comes after all lines before it. The bytes of a
 *  very long line are overwritten by the next push, unless `keep` of its Lines was called. */
export function messageLines(options: Pick<SplitOptions, 'maxLineBytes' | 'onLong'> = {}): LineSplitter {
  return new LineSplitter({ onLong: () => {}, ...options, tooLong: lineTooLong })
}

/** Reads the messages of one input, for the streams that a lookup knows. S: what it returns for one. */
export class MessageReader<S> {
  /** How many messages of unknown types were ignored so far, and the line of the first one. */
  readonly unknown = { count: 0, line: 0 }
  /** How many records of a stream name a file, and the input line of the first. */
  readonly files = new Map<S, { count: number; readonly line: number }>()
  readonly #lookup: StreamLookup<S>
  readonly #statusLookup: StreamLookup<S>
  readonly #nearest: (name: string) => string | undefined
  readonly #onLine: ((line: number, bytes: number) => void) | undefined
  readonly #memo: StreamMemo<S>
  readonly #envelope = new Envelope<S>()
  /** Scans the inside of a STATE or TRACE. */
  readonly #scanner = new Scanner(64)
  readonly #spare: RecordMessage<S>[] = []
  /** How many of `#spare` the current batch uses. */
  #usedSpare = 0
  readonly #messages: Message<S>[] = []
  /** How many of `#messages` are of the current batch. */
  #count = 0
  /** How many members of the scanner's table belong to messages of the current batch: those of the next one follow them. */
  #usedMembers = 0

  /** @param statusLookup is asked for STREAM_STATUS, which some runners send without the namespace
   *  @param nearest finds the name of a stream that was perhaps meant
   *  @param onLine called with each line that is no fault, and its size, before its message is yielded */
  constructor(
    lookup: StreamLookup<S>,
    statusLookup: StreamLookup<S> = lookup,
    nearest: (name: string) => string | undefined = () => undefined,
    onLine?: (line: number, bytes: number) => void,
  ) {
    this.#lookup = lookup
    this.#nearest = nearest
    this.#onLine = onLine
    this.#statusLookup = statusLookup
    this.#memo = new StreamMemo(lookup)
  }

  /** Yields the messages of some lines in order, without ignored ones, as one array. The array and its records, which are views of
   *  `batch`, are valid until the next call. Before it throws, it yields what comes before the bad line.
   *  @throws ConnectorError for a bad line: config if its stream is not in the catalog, system if it is not a message */
  *read(batch: readonly Lines[]): Generator<readonly Message<S>[]> {
    const messages = this.#messages
    this.#usedSpare = 0
    this.#count = 0
    this.#usedMembers = 0
    this.#envelope.scanner.keepSmall()
    let fault: ConnectorError | undefined
    for (const lines of batch) fault ??= this.#readLines(lines)
    messages.length = this.#count
    if (messages.length > 0) yield messages
    if (fault) throw fault
  }

  /** Drops references to the bytes that were read last. May be called between two calls of `read`. */
  forget(): void {
    this.#messages.length = 0
    this.#spare.length = 0
    this.#envelope.forget()
    this.#scanner.forget()
  }

  /** Reads lines, each of which has a from and a to in `bounds`. @returns the fault that ends the run. `undefined` when all are read */
  #readLines(lines: Lines): ConnectorError | undefined {
    const { bytes, bounds, count, firstLine } = lines
    const areAllText = count === 0 || isUtf8(bytes.subarray(bounds[0], bounds[2 * count - 1]))
    for (let index = 0; index < count; index++) {
      const line = firstLine + index
      const to = bounds[2 * index + 1]!
      const from = line === 1 ? afterBom(bytes, bounds[0]!) : bounds[2 * index]!
      const isBroken = !areAllText && !isUtf8(bytes.subarray(from, to))
      if (isBroken && !this.#hasTextAround(bytes, from, to)) return invalidUtf8(lines, line, from)
      const message = this.#readLine(lines, line, from, to)
      if (message instanceof ConnectorError) return message
      this.#onLine?.(line, to - bounds[2 * index]!)
      if (message === undefined) continue
      this.#messages[this.#count++] = message
      if (message.kind !== 'record') continue
      this.#usedMembers = message.first + message.count
      message.isText = !isBroken
    }
    return undefined
  }

  /** Whether a line that is not UTF-8 is a RECORD, and all of it but its data is UTF-8. */
  #hasTextAround(bytes: Buffer, lineFrom: number, lineTo: number): boolean {
    const envelope = this.#envelope
    const fault = envelope.read(bytes, lineFrom, lineTo, this.#usedMembers)
    if (fault !== undefined || envelope.type !== 'RECORD') return false
    return isUtf8(bytes.subarray(lineFrom, envelope.from)) && isUtf8(bytes.subarray(envelope.to, lineTo))
  }

  /** Reads a line. @returns its message, or the fault that ends the run. `undefined` when the line is blank or ignored */
  #readLine(lines: Lines, line: number, from: number, to: number): Message<S> | ConnectorError | undefined {
    const { bytes } = lines
    const envelope = this.#envelope
    const fault = envelope.read(bytes, from, to, this.#usedMembers)
    if (fault === 'blank') return undefined
    if (fault !== undefined) return badLine(fault, lines, line, from, to, envelope.scanner.failedAt)
    if (envelope.type === 'RECORD') return this.#readRecord(bytes, line)
    if (envelope.type === 'unknown' && this.unknown.count++ === 0) this.unknown.line = line
    return this.#readRarer(lines, line, from, to)
  }

  #readRecord(bytes: Buffer, line: number): RecordMessage<S> | ConnectorError {
    const envelope = this.#envelope
    const { known, streamFrom, streamTo, namespaceFrom, namespaceTo } = envelope
    // where earlier lines began so too, their start may know the stream
    const stream = known?.stream ?? this.#memo.find(bytes, streamFrom, streamTo, namespaceFrom, namespaceTo)
    if (known) known.stream = stream
    else if (envelope.hasFile && stream !== undefined) this.#countFile(stream, line)
    if (stream !== undefined) return this.#reusedMessage(line, stream, bytes)
    const namespace = decodeString(bytes, namespaceFrom, namespaceTo) || undefined
    const name = decodeString(bytes, streamFrom, streamTo)
    // a stream of that name that has a namespace where the record has none, or none where it has one
    const namesake = namespace === undefined ? this.#statusLookup(undefined, name) : this.#lookup(undefined, name)
    return unknownStream(line, namespace, name, namesake !== undefined, this.#nearest(name))
  }

  #countFile(stream: S, line: number): void {
    const named = this.files.get(stream)
    if (named) named.count++
    else this.files.set(stream, { count: 1, line })
  }

  /** Reuses messages, because new ones would be most of a run's garbage. */
  #reusedMessage(line: number, stream: S, bytes: Buffer): RecordMessage<S> {
    const envelope = this.#envelope
    const message = this.#spare[this.#usedSpare] ?? new RecordMessage<S>()
    message.fill(line, stream, bytes, envelope, envelope.scanner.members)
    if (this.#usedSpare < MOST_SPARE) this.#spare[this.#usedSpare++] = message
    return message
  }

  /** Reads a line that is no RECORD. `undefined` when it is ignored. */
  #readRarer(lines: Lines, line: number, from: number, to: number): Message<S> | undefined {
    const { bytes } = lines
    const { type, stateFrom, stateTo, traceFrom, traceTo } = this.#envelope
    if (type === 'STATE') {
      const state = { bytes: ownLine(lines, from, to), from: stateFrom - from, to: stateTo - from, line }
      return readState({ ...state, lookup: this.#lookup, scanner: this.#scanner })
    }
    if (type !== 'TRACE') return undefined
    const trace = { bytes, from: traceFrom, to: traceTo, line }
    return readStatus({ ...trace, lookup: this.#statusLookup, scanner: this.#scanner })
  }
}

/** The line with one LF behind it, as bytes that stay until the state is printed. A very long line keeps those it was read into, because
 *  a copy would take as much memory again. */
function ownLine(lines: Lines, from: number, end: number): Buffer {
  const { bytes, keep } = lines
  let to = end
  while (to > from && bytes[to - 1] === CR) to--
  const keepsBytes = keep !== undefined && end - from >= LONG_BYTES
  if (keepsBytes) keep()
  const line = keepsBytes ? bytes.subarray(from, to + 1) : Buffer.from(bytes.subarray(from, to + 1))
  line[to - from] = LF
  return line
}
