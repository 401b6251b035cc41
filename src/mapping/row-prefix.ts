// Writes the prefix of a row: the bytes in front of a record's own members, which are `{"keys":[…],` and the members that the
// connector adds.

import { isName, nameOf } from '../json/name.ts'
import { DEEPEST } from '../json/record-data.ts'
import type { RecordData } from '../json/record-data.ts'
import { Scanner } from '../json/scanner.ts'
import { RAW_ID } from './reserved.ts'
import { ID_LENGTH } from './row-id.ts'
import type { RowIds } from './row-id.ts'
import type { ItemSlot, Column, StreamMapping } from './stream-mapping.ts'

const CHANGES_NAME = nameOf('changes')
const NULL = Buffer.from('null')
const NO_CHANGES = Buffer.from('[]')
/** Bytes for `null` or `[]` in a hole or two. */
const SPARE = 16

/** What comes between two texts of a prefix: the row's id, emitted_at, meta.changes or, from 0 on, a key field's value. */
const ID = -1
const EMITTED = -2
const CHANGES = -3

type PrefixStream = Pick<StreamMapping, 'row' | 'key' | 'columns'>

/** Where a prefix was written. */
type PrefixPlace = Pick<ItemSlot<unknown>, 'head' | 'headFrom' | 'headTo'>

/** Writes one stream's prefixes. If nothing in them depends on the record, there is a common one. */
export class RowPrefix {
  readonly #ids: RowIds | undefined
  readonly #space: PrefixSpace
  readonly #changes = new IncomingChanges()
  /** One more than there are holes. */
  readonly #texts: readonly Buffer[]
  readonly #holes: readonly number[]
  readonly #longest: number

  /** @param ids if every record is a row
   *  @param isAlone whether no members of the record follow, so that the prefix must contain all key fields */
  constructor(stream: PrefixStream, ids: RowIds | undefined, space: PrefixSpace, isAlone = false) {
    this.#ids = ids
    this.#space = space
    const { texts, holes } = template(stream, isAlone)
    this.#texts = texts.map((text) => Buffer.from(text))
    this.#holes = holes
    this.#longest = this.#texts.reduce((sum, text) => sum + text.length, ID_LENGTH + SPARE)
  }

  /** Where the row's id is in a prefix. */
  get idAt(): number {
    return this.#texts[0]!.length
  }

  /** Drops references to the bytes of the last record. */
  forget(): void {
    this.#changes.forget()
  }

  /** Writes the record's prefix, and its place to `place`.
   *  @param values pairs of from and to: each key field's value in the record's bytes
   *  @param last whether no member of the record follows, so that it ends without a comma */
  write(record: RecordData, values: Int32Array, last: boolean, place: PrefixPlace): void {
    const start = this.#texts[0]!
    if (this.#holes.length === 0 && !last) {
      place.head = start
      place.headFrom = 0
      place.headTo = start.length
      return
    }
    const space = this.#space
    space.reserve(this.#longest + this.#valueBytes(record, values))
    place.head = space.bytes
    place.headFrom = space.at
    place.headTo = space.at = this.#fill(record, values, space.bytes, space.at) - (last ? 1 : 0)
  }

  /** The most bytes that it can take besides those that `#longest` counts. */
  #valueBytes(record: RecordData, values: Int32Array): number {
    let size = 0
    for (const hole of this.#holes) {
      if (hole === EMITTED) size += record.emittedTo - record.emittedFrom
      else if (hole === CHANGES) size += record.metaTo - record.metaFrom
      else if (hole >= 0) size += values[2 * hole + 1]! - values[2 * hole]!
    }
    return size
  }

  #fill(record: RecordData, values: Int32Array, target: Buffer, from: number): number {
    const texts = this.#texts
    const holes = this.#holes
    let at = from + texts[0]!.copy(target, from)
    for (let index = 0; index < holes.length; index++) {
      const hole = holes[index]!
      if (hole === ID) {
        this.#ids!.write(record, target, at)
        at += ID_LENGTH
      } else at += this.#value(record, values, hole, target, at)
      at += texts[index + 1]!.copy(target, at)
    }
    return at
  }

  #value(record: RecordData, values: Int32Array, hole: number, target: Buffer, at: number): number {
    const { bytes, emittedFrom, emittedTo } = record
    if (hole >= 0) return bytes.copy(target, at, values[2 * hole], values[2 * hole + 1])
    if (hole === EMITTED)
      return emittedTo > emittedFrom ? bytes.copy(target, at, emittedFrom, emittedTo) : NULL.copy(target, at)
    const changes = this.#changes
    return changes.find(record) ? bytes.copy(target, at, changes.from, changes.to) : NO_CHANGES.copy(target, at)
  }
}

/** The texts of a prefix and what comes between them, in the order keys, id, hoisted key fields, columns. */
function template(stream: PrefixStream, isAlone: boolean): { texts: string[]; holes: number[] } {
  const keys = stream.row === 'record' ? [RAW_ID] : stream.key.map(({ field }) => field)
  const texts = [`{"keys":${JSON.stringify(keys)},`]
  const holes: number[] = []
  const add = (before: string, hole: number, after: string): void => {
    texts[texts.length - 1] += before
    holes.push(hole)
    texts.push(after)
  }
  if (stream.row === 'record') add(`"${RAW_ID}":"`, ID, '",')
  stream.key.forEach(({ path, field }, index) => {
    if (isAlone || path.length > 1) add(`${JSON.stringify(field)}:`, index, ',')
  })
  for (const column of stream.columns) addColumn(column, texts, add)
  return { texts, holes }
}

function addColumn(column: Column, texts: string[], add: (before: string, hole: number, after: string) => void): void {
  const name = `"${column.name}":`
  if (column.name === '_airbyte_generation_id') texts[texts.length - 1] += `${name}${column.generation ?? null},`
  else if (column.name === '_airbyte_extracted_at') add(name, EMITTED, ',')
  else add(`${name}{${column.sync === undefined ? '' : `"sync_id":${column.sync},`}"changes":`, CHANGES, '},')
}

const FIRST_BYTES = 64 * 1024

/** The space that prefixes are written to: one buffer for all streams, reused for each chunk of input. Its bytes stay valid until
 *  `reset`. */
export class PrefixSpace {
  bytes: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES)
  at = 0

  /** Makes room for `size` bytes at `at` of `bytes`, which may be another buffer than before. */
  reserve(size: number): void {
    if (this.at + size <= this.bytes.length) return
    // items are still views of the old one
    this.bytes = Buffer.allocUnsafeSlow(Math.max(2 * this.bytes.length, size))
    this.at = 0
  }

  /** Call this when nothing in it is needed any more. */
  reset(): void {
    this.at = 0
  }
}

const BRACKET = 0x5b

/** Finds the changes that a source reports for a record (`meta.changes`), one record after another. */
export class IncomingChanges {
  from = 0
  to = 0
  readonly #scanner = new Scanner(8)

  /** Lets go of the bytes of the record looked at last. */
  forget(): void {
    this.#scanner.forget()
  }

  /** @returns whether the record's meta has a list of changes that can be stored: bytes[from, to) */
  find({ bytes, metaFrom, metaTo }: RecordData): boolean {
    if (metaFrom === metaTo) return false
    const scanner = this.#scanner
    scanner.start(bytes, metaFrom, metaTo)
    this.from = this.to = metaFrom
    // without a table, because one member is wanted and there may be millions
    let deepest = 0
    for (let more = scanner.open(); more; more = scanner.next()) {
      const { at, nameFrom, nameTo } = scanner
      scanner.skip()
      deepest = Math.max(deepest, scanner.depth)
      if (!isName(bytes, nameFrom, nameTo, CHANGES_NAME)) continue
      this.from = at
      this.to = scanner.at
    }
    return bytes[this.from] === BRACKET && deepest < DEEPEST
  }
}
