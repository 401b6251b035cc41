// Remembers how lines of records began, byte for byte up to their data. A line that begins with the same bytes need not be scanned up
// to there again (bench/scan.ts). Used by envelope.ts, on behalf of the reader (reader.ts).

import { BRACE } from '../json/bytes.ts'

/** Most starts kept: with more, comparing takes longer than it saves. */
const MOST_STARTS = 16
/** Nothing is learnt or known after so many: then most lines begin differently, as where many streams take turns. */
const MOST_LEARNT = 1000
/** Most bytes of a start: longer ones are rare, and their copies would take memory. */
const LONGEST_START = 1024
/** Bytes of a word, which getInt32 reads. */
const WORD = 4

/** The part of a line before its data. Places are relative to the line's first byte.
 *  Stream: what the reader's lookup returns for a stream. */
export interface KnownStart<Stream> {
  readonly bytes: Uint8Array
  /** The same bytes by words. */
  readonly view: DataView
  readonly streamFrom: number
  readonly streamTo: number
  /** An empty range, 0 to 0, when the line names no namespace. */
  readonly namespaceFrom: number
  readonly namespaceTo: number
  /** The line's stream, unless another one is named behind `data`. Set by the reader when it has found it. */
  stream: Stream | undefined
}

/** Remembers the last few starts, and tries the last one that matched first. envelope.ts asks `find` for each line, and lets the start
 *  of a line that was not found be learnt. Input whose lines begin too variously ends that: then nothing is found any more. */
export class KnownStarts<Stream> {
  readonly #starts: KnownStart<Stream>[] = []
  /** The index of the start that matched last. */
  #last = 0
  /** The index of the start that the next one replaces. */
  #oldest = 0
  #learnt = 0
  /** The bytes that lines are compared in, and a view of them by words. */
  #bytes: Uint8Array = new Uint8Array()
  #view = viewOf(this.#bytes)

  /** Returns the start that stands at bytes[from], with `{` behind it. `undefined` when none does. */
  find(bytes: Uint8Array, from: number): KnownStart<Stream> | undefined {
    const starts = this.#starts
    // the same for all lines of a chunk, and for most chunks
    if (bytes !== this.#bytes) {
      this.#bytes = bytes
      this.#view = viewOf(bytes)
    }
    for (let step = 0, index = this.#last; step < starts.length; step++) {
      const start = starts[index]!
      if (isAt(bytes, this.#view, from, start)) {
        this.#last = index
        return start
      }
      index = index + 1 === starts.length ? 0 : index + 1
    }
    return undefined
  }

  /** Drops the reference to the bytes that were compared last: envelope.ts calls it between chunks, before much memory is taken. */
  forget(): void {
    this.#bytes = new Uint8Array()
    this.#view = viewOf(this.#bytes)
  }

  /** Remembers the start of a line that `find` did not know, with a copy of its bytes. */
  learn(start: Omit<KnownStart<Stream>, 'view' | 'stream'>): void {
    if (start.bytes.length > LONGEST_START || this.#learnt > MOST_LEARNT) return
    if (this.#learnt++ === MOST_LEARNT) {
      // from now on `find` finds nothing, and the line above lets nothing in
      this.#starts.length = 0
      return
    }
    const bytes = Uint8Array.from(start.bytes)
    this.#starts[this.#oldest] = { ...start, bytes, view: viewOf(bytes), stream: undefined }
    this.#oldest = (this.#oldest + 1) % MOST_STARTS
  }
}

/** Compares from the end, where names of streams differ, and by words, which takes half the time (bench/scan.ts). */
function isAt(bytes: Uint8Array, view: DataView, from: number, wanted: KnownStart<unknown>): boolean {
  const { length } = wanted.bytes
  // proves that so many bytes are there, too: getInt32 throws beyond them
  if (bytes[from + length] !== BRACE) return false
  let at = length - WORD
  for (; at >= 0; at -= WORD) if (view.getInt32(from + at) !== wanted.view.getInt32(at)) return false
  // fewer bytes than a word are left in front, the last of them at this index
  for (at += WORD - 1; at >= 0; at--) if (bytes[from + at] !== wanted.bytes[at]) return false
  return true
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
}
