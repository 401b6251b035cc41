// Makes points for a table of rejected records: the whole message as text, in parts if it is long, and why it was rejected. One that is
// not UTF-8 comes in base64 besides.

import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import type { RecordItem, Table, Track } from '../core/types.ts'
import { Occurrences } from './occurrences.ts'
import { RAW_ID } from './reserved.ts'

/** The columns of a rejected record besides its message. */
export interface Rejection {
  readonly stream: string
  readonly namespace: string | undefined
  readonly table: string | undefined
  readonly reason: string
  /** How many older versions of its row it had replaced before. */
  readonly superseded: number
  /** Line numbers of the newest of them, newest first. */
  readonly supersededAt: readonly number[]
  /** Its line number in the input. */
  readonly line: number
  /** The time in ISO 8601. */
  readonly rejectedAt: string
}

/** The most bytes of a message in one point, because the message may have been rejected for its size. */
const LONGEST_PART = 256 * 1024
/** The fewest bytes of a message in one point, even if a request may hold less: with a few bytes each there would be no end of them. */
const SHORTEST_PART = 256
/** A message of this many bytes is very long: its points leave much garbage. */
const VERY_LONG = 1024 * 1024
/** Garbage is collected after points for this many bytes of very long messages. */
const COLLECT_AFTER = 16 * 1024 * 1024
/** Most bytes of a message that its points hold in base64 too. */
const MOST_IN_BASE64 = 4 * 1024 * 1024
/** Bytes that the columns besides the message rarely exceed. */
const OTHER_COLUMNS = 2048

/** Makes the points for everything that one run rejects. */
export class RejectedPoints {
  readonly table: Table
  readonly #textPartBytes: number
  readonly #binaryPartBytes: number
  readonly #collect: () => void
  readonly #occurrences = new Occurrences()
  /** Bytes of very long messages whose points were made since garbage was last collected. */
  #garbage = 0

  /** @param maxBytes the size that a request should not exceed
   *  @param collect collects garbage at once */
  constructor(table: string, maxBytes: number, collect: () => void = () => {}) {
    this.#collect = collect
    this.table = { name: table, keepLast: true }
    // escapes may double the bytes of a text
    const room = Math.floor((maxBytes - OTHER_COLUMNS) / 2)
    this.#textPartBytes = Math.max(SHORTEST_PART, Math.min(LONGEST_PART, room))
    // a byte that is no UTF-8 may become three as text, and one and a third besides in base64: not quite five
    this.#binaryPartBytes = Math.max(SHORTEST_PART, Math.min(LONGEST_PART, Math.floor((2 * room) / 5)))
  }

  /** Makes a record's points, with `part` 1 to `parts`. The same messages give the same rows in every run; equal ones get a row each.
   *  Each point's bytes are made when they are read, because together they are longer than the message, which is kept until then.
   *  @param message as bytes, which are kept, or with one character per byte; white space around it is left out
   *  @param origin that of the points */
  of<O>(track: Track, rejection: Rejection, message: string | Buffer, origin: O): RecordItem<O>[] {
    const text = trimmed(typeof message === 'string' ? Buffer.from(message, 'latin1') : message)
    const id = this.#idOf(rejection, text)
    const isText = isUtf8(text)
    const isCut = !isText && text.length > MOST_IN_BASE64
    const cutNote = isCut ? `; message_base64 holds the first ${MOST_IN_BASE64} of ${text.length} bytes` : ''
    const columns = { ...rejection, reason: `${rejection.reason}${cutNote}` }
    const parts = cutIntoParts(text, isText ? this.#textPartBytes : this.#binaryPartBytes)
    // so that garbage is collected as the second full part is made: the first one, when it is sent, frees the body in which the record was
    // refused
    if (text.length >= VERY_LONG) this.#garbage = COLLECT_AFTER - this.#textPartBytes - 1
    // the tail made last, because `bytes` and `to` of a point are read one after the other
    let lastMade: { readonly part: Buffer; readonly bytes: Buffer } | undefined
    const bytesOf = (part: Buffer): Buffer => {
      if (lastMade?.part === part) return lastMade.bytes
      if (text.length >= VERY_LONG) this.#countGarbage(part.length)
      const leftInBase64 = Math.max(0, MOST_IN_BASE64 - (part.byteOffset - text.byteOffset))
      lastMade = { part, bytes: tailOf(part, isText ? undefined : part.subarray(0, leftInBase64)) }
      return lastMade.bytes
    }
    return parts.map((part, index): RecordItem<O> => {
      const head = Buffer.from(headOf(id, index + 1, parts.length, columns))
      return {
        kind: 'record',
        track,
        table: this.table,
        // atoms of texts, with a quote in front only (key-atom.ts); the parts share a fence, and so go one after another
        key: { exact: `"${id}/${index + 1}`, fence: `"${id}` },
        head,
        headFrom: 0,
        headTo: head.length,
        from: 0,
        get bytes() {
          return bytesOf(part)
        },
        get to() {
          return bytesOf(part).length
        },
        origin,
        // the points share the message, whose memory counts once: with the last one, which is sent last
        held: index === parts.length - 1 ? text.length : 0,
      }
    })
  }

  /** Counts what making a point leaves, and collects it when it is much. @param bytes of the part: its point takes up to twice as many */
  #countGarbage(bytes: number): void {
    this.#garbage += bytes
    if (this.#garbage < COLLECT_AFTER) return
    this.#garbage = 0
    this.#collect()
  }

  /** UUIDv8 of SHA-256 over namespace U+0000 stream U+0000 message; for the n-th of equal ones (n ≥ 2), then U+0000 and n-1, or
   *  U+0000 # and the line number if it is no longer known how many came before. */
  #idOf({ namespace, stream, line }: Rejection, text: Buffer): string {
    const hash = createHash('sha256')
      .update(`${namespace ?? ''}\0${stream}\0`)
      .update(text)
    const digest = hash.copy().digest()
    // counted by bytes that the id leaves out, and with one time for all, because that of a rejected message may be unreadable
    const before = this.#occurrences.before(digest.readInt32LE(16), digest.readInt32LE(20), 0)
    if (before === 0) return uuid(digest)
    return uuid(hash.update(before === undefined ? `\0#${line}` : `\0${before}`).digest())
  }
}

/** The point up to its message. */
function headOf(id: string, part: number, parts: number, rejection: Rejection): string {
  const { stream, namespace = null, table = null, reason, line, superseded, supersededAt, rejectedAt } = rejection
  const older = supersededAt.length > 0 ? { superseded_at: supersededAt } : {}
  const members = { stream, namespace, table, reason, line, superseded, ...older, rejected_at: rejectedAt }
  const point = { keys: [RAW_ID, 'part'], [RAW_ID]: id, part, parts, ...members }
  return `${JSON.stringify(point).slice(0, -1)},"message":`
}

/** The rest of a point, behind its head: the message of its part, and the end.
 *  @param forBase64 what to hold in base64 too. `undefined` when the part is UTF-8 */
function tailOf(part: Buffer, forBase64: Buffer | undefined): Buffer {
  if (forBase64)
    return Buffer.from(`${JSON.stringify(part.toString())},"message_base64":"${forBase64.toString('base64')}"}`)
  // in UTF-8 as one character per byte, JSON.stringify escapes quotes, backslashes and control characters, and keeps every other byte
  return Buffer.from(`${JSON.stringify(part.toString('latin1'))}}`, 'latin1')
}

function trimmed(text: Buffer): Buffer {
  let from = 0
  let to = text.length
  while (from < to && isSpace(text[from]!)) from++
  while (to > from && isSpace(text[to - 1]!)) to--
  return text.subarray(from, to)
}

/** Tells the whitespace of JSON. */
function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d
}

/** Cuts into views of at most `bytes`, between characters, which have up to 4 bytes; anywhere where there are none. */
function cutIntoParts(text: Buffer, bytes: number): Buffer[] {
  const parts: Buffer[] = []
  let from = 0
  while (text.length - from > bytes) {
    let to = from + bytes
    for (let left = 3; left > 0 && isContinuation(text[to]!); left--) to--
    parts.push(text.subarray(from, to))
    from = to
  }
  parts.push(text.subarray(from))
  return parts
}

/** Whether a byte of UTF-8 is not the first of its character. */
function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80
}

/** Makes a UUID of the first 16 bytes: version 8, variant 10 (RFC 9562). */
function uuid(digest: Buffer): string {
  digest[6] = (digest[6]! & 0x0f) | 0x80
  digest[8] = (digest[8]! & 0x3f) | 0x80
  return digest.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
