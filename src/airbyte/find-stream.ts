// The streams of a catalog as a run knows them, and which one a message is of. A record's is found by the raw bytes of its name
// (`StreamMemo`), which makes no string; what these bytes stand for is looked up once (`StreamIndex`).

import { byteHash, isAt } from '../json/byte-map.ts'
import { decodeString } from '../json/strings.ts'
import type { FieldKinds } from '../mapping/field-kinds.ts'
import type { MapperSpace } from '../mapping/mapper-space.ts'
import { RecordMapper } from '../mapping/record-mapper.ts'
import type { StreamMapping } from '../mapping/stream-mapping.ts'
import { nearestName } from '../text/nearest-name.ts'
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
    const stream = this.find(namespace, name)
    if (stream || (namespace ?? '') !== '') return stream
    const namesakes = Array.from(this.#streams.values()).filter(({ mapping }) => mapping.track.name === name)
    return namesakes.length === 1 ? namesakes[0] : undefined
  }

  /** The name of a stream that was perhaps meant. `undefined` when none is near, or a stream has this very name in another namespace. */
  nearest(name: string): string | undefined {
    const names = new Set(Array.from(this.#streams.values(), ({ mapping }) => mapping.track.name))
    const near = nearestName(name, [...names])
    return near === name ? undefined : near
  }
}

function keyOf(namespace: string | undefined, name: string): string {
  return JSON.stringify([namespace ?? '', name])
}

/** A stream under one spelling of its name and namespace, as raw bytes. */
interface Spelling<S> {
  readonly name: Uint8Array
  readonly namespace: Uint8Array
  readonly stream: S
  /** The next entry of the same hash. */
  readonly next: Spelling<S> | undefined
}

/** Most spellings of names that are kept, because with escapes a stream has endlessly many; beyond, all are forgotten. */
const MAX_ENTRIES = 8192
/** Longer ones are looked up each time. */
const MAX_NAME_BYTES = 4096

/** Remembers which streams the lookup found, by the bytes of their names. */
export class StreamMemo<S> {
  readonly #lookup: StreamLookup<S>
  readonly #entries = new Map<number, Spelling<S>>()
  #count = 0
  /** The entry that was found last: the next record is most often of the same stream. */
  #last: Spelling<S> | undefined

  constructor(lookup: StreamLookup<S>) {
    this.#lookup = lookup
  }

  /** Finds the stream whose raw name is bytes[nameFrom, nameTo), and whose raw namespace is bytes[namespaceFrom, namespaceTo), which is
   *  empty when it has none. `undefined` when the catalog has no such stream. */
  find(bytes: Buffer, nameFrom: number, nameTo: number, namespaceFrom: number, namespaceTo: number): S | undefined {
    let entry = this.#last
    if (entry !== undefined && isOf(entry, bytes, nameFrom, nameTo, namespaceFrom, namespaceTo)) return entry.stream
    // each hash is the seed of the next, and the first seed is a length
    const hash = byteHash(bytes, namespaceFrom, namespaceTo, byteHash(bytes, nameFrom, nameTo, nameTo - nameFrom))
    entry = this.#entries.get(hash)
    while (entry !== undefined && !isOf(entry, bytes, nameFrom, nameTo, namespaceFrom, namespaceTo)) entry = entry.next
    if (entry === undefined)
      return this.#lookUp(hash, bytes.subarray(nameFrom, nameTo), bytes.subarray(namespaceFrom, namespaceTo))
    this.#last = entry
    return entry.stream
  }

  /** Asks the lookup, and remembers a stream that it knows. */
  #lookUp(hash: number, name: Buffer, namespace: Buffer): S | undefined {
    const namespaceText = decodeString(namespace, 0, namespace.length)
    const stream = this.#lookup(namespaceText === '' ? undefined : namespaceText, decodeString(name, 0, name.length))
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
  entry: Spelling<unknown>,
  bytes: Uint8Array,
  nameFrom: number,
  nameTo: number,
  namespaceFrom: number,
  namespaceTo: number,
): boolean {
  return isAt(bytes, nameFrom, nameTo, entry.name) && isAt(bytes, namespaceFrom, namespaceTo, entry.namespace)
}
