// The streams of a catalog as a run knows them, and which one a message is of. A record's is found by the raw bytes of its name
// (`StreamMemo`), which makes no string; what these bytes stand for is looked up once (`StreamIndex`).

import { byteHash, isAt } from '../json/byte-map.ts'
import { decodeString } from '../json/strings.ts'
import type { FieldKinds } from '../mapping/field-kinds.ts'
import type { MapperSpace } from '../mapping/mapper-space.ts'
import { RecordMapper } from '../mapping/record-mapper.ts'
import type { StreamMapping } from '../mapping/stream-mapping.ts'
import type { Origin } from './record-line.ts'

export class MappedStream {
  readonly mapping: StreamMapping
  /** The last STREAM_STATUS of it on the input. */
  status: string | undefined = undefined
  /** Fields of its records. `undefined` when they are not asked for. */
  readonly fields: FieldKinds | undefined
  readonly #space: MapperSpace
  #mapper: RecordMapper<Origin> | undefined

  constructor(mapping: StreamMapping, space: MapperSpace, fields?: FieldKinds) {
    this.mapping = mapping
    this.fields = fields
    this.#space = space
  }

  /** Made at the first record: of thousands of streams most may have none. */
  get mapper(): RecordMapper<Origin> {
    return (this.#mapper ??= new RecordMapper<Origin>(this.mapping, this.#space))
  }
}

/** A stream of the catalog by namespace (`undefined` when it has none) and name. */
export type StreamLookup<S> = (namespace: string | undefined, name: string) => S | undefined

/** The streams of a catalog by namespace and name. A namespace of "" is none. */
export class StreamIndex {
  readonly #streams = new Map<string, MappedStream>()

  constructor(streams: readonly MappedStream[]) {
    for (const stream of streams) {
      const { name, namespace } = stream.mapping.track
      this.#streams.set(keyOf(namespace, name), stream)
    }
  }

  find(namespace: string | undefined, name: string): MappedStream | undefined {
    return this.#streams.get(keyOf(namespace, name))
  }

  /** Finds a stream as `find` does; without a namespace also the only stream of that name. */
  findByName(namespace: string | undefined, name: string): MappedStream | undefined {
    const found = this.find(namespace, name)
    if (found || (namespace ?? '') !== '') return found
    const namesakes = Array.from(this.#streams.values()).filter(({ mapping }) => mapping.track.name === name)
    return namesakes.length === 1 ? namesakes[0] : undefined
  }
}

function keyOf(namespace: string | undefined, name: string): string {
  return JSON.stringify([namespace ?? '', name])
}

interface Entry<S> {
  readonly name: Uint8Array
  readonly namespace: Uint8Array
  readonly stream: S
  /** Another one of the same hash. */
  readonly next: Entry<S> | undefined
}

/** Spellings kept: only streams of the catalog have any, but with escapes one stream has endlessly many. */
const MAX_ENTRIES = 8192
const MAX_NAME_BYTES = 4096

/** Remembers which streams the lookup found, by the bytes of their names. */
export class StreamMemo<S> {
  readonly #lookup: StreamLookup<S>
  readonly #entries = new Map<number, Entry<S>>()
  #count = 0
  #last: Entry<S> | undefined

  constructor(lookup: StreamLookup<S>) {
    this.#lookup = lookup
  }

  /** Finds the stream whose raw name is bytes[nameFrom, nameTo), in the namespace bytes[spaceFrom, spaceTo), if that is not empty.
   *  @returns `undefined` when the catalog has none */
  find(bytes: Buffer, nameFrom: number, nameTo: number, spaceFrom: number, spaceTo: number): S | undefined {
    let entry = this.#last
    if (entry !== undefined && isOf(entry, bytes, nameFrom, nameTo, spaceFrom, spaceTo)) return entry.stream
    const hash = byteHash(bytes, spaceFrom, spaceTo, byteHash(bytes, nameFrom, nameTo, nameTo - nameFrom))
    entry = this.#entries.get(hash)
    while (entry !== undefined && !isOf(entry, bytes, nameFrom, nameTo, spaceFrom, spaceTo)) entry = entry.next
    if (entry === undefined)
      return this.#lookUp(hash, bytes.subarray(nameFrom, nameTo), bytes.subarray(spaceFrom, spaceTo))
    this.#last = entry
    return entry.stream
  }

  /** Asks the lookup, and remembers a stream that it knows. */
  #lookUp(hash: number, name: Buffer, namespace: Buffer): S | undefined {
    const space = decodeString(namespace, 0, namespace.length)
    const stream = this.#lookup(space === '' ? undefined : space, decodeString(name, 0, name.length))
    if (stream === undefined || name.length + namespace.length > MAX_NAME_BYTES) return stream
    if (this.#count >= MAX_ENTRIES) {
      this.#entries.clear()
      this.#count = 0
    }
    const next = this.#entries.get(hash)
    this.#entries.set(hash, { name: Uint8Array.from(name), namespace: Uint8Array.from(namespace), stream, next })
    this.#count++
    return stream
  }
}

function isOf(
  entry: Entry<unknown>,
  bytes: Uint8Array,
  nameFrom: number,
  nameTo: number,
  spaceFrom: number,
  spaceTo: number,
): boolean {
  return isAt(bytes, nameFrom, nameTo, entry.name) && isAt(bytes, spaceFrom, spaceTo, entry.namespace)
}
