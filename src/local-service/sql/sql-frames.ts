// How the SQL box and its process talk: what is asked and answered, and frames of a kind and bytes, one way.

import { readSync } from 'node:fs'

/** The question, a table, a row of the last table. */
export type FrameKind = 'question' | 'table' | 'row'

export interface Frame {
  readonly kind: FrameKind
  readonly bytes: Buffer
}

const KINDS: readonly FrameKind[] = ['question', 'table', 'row']
const HEAD = 5
const CHUNK = 256 * 1024

export function frameOf(kind: FrameKind, bytes: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(HEAD + bytes.length)
  frame[0] = KINDS.indexOf(kind)
  frame.writeUInt32LE(bytes.length, 1)
  frame.set(bytes, HEAD)
  return frame
}

/** Waits for each piece without letting anything else run: for a process that has nothing else to do. Ends with the input;
 *  a frame that was cut off is left out. */
export function* framesFrom(file: number): Generator<Frame> {
  let rest: Buffer = Buffer.alloc(0)
  for (;;) {
    const chunk = Buffer.allocUnsafe(Math.max(CHUNK, missing(rest)))
    const read = readSync(file, chunk)
    if (read === 0) return
    rest = Buffer.concat([rest, chunk.subarray(0, read)])
    let at = 0
    while (rest.length - at >= HEAD && rest.length - at >= sizeAt(rest, at)) {
      const to = at + sizeAt(rest, at)
      yield { kind: KINDS[rest[at]!]!, bytes: rest.subarray(at + HEAD, to) }
      at = to
    }
    rest = rest.subarray(at)
  }
}

function sizeAt(bytes: Buffer, at: number): number {
  return HEAD + bytes.readUInt32LE(at + 1)
}

function missing(rest: Buffer): number {
  return rest.length < HEAD ? 0 : sizeAt(rest, 0) - rest.length
}

/** As JSON. An integer that no JavaScript number holds, a real that is none in JSON, bytes, and a text that was cut are
 *  objects. `characters`: of the whole text; `bytes`: of the whole value. */
export type SqlCell =
  | null
  | number
  | string
  | { readonly integer: string }
  | { readonly real: string }
  | { readonly blob: string; readonly bytes: number }
  | { readonly text: string; readonly characters: number }

export interface SqlRows {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly SqlCell[])[]
  /** There are more rows than these. */
  readonly more: boolean
  /** What the query itself took. */
  readonly ms: number
}

export type SqlResult = SqlRows | { readonly error: string }

/** What the process that runs a query gets first. */
export interface SqlQuestion {
  readonly sql: string
  /** The data file; null: tables and their rows follow. */
  readonly file: string | null
}

/** Rows of one table follow. */
export interface SqlTable {
  readonly clientId: number
  readonly table: string
}
