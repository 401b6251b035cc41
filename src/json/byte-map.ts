// A map whose keys are texts. It is asked by the bytes where a text stands, because to make a string of them would cost a record more
// than the search.

/** A text, as bytes[from, to) of its UTF-8. */
export interface TextPlace {
  bytes: Buffer
  from: number
  to: number
}

interface Entry<V> {
  readonly text: Uint8Array
  readonly value: V
  /** Another one of the same hash. */
  readonly next: Entry<V> | undefined
}

/** Values by text. A text must be added once only: `add` does not look whether it is there. */
export class ByteMap<V> {
  readonly #entries = new Map<number, Entry<V>>()

  get({ bytes, from, to }: TextPlace): V | undefined {
    let entry = this.#entries.get(byteHash(bytes, from, to, to - from))
    while (entry !== undefined && !isAt(bytes, from, to, entry.text)) entry = entry.next
    return entry?.value
  }

  add(text: Uint8Array, value: V): void {
    const hash = byteHash(text, 0, text.length, text.length)
    this.#entries.set(hash, { text, value, next: this.#entries.get(hash) })
  }
}

/** FNV-1a, four bytes a step. */
export function byteHash(bytes: Uint8Array, from: number, to: number, seed: number): number {
  let hash = seed ^ 0x811c9dc5
  let at = from
  for (; at + 4 <= to; at += 4) {
    const word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
    hash = Math.imul(hash ^ word, 16777619)
    hash ^= hash >>> 15
  }
  for (; at < to; at++) hash = Math.imul(hash ^ bytes[at]!, 16777619)
  return hash
}

/** Whether bytes[from, to) are these. */
export function isAt(bytes: Uint8Array, from: number, to: number, wanted: Uint8Array): boolean {
  if (to - from !== wanted.length) return false
  for (let i = 0; i < wanted.length; i++) if (bytes[from + i] !== wanted[i]) return false
  return true
}
