// How lines of records began before, byte for byte up to their data. A line that begins with the very same bytes has been
// read up to there already (bench/scan.ts). Knows bytes and what they meant, reads none itself.

/** What a line's bytes up to `data` said; places are relative to the line's first byte. */
export interface KnownStart {
  readonly bytes: Uint8Array
  readonly streamFrom: number
  readonly streamTo: number
  readonly namespaceFrom: number
  readonly namespaceTo: number
}

/** More are not worth a look at each of them. */
const KEPT = 16
/** Longer ones are rare, and a copy of each would cost memory. */
const LONGEST = 1024

/** Remembers the last few starts; the one met last is tried first. */
export class KnownStarts {
  readonly #starts: KnownStart[] = []
  #last = 0
  #oldest = 0

  /** @returns the start that stands at bytes[from] with `{` behind it, if one does */
  find(bytes: Uint8Array, from: number): KnownStart | undefined {
    const starts = this.#starts
    for (let step = 0, index = this.#last; step < starts.length; step++) {
      const start = starts[index]!
      if (isAt(bytes, from, start.bytes)) {
        this.#last = index
        return start
      }
      index = index + 1 === starts.length ? 0 : index + 1
    }
    return undefined
  }

  /** @param start of a line that `find` did not know; its bytes are copied */
  learn(start: KnownStart): void {
    if (start.bytes.length > LONGEST) return
    const copy = { ...start, bytes: Uint8Array.from(start.bytes) }
    if (this.#starts.length < KEPT) this.#starts.push(copy)
    else {
      this.#starts[this.#oldest] = copy
      this.#oldest = (this.#oldest + 1) % KEPT
    }
  }
}

/** From the end: there the names of streams differ. */
function isAt(bytes: Uint8Array, from: number, wanted: Uint8Array): boolean {
  if (bytes[from + wanted.length] !== 0x7b) return false
  for (let i = wanted.length - 1; i >= 0; i--) if (bytes[from + i] !== wanted[i]) return false
  return true
}
