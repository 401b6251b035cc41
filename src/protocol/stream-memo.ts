// Streams by the raw bytes of their names, so that a record costs no string. Knows no message.

import { decodeString } from '../json/decode-string.ts'

/** A stream of the catalog by namespace (undefined: none) and name. */
export type StreamLookup<S> = (namespace: string | undefined, name: string) => S | undefined

const SLOTS = 256

interface Entry<S> {
  readonly name: Uint8Array
  readonly namespace: Uint8Array
  readonly stream: S
}

/** Remembers what the lookup said, one entry a slot; a collision asks again. A range with from < 0 is no namespace. */
export class StreamMemo<S> {
  readonly #lookup: StreamLookup<S>
  readonly #entries: (Entry<S> | undefined)[] = Array.from({ length: SLOTS }, () => undefined)

  constructor(lookup: StreamLookup<S>) {
    this.#lookup = lookup
  }

  /** @returns the stream whose raw name is bytes[nameFrom, nameTo); undefined when the catalog has none */
  find(bytes: Buffer, nameFrom: number, nameTo: number, spaceFrom: number, spaceTo: number): S | undefined {
    const slot =
      (((nameTo - nameFrom) * 31 + (bytes[nameTo - 1] ?? 0)) * 31 +
        (bytes[nameFrom] ?? 0) +
        (spaceTo - spaceFrom) * 7) &
      (SLOTS - 1)
    const entry = this.#entries[slot]
    if (entry && isAt(bytes, nameFrom, nameTo, entry.name) && isAt(bytes, spaceFrom, spaceTo, entry.namespace))
      return entry.stream
    const namespace = spaceFrom < 0 ? '' : decodeString(bytes, spaceFrom, spaceTo)
    const stream = this.#lookup(namespace === '' ? undefined : namespace, decodeString(bytes, nameFrom, nameTo))
    if (stream === undefined) return undefined
    const copied = (from: number, to: number): Uint8Array =>
      from < 0 ? new Uint8Array(0) : Uint8Array.from(bytes.subarray(from, to))
    this.#entries[slot] = { name: copied(nameFrom, nameTo), namespace: copied(spaceFrom, spaceTo), stream }
    return stream
  }
}

function isAt(bytes: Buffer, from: number, to: number, wanted: Uint8Array): boolean {
  if (to - from !== wanted.length) return false
  for (let i = 0; i < wanted.length; i++) if (bytes[from + i] !== wanted[i]) return false
  return true
}
