// A map whose keys are texts, looked up by their bytes in a buffer, because to make a string first would cost more than the search.

/** The place of a text: its UTF-8 is bytes[from, to). */
export interface TextPlace {
  bytes: Buffer
  from: number
  to: number
}

interface Entry<V> {
  readonly text: Uint8Array
  readonly value: V
  /** The next entry of the same hash. `undefined` when this is the last. */
  readonly next: Entry<V> | undefined
}

/** Values by text. Each text may be added once only: `add` does not check whether it is there already. */
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

/** A 32-bit hash of bytes[from, to): FNV-1a, four bytes a step.
 *  @param seed their length; or the hash of the text before, when a key consists of several texts */
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

/** Whether bytes[from, to) are equal to `wanted`. */
export function isAt(bytes: Uint8Array, from: number, to: number, wanted: Uint8Array): boolean {
  if (to - from !== wanted.length) return false
  for (let i = 0; i < wanted.length; i++) if (bytes[from + i] !== wanted[i]) return false
  return true
}
