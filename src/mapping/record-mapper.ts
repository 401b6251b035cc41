// A record's data into a point: head, then the record's own members byte for byte. The hot step of mapping: no parsing,
// no copy of data; whatever is unusual (a reserved name, an escape in a name) takes the slow way.

import { ConnectorError } from '../core/errors.ts'
import type { Key, RecordItem, RejectedItem } from '../core/types.ts'
import { isName, nameOf } from '../json/name.ts'
import type { Name } from '../json/name.ts'
import { STRIDE } from '../json/scanner.ts'
import type { HeadSpace } from './head-space.ts'
import { Heads } from './heads.ts'
import { readAtom } from './key-atom.ts'
import type { Atom } from './key-atom.ts'
import type { Occurrences } from './occurrences.ts'
import { renamed, renameReserved } from './reserved.ts'
import { RowIds } from './row-id.ts'
import type { ItemSlot, RecordData, RecordMapper, StreamMapping } from './stream-mapping.ts'

const TOO_DEEP = 'its data is nested deeper than 1,024 levels'

/** What all streams of a run share. */
export interface Shared {
  readonly occurrences: Occurrences
  /** Items view it: to be reset only when they are consumed. */
  readonly space: HeadSpace
}

export function createRecordMapper<O>(stream: StreamMapping, shared: Shared): RecordMapper<O> {
  return new StreamMapper<O>(stream, shared)
}

class StreamMapper<O> implements RecordMapper<O> {
  readonly #stream: StreamMapping
  readonly #heads: Heads
  readonly #reserved: readonly string[]
  readonly #reservedNames: readonly Name[]
  readonly #keyNames: readonly Name[]
  /** 1 at the length of every name that is looked for. */
  readonly #wantedLengths: Uint8Array
  /** Slots of the key fields' members in the record at hand; -1: not met. */
  readonly #found: Int32Array
  readonly #atom: Atom = { exact: 0, fence: 0 }

  constructor(stream: StreamMapping, { occurrences, space }: Shared) {
    this.#stream = stream
    this.#reserved = reservedBy(stream)
    this.#reservedNames = this.#reserved.map(nameOf)
    this.#keyNames = stream.keyFields.map(nameOf)
    this.#wantedLengths = lengthsOf([...this.#reservedNames, ...this.#keyNames])
    this.#found = new Int32Array(stream.keyFields.length)
    const ids = stream.row === 'record' ? new RowIds(stream.track.namespace, stream.track.name, occurrences) : undefined
    this.#heads = new Heads(
      stream.keyFields.map((field) => renamed(field, this.#reserved)),
      stream.marker,
      ids,
      space,
    )
  }

  map(record: RecordData, origin: O, held: number, slot: ItemSlot<O>): RecordItem<O> | RejectedItem<O> {
    if (this.#stream.refusedRecords !== undefined)
      throw new ConnectorError('config', this.#stream.refusedRecords, { track: this.#stream.track })
    if (record.tooDeep) return this.#reject(TOO_DEEP, origin, held)
    const odd = this.#locate(record)
    if (typeof odd === 'string') return this.#reject(odd, origin, held)
    const key = this.#key(record)
    if (key !== undefined && typeof key === 'object' && 'rejected' in key)
      return this.#reject(key.rejected, origin, held)
    slot.bytes = record.bytes
    slot.from = record.from + 1
    slot.to = record.to
    if (odd) {
      const data = renameReserved(record, this.#reserved)
      if (data.rejected !== undefined) return this.#reject(data.rejected, origin, held)
      slot.bytes = data.bytes
      slot.from = 1
      slot.to = data.bytes.length
    }
    this.#heads.write(record, record.count === 0, slot)
    slot.track = this.#stream.track
    slot.table = this.#stream.table
    slot.key = key
    slot.origin = origin
    slot.held = held
    return slot
  }

  /** Finds the key fields' members.
   *  @returns whether a reserved name occurs; a text when the record is rejected */
  #locate(record: RecordData): boolean | string {
    const { members, first, count } = record
    const wanted = this.#wantedLengths
    for (let index = 0; index < this.#found.length; index++) this.#found[index] = -1
    let odd = false
    const end = (first + count) * STRIDE
    for (let slot = first * STRIDE; slot < end; slot += STRIDE) {
      const from = members[slot]!
      // by length alone most members are none of ours; with an escape in it any may be
      if (from >= 0 && wanted[members[slot + 1]! - from] !== 1) continue
      const to = members[slot + 1]!
      if (this.#isReserved(record.bytes, from, to)) odd = true
      const twice = this.#markKey(record.bytes, from, to, slot)
      if (twice) return `its key field "${twice.text}" occurs twice`
    }
    return odd
  }

  #isReserved(bytes: Buffer, from: number, to: number): boolean {
    for (const name of this.#reservedNames) if (isName(bytes, from, to, name)) return true
    return false
  }

  /** Notes where a key field's member is.
   *  @returns the key field that was found before */
  #markKey(bytes: Buffer, from: number, to: number, slot: number): Name | undefined {
    for (let index = 0; index < this.#keyNames.length; index++) {
      const name = this.#keyNames[index]!
      if (!isName(bytes, from, to, name)) continue
      if (this.#found[index] !== -1) return name
      this.#found[index] = slot
    }
    return undefined
  }

  #key(record: RecordData): Key | { rejected: string } {
    const names = this.#keyNames
    if (names.length === 0) return undefined
    const atom = this.#atom
    let exact = ''
    let fence = ''
    for (let index = 0; index < names.length; index++) {
      const slot = this.#found[index]!
      if (slot === -1) return { rejected: `its key field "${names[index]!.text}" is missing` }
      const reason = readAtom(record.bytes, record.members[slot + 2]!, record.members[slot + 3]!, atom)
      if (reason !== undefined) return { rejected: `its key field "${names[index]!.text}" ${reason}` }
      if (names.length === 1) return atom.exact === atom.fence ? atom.exact : { exact: atom.exact, fence: atom.fence }
      exact += part(atom.exact)
      fence += part(atom.fence)
    }
    return exact === fence ? exact : { exact, fence }
  }

  #reject(reason: string, origin: O, held: number): RejectedItem<O> {
    return { kind: 'rejected', track: this.#stream.track, table: this.#stream.table, reason, origin, held }
  }
}

/** One field of a composite key: its length in front, so that no two lists of fields read the same. */
function part(atom: string | number): string {
  return typeof atom === 'number' ? `${atom},` : `${atom.length}:${atom}`
}

function reservedBy(stream: StreamMapping): string[] {
  const names = ['keys']
  if (stream.row === 'record') names.push('_airbyte_raw_id')
  if (stream.marker) names.push(stream.marker.column)
  return names
}

function lengthsOf(names: readonly Name[]): Uint8Array {
  const lengths = new Uint8Array(Math.max(0, ...names.map(({ length }) => length)) + 1)
  for (const { length } of names) if (length >= 0) lengths[length] = 1
  return lengths
}
