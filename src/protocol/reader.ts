// Lines into messages: the envelope of a RECORD in one strict pass over its bytes, everything rarer with more comfort.
// Decides which lines stop the run (assumptions 27); knows no mode, no table, no key.

import { isUtf8 } from 'node:buffer'
import { ConnectorError } from '../core/errors.ts'
import { decodeString } from '../json/decode-string.ts'
import { isName } from '../json/name.ts'
import { Scanner } from '../json/scanner.ts'
import type { Lines } from '../json/split-lines.ts'
import { invalidUtf8, notJson } from './bad-line.ts'
import { Members } from './members.ts'
import { RecordMessage } from './messages.ts'
import type { Message, RecordPlace } from './messages.ts'
import {
  DATA,
  EMITTED_AT,
  NAMESPACE,
  RECORD,
  STATUS,
  STREAM,
  STREAM_DESCRIPTOR,
  STREAM_STATUS,
  TRACE,
  TYPE,
} from './names.ts'
import { readState, streamOf } from './read-state.ts'
import { StreamMemo } from './stream-memo.ts'
import type { StreamLookup } from './stream-memo.ts'

const QUOTE = 0x22
const BRACE = 0x7b
const DEEPEST = 1024
const NOWHERE: RecordPlace = {
  streamFrom: -1,
  streamTo: -1,
  namespaceFrom: -1,
  namespaceTo: -1,
  dataFrom: -1,
  dataTo: -1,
  first: 0,
  count: 0,
  tooDeep: false,
  emittedFrom: 0,
  emittedTo: 0,
}

/** Reads messages of the streams a lookup knows. One use: line numbers and the BOM are those of one input. */
export class MessageReader<S> {
  readonly #lookup: StreamLookup<S>
  readonly #memo: StreamMemo<S>
  readonly #scanner = new Scanner(4096)
  readonly #place: RecordPlace = { ...NOWHERE }
  #typeFrom = -1
  #typeTo = -1
  #hasRecord = false

  constructor(lookup: StreamLookup<S>) {
    this.#lookup = lookup
    this.#memo = new StreamMemo(lookup)
  }

  /** The messages of some lines, in order, as one array; records view `lines` and are valid until the next call.
   *  What comes before a bad line is yielded first, then its ConnectorError is thrown: config for a stream that is not
   *  in the catalog, system for what is no message. Unknown and uninteresting messages are left out. */
  *read(lines: Lines): Generator<readonly Message<S>[]> {
    const messages: Message<S>[] = []
    const fault = this.#readLines(lines, messages)
    if (messages.length > 0) yield messages
    if (fault) throw fault
  }

  #readLines(lines: Lines, messages: Message<S>[]): ConnectorError | undefined {
    const { bytes, bounds, count, firstLine } = lines
    const isText = count === 0 || isUtf8(bytes.subarray(bounds[0], bounds[2 * count - 1]))
    let members = 0
    for (let index = 0; index < count; index++) {
      const line = firstLine + index
      const to = bounds[2 * index + 1]!
      const from = line === 1 ? afterBom(bytes, bounds[0]!, to) : bounds[2 * index]!
      if (!isText && !isUtf8(bytes.subarray(from, to))) return invalidUtf8(line)
      const message = this.#readLine(lines, line, from, to, members)
      if (message instanceof ConnectorError) return message
      if (!message) continue
      messages.push(message)
      if (message.kind === 'record') members = message.first + message.count
    }
    return undefined
  }

  #readLine(
    lines: Lines,
    line: number,
    from: number,
    to: number,
    members: number,
  ): Message<S> | ConnectorError | undefined {
    const { bytes } = lines
    const scanner = this.#scanner
    scanner.start(bytes, from, to)
    scanner.count = members
    const start = scanner.at
    if (start === to) return undefined
    if (bytes[start] === BRACE) this.#envelope(bytes)
    else scanner.skip()
    if (!scanner.finish()) return notJson(lines, line, from, to, scanner.failedAt)
    if (bytes[start] !== BRACE)
      return new ConnectorError('system', `Input line ${line} is not a message: it is no JSON object.`)
    if (this.#typeFrom < 0)
      return new ConnectorError('system', `Input line ${line} is not a message: it has no "type" that is a text.`)
    if (this.#isType(bytes, 'RECORD')) return this.#record(bytes, line)
    if (this.#isType(bytes, 'STATE')) return readState(copied(bytes, start, to), line, this.#lookup)
    return this.#isType(bytes, 'TRACE') ? this.#status(copied(bytes, start, to), line) : undefined
  }

  /** Goes through the line's top-level members; the last of several counts. */
  #envelope(bytes: Buffer): void {
    const scanner = this.#scanner
    const first = scanner.count
    this.#typeFrom = -1
    this.#hasRecord = false
    for (let more = scanner.open(); more; more = scanner.next()) {
      const { nameFrom, nameTo } = scanner
      if (isName(bytes, nameFrom, nameTo, RECORD)) {
        scanner.count = first
        Object.assign(this.#place, NOWHERE)
        this.#hasRecord = bytes[scanner.at] === BRACE
        if (this.#hasRecord) this.#recordMembers(bytes, first)
        else scanner.skip()
      } else if (isName(bytes, nameFrom, nameTo, TYPE)) {
        this.#typeFrom = bytes[scanner.at] === QUOTE ? scanner.at + 1 : -1
        scanner.skip()
        this.#typeTo = scanner.at - 1
      } else scanner.skip()
    }
  }

  #recordMembers(bytes: Buffer, first: number): void {
    const scanner = this.#scanner
    const place = this.#place
    for (let more = scanner.open(); more; more = scanner.next()) {
      const { nameFrom, nameTo, at } = scanner
      const value = bytes[at]
      if (isName(bytes, nameFrom, nameTo, DATA)) {
        scanner.count = first
        const isObject = value === BRACE
        if (isObject) scanner.table()
        else scanner.skip()
        place.dataFrom = isObject ? at : -1
        place.dataTo = scanner.at
        place.first = first
        place.count = scanner.count - first
        place.tooDeep = scanner.depth > DEEPEST
        continue
      }
      scanner.skip()
      const isText = value === QUOTE
      if (isName(bytes, nameFrom, nameTo, STREAM)) {
        place.streamFrom = isText ? at + 1 : -1
        place.streamTo = scanner.at - 1
      } else if (isName(bytes, nameFrom, nameTo, EMITTED_AT)) {
        // 110: null, which is the same as absent
        place.emittedFrom = value === 110 ? scanner.at : at
        place.emittedTo = scanner.at
      } else if (isName(bytes, nameFrom, nameTo, NAMESPACE)) {
        place.namespaceFrom = isText ? at + 1 : -1
        place.namespaceTo = isText ? scanner.at - 1 : -1
      }
    }
  }

  #record(bytes: Buffer, line: number): RecordMessage<S> | ConnectorError {
    const place = this.#place
    if (!this.#hasRecord)
      return new ConnectorError('system', `Input line ${line} is a RECORD without a "record" object.`)
    if (place.streamFrom < 0)
      return new ConnectorError('system', `Input line ${line} is a RECORD without a "stream" that is a text.`)
    if (place.dataFrom < 0)
      return new ConnectorError('system', `Input line ${line} is a RECORD without a "data" object.`)
    const stream = this.#memo.find(bytes, place.streamFrom, place.streamTo, place.namespaceFrom, place.namespaceTo)
    if (stream !== undefined) return new RecordMessage(line, stream, bytes, place, this.#scanner.members)
    return this.#unknownStream(bytes, line)
  }

  #unknownStream(bytes: Buffer, line: number): ConnectorError {
    const { streamFrom, streamTo, namespaceFrom, namespaceTo } = this.#place
    const name = decodeString(bytes, streamFrom, streamTo)
    const namespace = namespaceFrom < 0 ? '' : decodeString(bytes, namespaceFrom, namespaceTo)
    const within = namespace === '' ? '' : ` of namespace "${namespace}"`
    const message = `Input line ${line} holds a record of stream "${name}"${within}, which the catalog does not name. Add the stream to the catalog, or leave it out at the source.`
    return new ConnectorError('config', message, { track: { name, namespace: namespace || undefined } })
  }

  #isType(bytes: Buffer, wanted: string): boolean {
    const [from, to] = [this.#typeFrom, this.#typeTo]
    if (to - from === wanted.length) {
      for (let i = 0; i < wanted.length; i++) if (bytes[from + i] !== wanted.charCodeAt(i)) return false
      return true
    }
    return bytes.subarray(from, to).includes(0x5c) && decodeString(bytes, from, to) === wanted
  }

  #status(text: Buffer, line: number): Message<S> | undefined {
    const report = new Members(text, 0, text.length).object(TRACE)?.object(STREAM_STATUS)
    const descriptor = report?.object(STREAM_DESCRIPTOR)
    const stream = descriptor && streamOf(descriptor, this.#lookup)
    const status = report?.text(STATUS)
    return stream === undefined || status === undefined ? undefined : { kind: 'status', line, stream, status }
  }
}

function afterBom(bytes: Buffer, from: number, to: number): number {
  return to - from >= 3 && bytes[from] === 0xef && bytes[from + 1] === 0xbb && bytes[from + 2] === 0xbf
    ? from + 3
    : from
}

/** A copy without the white space behind it: the chunk will be gone when a state is printed. */
function copied(bytes: Buffer, from: number, end: number): Buffer {
  let to = end
  while (to > from && bytes[to - 1]! <= 32) to--
  return Buffer.from(bytes.subarray(from, to))
}
