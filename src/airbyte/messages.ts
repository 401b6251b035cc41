// Airbyte messages as the reader (reader.ts) yields them. S: what the reader's lookup returns for a stream of the catalog.

import type { Counts } from '../core/types.ts'
import { RecordData } from '../json/record-data.ts'

/** A record (its data, the members of that, its emitted_at and its meta: see RecordData) and the place of its line. */
type PlacedLine = RecordData & { readonly lineFrom: number; readonly lineTo: number }

/** A RECORD, with the places that the scanner found. Its bytes are a view of the chunk, and the object is reused, so both are valid only
 *  until the next messages are read. All have one shape, which keeps hot code fast. */
export class RecordMessage<S> extends RecordData {
  readonly kind = 'record'
  /** Its line number, from 1. */
  line = 0
  stream!: S
  /** The whole line is bytes[lineFrom, lineTo), without byte order mark and LF. White space may surround its object. */
  lineFrom = 0
  lineTo = 0

  /** Makes it the message of a line; `isText` is left to the caller.
   *  @param members the scanner's table, in which the place has `first` and `count`; its own `members` are not filled */
  fill(line: number, stream: S, bytes: Buffer, place: PlacedLine, members: Int32Array): void {
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

/** The place of `destinationStats` in a STATE line. */
export interface StatsPlace {
  /** Pairs of from and to in the line: the values to replace or, as an empty range, the place to insert one. Empty if it has no state. */
  readonly ranges: readonly number[]
  /** The text to write in front of each value. Where one is inserted, this is its name; where values are replaced, ''. */
  readonly lead: string
}

/** The value of `destinationStats`, in which the protocol wants numbers with a decimal point. */
function statsOf({ written, rejected, superseded }: Counts): string {
  const additional = superseded === 0 ? '' : `,"additionalStats":{"supersededRecordCount":${superseded}.0}`
  return `{"recordCount":${written}.0,"rejectedRecordCount":${rejected}.0${additional}}`
}

/** A STATE: its own copy of the line, and what it covers. */
export class StateMessage<S> {
  readonly kind = 'state'
  readonly line: number
  /** The records that it waits for and counts. `all`: those before it in all streams (GLOBAL, LEGACY, and what is not understood). `none`:
   *  it waits for the same and counts none, because its stream is not in the catalog. */
  readonly scope: S | 'all' | 'none'
  /** The line as it was read, without line end and byte order mark. */
  readonly bytes: Buffer
  /** The name of the stream that the catalog lacks. `undefined` unless the scope is `none`. */
  readonly named: string | undefined
  readonly #terminated: Buffer
  readonly #place: StatsPlace

  /** @param terminated the line with one LF behind it; kept */
  constructor(line: number, scope: S | 'all' | 'none', terminated: Buffer, place: StatsPlace, named?: string) {
    this.line = line
    this.named = named
    this.scope = scope
    this.bytes = terminated.subarray(0, -1)
    this.#terminated = terminated
    this.#place = place
  }

  /** The line to print, in pieces, line feed included: only `destinationStats` of the state is replaced or, if absent, inserted.
   *  A line without a state object stays as it is. */
  withStats(counts: Counts): Uint8Array[] {
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

/** Replaces ranges of a buffer without copying. An empty range inserts.
 *  @param ranges pairs of from and to, ascending and apart
 *  @returns the result in pieces */
function splice(bytes: Uint8Array, ranges: readonly number[], replacement: Uint8Array): Uint8Array[] {
  const parts: Uint8Array[] = []
  let copiedTo = 0
  for (let i = 0; i < ranges.length; i += 2) {
    parts.push(bytes.subarray(copiedTo, ranges[i]), replacement)
    copiedTo = ranges[i + 1]!
  }
  parts.push(bytes.subarray(copiedTo))
  return parts
}
