// One pass over a line: whether it is JSON, what type of message it is, and where its parts stand. Of equal members the last counts, and
// null is absent (decisions.md#of-equal-members-the-last-counts), so each member writes over what an earlier one of its name left.

import { BRACE, N, QUOTE } from '../json/bytes.ts'
import { isName, nameOf } from '../json/name.ts'
import { DEEPEST, RecordData } from '../json/record-data.ts'
import { MOST_MEMBERS, Scanner } from '../json/scanner.ts'
import { decodeString } from '../json/strings.ts'
import { KnownStarts, type KnownStart } from './known-starts.ts'
import { DATA, EMITTED_AT, META, NAMESPACE, RECORD, STATE, STREAM, TYPE } from './member-names.ts'
import { IN_MESSAGE, IN_RECORD, nameAt } from './member-names.ts'

/** other: a type of the protocol that means nothing to a destination; unknown: none of the protocol's. */
type EnvelopeType = 'RECORD' | 'STATE' | 'TRACE' | 'other' | 'unknown'

/** Why a line is no message; blank: nothing is in it, which is no fault of the input. */
export type LineFault =
  | 'blank'
  | 'not JSON'
  | 'no object'
  | 'no type'
  | 'no record'
  | 'no stream'
  | 'no data'
  | 'namespace'

const OTHERS = new Set(['LOG', 'CONTROL', 'SPEC', 'CONNECTION_STATUS', 'CATALOG', 'DESTINATION_CATALOG'])
const NOT_TO_LEARN = -1
const TYPE_RECORD = nameOf('RECORD')

/** The parts of the line that `read` was given last; `from` and `to` are those of the record's `data`. A range is empty where there is no
 *  such part, or one of another type. S: what the lookup of the reader returns for a stream. */
export class Envelope<S = unknown> extends RecordData {
  /** Its table has the members of `data`, with room for 4,096 at first. */
  readonly scanner = new Scanner(4096, MOST_MEMBERS)
  /** `undefined` when it has no string `type`. */
  type: EnvelopeType | undefined = undefined
  /** The line itself, as it was given. */
  lineFrom = 0
  lineTo = 0
  /** The strings `stream` and `namespace` of the record, quotes excluded; an empty namespace is none. */
  streamFrom = 0
  streamTo = 0
  namespaceFrom = 0
  namespaceTo = 0
  /** The start, up to the data, that earlier lines had too (known-starts.ts). `undefined` when it is a new one, or the record names a
   *  stream, namespace or file behind its data. */
  known: KnownStart<S> | undefined = undefined
  /** Whether the record names a file (`file_reference`). `known` is `undefined` then, so the reader looks here only where it is. */
  hasFile = false
  /** The `state` and `trace` objects. */
  stateFrom = 0
  stateTo = 0
  traceFrom = 0
  traceTo = 0

  #hasRecord = false
  #hasStream = false
  #hasOddNamespace = false

  readonly #starts = new KnownStarts<S>()
  /** The place of the line's first byte while its start may still be learnt, else NOT_TO_LEARN: it is known, or was learnt. */
  #startAt = NOT_TO_LEARN

  /** Reads the line bytes[from, to). The members of `data` go to the scanner's table from `first` on, behind those of earlier lines.
   *  @returns what is wrong; `undefined` when it is a message, and if `type` is RECORD then a whole one */
  read(bytes: Buffer, from: number, to: number, first: number): LineFault | undefined {
    const scanner = this.scanner
    scanner.start(bytes, from, to)
    this.lineFrom = from
    this.lineTo = to
    if (scanner.at === to) return 'blank'
    if (bytes[scanner.at] !== BRACE) return scanner.skip() && scanner.finish() ? 'no object' : 'not JSON'
    this.type = undefined
    this.stateFrom = this.stateTo = this.traceFrom = this.traceTo = 0
    this.first = first
    this.#clearRecord()
    const known = this.#starts.find(bytes, scanner.at)
    if (known) this.#readKnown(bytes, known)
    else {
      this.#startAt = scanner.at
      for (let more = scanner.open(); more; more = scanner.next()) this.#readMember(bytes)
    }
    if (!scanner.finish()) return 'not JSON'
    if (this.type === undefined) return 'no type'
    return this.type === 'RECORD' ? this.#recordFault() : undefined
  }

  /** Lets go of the bytes read last. */
  forget(): void {
    this.scanner.forget()
    this.#starts.forget()
  }

  /** Reads a line of a known start: takes over what that says, and goes on at the record's data. */
  #readKnown(bytes: Buffer, known: KnownStart<S>): void {
    const scanner = this.scanner
    const from = scanner.at
    this.#startAt = NOT_TO_LEARN
    this.#hasRecord = this.#hasStream = true
    this.type = 'RECORD'
    this.streamFrom = from + known.streamFrom
    this.streamTo = from + known.streamTo
    this.namespaceFrom = from + known.namespaceFrom
    this.namespaceTo = from + known.namespaceTo
    scanner.at = from + known.bytes.length
    this.known = known
    this.#readData(bytes)
    for (let more = scanner.next(); more; more = scanner.next()) this.#readRecordMember(bytes)
    for (let more = scanner.next(); more; more = scanner.next()) this.#readMember(bytes)
  }

  /** Learns how this line began, unless that lacks what a record needs, or has what changes from record to record. */
  #learn(bytes: Buffer, dataFrom: number): void {
    const from = this.#startAt
    this.#startAt = NOT_TO_LEARN
    if (from === NOT_TO_LEARN || this.type !== 'RECORD') return
    if (!this.#hasStream || this.#hasOddNamespace || this.hasFile) return
    if (this.emittedTo > this.emittedFrom || this.metaTo > this.metaFrom) return
    if (this.stateTo > this.stateFrom || this.traceTo > this.traceFrom) return
    const hasNamespace = this.namespaceTo > this.namespaceFrom
    this.#starts.learn({
      bytes: bytes.subarray(from, dataFrom),
      streamFrom: this.streamFrom - from,
      streamTo: this.streamTo - from,
      namespaceFrom: hasNamespace ? this.namespaceFrom - from : 0,
      namespaceTo: hasNamespace ? this.namespaceTo - from : 0,
    })
  }

  #recordFault(): LineFault | undefined {
    if (!this.#hasRecord) return 'no record'
    if (!this.#hasStream) return 'no stream'
    if (this.from === this.to) return 'no data'
    return this.#hasOddNamespace ? 'namespace' : undefined
  }

  #clearRecord(): void {
    this.known = undefined
    this.hasFile = false
    this.#hasRecord = false
    this.#hasStream = false
    this.#hasOddNamespace = false
    this.namespaceFrom = this.namespaceTo = 0
    this.emittedFrom = this.emittedTo = 0
    this.metaFrom = this.metaTo = 0
    this.#clearData()
  }

  #clearData(): void {
    this.from = this.to = 0
    this.scanner.count = this.first
  }

  #readMember(bytes: Buffer): void {
    const scanner = this.scanner
    const at = scanner.at
    const which = nameAt(bytes, scanner.nameFrom, scanner.nameTo, IN_MESSAGE)
    if (which === RECORD) {
      this.#readRecord(bytes)
      return
    }
    if (!scanner.skip() || which === undefined) return
    if (which === TYPE) this.#setType(bytes, at)
    else if (which === STATE) {
      this.stateFrom = at
      this.stateTo = bytes[at] === BRACE ? scanner.at : at
    } else {
      this.traceFrom = at
      this.traceTo = bytes[at] === BRACE ? scanner.at : at
    }
  }

  #setType(bytes: Buffer, at: number): void {
    this.type = undefined
    if (bytes[at] !== QUOTE) return
    const from = at + 1
    const to = this.scanner.at - 1
    if (isName(bytes, from, to, TYPE_RECORD)) {
      this.type = 'RECORD'
      return
    }
    const text = decodeString(bytes, from, to)
    if (text === 'RECORD' || text === 'STATE' || text === 'TRACE') this.type = text
    else this.type = OTHERS.has(text) ? 'other' : 'unknown'
  }

  #readRecord(bytes: Buffer): void {
    const scanner = this.scanner
    this.#clearRecord()
    this.#hasRecord = bytes[scanner.at] === BRACE
    if (!this.#hasRecord) scanner.skip()
    else for (let more = scanner.open(); more; more = scanner.next()) this.#readRecordMember(bytes)
  }

  #readRecordMember(bytes: Buffer): void {
    const scanner = this.scanner
    const at = scanner.at
    const which = nameAt(bytes, scanner.nameFrom, scanner.nameTo, IN_RECORD)
    if (which === DATA) {
      this.#readData(bytes)
      return
    }
    if (!scanner.skip() || which === undefined) return
    // a string begins with QUOTE, null with N
    const firstByte = bytes[at]
    const isText = firstByte === QUOTE
    if (which === STREAM) {
      this.known = undefined
      this.#hasStream = isText
      this.streamFrom = at + 1
      this.streamTo = scanner.at - 1
    } else if (which === NAMESPACE) {
      this.known = undefined
      this.#hasOddNamespace = !isText && firstByte !== N
      this.namespaceFrom = at + 1
      this.namespaceTo = isText ? scanner.at - 1 : at + 1
    } else if (which === META) {
      this.metaFrom = at
      this.metaTo = firstByte === BRACE ? scanner.at : at
    } else if (which === EMITTED_AT) {
      this.emittedFrom = at
      this.emittedTo = firstByte === N ? at : scanner.at
    } else {
      // a file_reference: the reader looks at `hasFile` where no start is known
      this.known = undefined
      this.hasFile = firstByte === BRACE
    }
  }

  #readData(bytes: Buffer): void {
    const scanner = this.scanner
    const from = scanner.at
    this.#clearData()
    if (bytes[from] !== BRACE) {
      scanner.skip()
      return
    }
    this.#learn(bytes, from)
    scanner.table()
    this.from = from
    this.to = scanner.at
    this.count = scanner.count - this.first
    this.tooDeep = scanner.depth > DEEPEST
  }
}
