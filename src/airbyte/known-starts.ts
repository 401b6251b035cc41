// How lines of records began before, byte for byte up to their data. A line that begins with the very same bytes has been
// read up to there already (bench/scan.ts).

/** What stands in a line's bytes up to `data`; places are relative to the line's first byte. */
interface Start {
  readonly bytes: Uint8Array
  readonly streamFrom: number
  readonly streamTo: number
  readonly namespaceFrom: number
  readonly namespaceTo: number
}

/** More are not worth a look at each of them. */
const KEPT = 16
/** Whoever has learnt so many learns anew for most lines, as with many streams by turns: that costs more than it saves. */
const MOST_LEARNT = 1000
/** Longer ones are rare, and a copy of each would cost memory. */
const LONGEST = 1024
const WORD = 4

/** S: whatever a stream is to the reader. */
export interface KnownStart<S> extends Start {
  readonly view: DataView
  /** Set by the reader once it has found it: the line's stream, unless another one is named behind `data`. */
  stream: S | undefined
}

/** Remembers the last few starts; the one met last is tried first. */
export class KnownStarts<S> {
  readonly #starts: KnownStart<S>[] = []
  #last = 0
  #oldest = 0
  #learnt = 0
  /** What lines stand in, and a view of it by words. */
  #bytes: Uint8Array = new Uint8Array()
  #view = viewOf(this.#bytes)

  /** @returns the start that stands at bytes[from] with `{` behind it, if one does */
  find(bytes: Uint8Array, from: number): KnownStart<S> | undefined {
    const starts = this.#starts
    // the same for a chunk's lines, and for most chunks
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

  /** Lets go of the bytes looked at last, not of what was learnt. */
  forget(): void {
    this.#bytes = new Uint8Array()
    this.#view = viewOf(this.#bytes)
  }

  /** @param start of a line that `find` did not know; its bytes are copied */
  learn(start: Start): void {
    if (start.bytes.length > LONGEST || this.#learnt > MOST_LEARNT) return
    if (this.#learnt++ === MOST_LEARNT) {
      this.#starts.length = 0
      return
    }
    const bytes = Uint8Array.from(start.bytes)
    const copy = { ...start, bytes, view: viewOf(bytes), stream: undefined }
    if (this.#starts.length < KEPT) this.#starts.push(copy)
    else {
      this.#starts[this.#oldest] = copy
      this.#oldest = (this.#oldest + 1) % KEPT
    }
  }
}

/** From the end, for there the names of streams differ; a word at a time, which takes half the time (bench/scan.ts). */
function isAt(bytes: Uint8Array, view: DataView, from: number, wanted: KnownStart<unknown>): boolean {
  const { length } = wanted.bytes
  if (bytes[from + length] !== 0x7b) return false
  let at = length - WORD
  for (; at >= 0; at -= WORD) if (view.getInt32(from + at) !== wanted.view.getInt32(at)) return false
  for (at += WORD - 1; at >= 0; at--) if (bytes[from + at] !== wanted.bytes[at]) return false
  return true
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
}
