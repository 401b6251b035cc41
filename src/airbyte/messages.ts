// Airbyte messages as they are read. S: whatever the reader's lookup gives for a stream of the catalog.

import { RecordData } from '../json/record-data.ts'

/** A RECORD: where its data stands, as the scanner located it. Its bytes are a view of the chunk, and the message itself
 *  is filled anew: valid until the next messages are read. One class for all, so that the hot way stays monomorphic. */
export class RecordMessage<S> extends RecordData {
  readonly kind = 'record'
  /** Number of its line, from 1. */
  line!: number
  stream!: S
  /** The whole line is bytes[lineFrom, lineTo), without byte order mark and LF; white space may surround its object. */
  lineFrom = 0
  lineTo = 0

  constructor(line: number, stream: S, bytes: Buffer, place: Placed, members: Int32Array) {
    super()
    this.fill(line, stream, bytes, place, members)
  }

  /** Becomes the message of another line. */
  fill(line: number, stream: S, bytes: Buffer, place: Placed, members: Int32Array): void {
    this.line = line
    this.stream = stream
    this.bytes = bytes
    this.lineFrom = place.lineFrom
    this.lineTo = place.lineTo
    this.from = place.from
    this.to = place.to
    this.members = members
    this.first = place.first
    this.count = place.count
    this.tooDeep = place.tooDeep
    this.emittedFrom = place.emittedFrom
    this.emittedTo = place.emittedTo
    this.metaFrom = place.metaFrom
    this.metaTo = place.metaTo
  }
}

/** What the envelope found of a RECORD's line. */
type Placed = Readonly<
  Omit<RecordData, 'bytes' | 'members' | 'hold' | 'locate' | 'locateMember'> &
    Pick<RecordMessage<unknown>, 'lineFrom' | 'lineTo'>
>

/** Where destinationStats goes in a STATE line. */
export interface StatsPlace {
  /** from, to pairs of the values it replaces; one empty range to insert at; none: there is no state object. */
  readonly ranges: readonly number[]
  /** What goes in front of the inserted value. */
  readonly lead: string
}

/** Counts of the records that a STATE covers. */
interface StateCounts {
  readonly written: number
  readonly rejected: number
  /** Of the written ones: those that a newer version took the place of before they were sent. */
  readonly superseded: number
}

/** The protocol wants numbers with a decimal point. */
function statsOf({ written, rejected, superseded }: StateCounts): string {
  const more = superseded === 0 ? '' : `,"additionalStats":{"supersededRecordCount":${superseded}.0}`
  return `{"recordCount":${written}.0,"rejectedRecordCount":${rejected}.0${more}}`
}

/** A STATE: its own copy of the line, and what it covers. */
export class StateMessage<S> {
  readonly kind = 'state'
  readonly line: number
  /** `all`: everything before it in all streams (GLOBAL, LEGACY, and what cannot be placed); `none`: nothing, for it is of a
   *  stream that the catalog does not name. */
  readonly scope: S | 'all' | 'none'
  /** The line as it came, without line end and byte order mark. */
  readonly bytes: Buffer
  readonly #terminated: Buffer
  readonly #place: StatsPlace

  /** @param terminated the line with one LF behind it; kept */
  constructor(line: number, scope: S | 'all' | 'none', terminated: Buffer, place: StatsPlace) {
    this.line = line
    this.scope = scope
    this.bytes = terminated.subarray(0, -1)
    this.#terminated = terminated
    this.#place = place
  }

  /** The line to print, in pieces, line feed included: only `destinationStats` of the state is replaced or, if absent, inserted.
   *  A line without a state object comes back as it is. */
  withStats(counts: StateCounts): Uint8Array[] {
    const { ranges, lead } = this.#place
    if (ranges.length === 0) return [this.#terminated]
    return splice(this.#terminated, ranges, Buffer.from(`${lead}${statsOf(counts)}`, 'latin1'))
  }
}

/** A STREAM_STATUS of a stream of the catalog. */
export interface StatusMessage<S> {
  readonly kind: 'status'
  readonly line: number
  readonly stream: S
  /** COMPLETE, INCOMPLETE, … as sent. */
  readonly status: string
}

export type Message<S> = RecordMessage<S> | StateMessage<S> | StatusMessage<S>

/** Other bytes in the place of ranges of a buffer: `bytes` in pieces, in which each of the ranges (from, to pairs, ascending, apart) is `replacement`. An empty range
 *  inserts. Nothing is copied. */
export function splice(bytes: Uint8Array, ranges: readonly number[], replacement: Uint8Array): Uint8Array[] {
  const parts: Uint8Array[] = []
  let kept = 0
  for (let i = 0; i < ranges.length; i += 2) {
    parts.push(bytes.subarray(kept, ranges[i]), replacement)
    kept = ranges[i + 1]!
  }
  parts.push(bytes.subarray(kept))
  return parts
}
