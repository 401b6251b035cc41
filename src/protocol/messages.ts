// What comes out of the Airbyte wire. `src/protocol` takes the place of `@airbyte/cdk-js-compat`, which is not on the
// registry. S: whatever the reader's lookup gives for a stream of the catalog; this room never looks inside it.

import { splice } from '../json/splice.ts'

/** A RECORD: where its data stands, as the scanner located it. Its bytes are a view of the chunk: valid until the next
 *  messages are read. One class for all, so that the hot way stays monomorphic. */
export class RecordMessage<S> {
  readonly kind = 'record'
  /** Number of its line, from 1. */
  readonly line: number
  readonly stream: S
  readonly bytes: Buffer
  /** The data object is bytes[from, to). */
  readonly from: number
  readonly to: number
  /** Its members: `count` of them from index `first` (json/scanner.ts). */
  readonly members: Int32Array
  readonly first: number
  readonly count: number
  /** Nested deeper than 1,024 (assumptions 28). */
  readonly tooDeep: boolean
  /** The text of emitted_at; empty when absent or null. */
  readonly emittedFrom: number
  readonly emittedTo: number

  constructor(line: number, stream: S, bytes: Buffer, place: RecordPlace, members: Int32Array) {
    this.line = line
    this.stream = stream
    this.bytes = bytes
    this.from = place.dataFrom
    this.to = place.dataTo
    this.members = members
    this.first = place.first
    this.count = place.count
    this.tooDeep = place.tooDeep
    this.emittedFrom = place.emittedFrom
    this.emittedTo = place.emittedTo
  }
}

/** Where the parts of a `record` object stand; -1: absent, null, or of another type. */
export interface RecordPlace {
  streamFrom: number
  streamTo: number
  namespaceFrom: number
  namespaceTo: number
  dataFrom: number
  dataTo: number
  first: number
  count: number
  tooDeep: boolean
  emittedFrom: number
  emittedTo: number
}

/** Where destinationStats goes in a STATE line. */
export interface StatsPlace {
  /** from, to pairs of the values it replaces; one empty range to insert at; none: there is no state object. */
  readonly ranges: readonly number[]
  /** What goes in front of the inserted value. */
  readonly lead: string
}

/** A STATE: its own copy of the line, and what it covers. */
export class StateMessage<S> {
  readonly kind = 'state'
  readonly line: number
  /** `all`: everything before it in all streams (GLOBAL, LEGACY, and what can't be placed; assumptions 29). */
  readonly scope: S | 'all'
  /** The line as it came, without white space around it and without line feed. */
  readonly bytes: Buffer
  readonly #place: StatsPlace

  constructor(line: number, scope: S | 'all', bytes: Buffer, place: StatsPlace) {
    this.line = line
    this.scope = scope
    this.bytes = bytes
    this.#place = place
  }

  /** The line to print, line feed included: only `destinationStats` of the state is replaced or, if absent, inserted.
   *  A line without a state object comes back as it is. Assumptions 30. */
  withStats(written: number, rejected: number): Buffer {
    const { ranges, lead } = this.#place
    const stats = Buffer.from(`${lead}{"recordCount":${written}.0,"rejectedRecordCount":${rejected}.0}`)
    return Buffer.concat([ranges.length === 0 ? this.bytes : splice(this.bytes, ranges, stats), LINE_FEED])
  }
}

const LINE_FEED = Buffer.from('\n')

/** A STREAM_STATUS of a stream of the catalog. */
export interface StatusMessage<S> {
  readonly kind: 'status'
  readonly line: number
  readonly stream: S
  /** COMPLETE, INCOMPLETE, … as sent. */
  readonly status: string
}

export type Message<S> = RecordMessage<S> | StateMessage<S> | StatusMessage<S>
