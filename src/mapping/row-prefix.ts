// Writes the prefix of a row: the bytes in front of a record's own members, which are `{"keys":[…],` and the members that the
// connector adds. A stream's prefixes differ only in their holes, so all other texts are made once.

import { BRACKET } from '../json/bytes.ts'
import { isName, nameOf } from '../json/name.ts'
import { DEEPEST, type RecordData } from '../json/record-data.ts'
import type { Scanner } from '../json/scanner.ts'
import type { MapperSpace } from './mapper-space.ts'
import type { ProvenanceColumn } from './provenance.ts'
import { RAW_ID } from './reserved.ts'
import { ID_LENGTH, type RowIds } from './row-id.ts'
import type { ItemSlot, Column, RowMapping } from './stream-mapping.ts'

const NULL = Buffer.from('null')
const NO_CHANGES = Buffer.from('[]')
const CHANGES_NAME = nameOf('changes')
/** Room for `null` and `[]`, which stand for an emitted_at and changes that the record lacks. */
const ABSENT_BYTES = 16

/** What a record puts between two texts of a prefix: the provenance column of that name, or as a number one of the three below, or from 0
 *  on the key field of that index. Numbers, because each record asks for each hole. */
type Hole = number | ProvenanceColumn

/** The row's id. */
const ID = -1
/** The record's emitted_at. */
const EMITTED = -2
/** The changes that the source says it made to the record. */
const CHANGES = -3

interface PrefixOptions {
  /** `undefined` unless every record is a row. */
  readonly ids?: RowIds | undefined
  /** Whether no members of the record follow, so that the prefix must contain all key fields. */
  readonly isAlone?: boolean
}

/** Writes one stream's prefixes to the mappers' space. A prefix without holes is the same for all records, and is not written again. */
export class RowPrefix {
  readonly #ids: RowIds | undefined
  readonly #space: MapperSpace
  /** The text before each hole, and one behind the last. */
  readonly #texts: readonly Buffer[]
  readonly #holes: readonly Hole[]
  /** The most bytes of a prefix, without those that `#valueBytes` counts. */
  readonly #longest: number

  constructor(stream: RowMapping, space: MapperSpace, { ids, isAlone = false }: PrefixOptions = {}) {
    this.#ids = ids
    this.#space = space
    const { texts, holes } = template(stream, isAlone)
    this.#texts = texts.map((text) => Buffer.from(text))
    this.#holes = holes
    this.#longest = this.#texts.reduce((sum, text) => sum + text.length, ID_LENGTH + ABSENT_BYTES)
  }

  /** The place of the row's id in a prefix, if it has one; its hole is the first. */
  get idAt(): number {
    return this.#texts[0]!.length
  }

  /** Writes the record's prefix, and sets where `slot` has its head.
   *  @param values pairs of from and to: each key field's value in the record's bytes
   *  @param isLast whether no member follows, so that the prefix ends without a comma */
  write(record: RecordData, values: readonly number[], isLast: boolean, slot: ItemSlot<unknown>): void {
    const start = this.#texts[0]!
    if (this.#holes.length === 0 && !isLast) {
      slot.head = start
      slot.headFrom = 0
      slot.headTo = start.length
      return
    }
    const space = this.#space
    space.reserve(this.#longest + this.#valueBytes(record, values))
    slot.head = space.bytes
    slot.headFrom = space.at
    slot.headTo = space.at = this.#fill(record, values, space.bytes, space.at) - (isLast ? 1 : 0)
  }

  /** The most bytes that the values of this record take in a prefix. */
  #valueBytes(record: RecordData, values: readonly number[]): number {
    let size = 0
    for (const hole of this.#holes) {
      if (typeof hole === 'string') size += this.#space.provenance.longest
      else if (hole === EMITTED) size += record.emittedTo - record.emittedFrom
      else if (hole === CHANGES) size += record.metaTo - record.metaFrom
      else if (hole >= 0) size += values[2 * hole + 1]! - values[2 * hole]!
    }
    return size
  }

  #fill(record: RecordData, values: readonly number[], target: Buffer, from: number): number {
    const texts = this.#texts
    const holes = this.#holes
    let at = from + texts[0]!.copy(target, from)
    for (let index = 0; index < holes.length; index++) {
      const hole = holes[index]!
      if (hole === ID) {
        this.#ids!.write(record, target, at)
        at += ID_LENGTH
      } else at += this.#writeValue(record, values, hole, target, at)
      at += texts[index + 1]!.copy(target, at)
    }
    return at
  }

  #writeValue(record: RecordData, values: readonly number[], hole: Hole, target: Buffer, at: number): number {
    if (typeof hole === 'string') return target.write(this.#space.provenance.jsonOf(hole), at)
    const { bytes, emittedFrom, emittedTo } = record
    if (hole >= 0) return bytes.copy(target, at, values[2 * hole], values[2 * hole + 1])
    if (hole === EMITTED)
      return emittedTo > emittedFrom ? bytes.copy(target, at, emittedFrom, emittedTo) : NULL.copy(target, at)
    return writeChanges(record, this.#space.scanner, target, at)
  }
}

/** Writes the changes that the source says it made to a record, the list `changes` of its meta, at target[at); `[]` when it has none
 *  that can be stored.
 *  @returns how many bytes */
function writeChanges({ bytes, metaFrom, metaTo }: RecordData, scanner: Scanner, target: Buffer, at: number): number {
  if (metaFrom === metaTo) return NO_CHANGES.copy(target, at)
  let from = metaFrom
  let to = metaFrom
  let deepest = 0
  // without a table, because one member is wanted and there may be millions
  scanner.start(bytes, metaFrom, metaTo)
  for (let more = scanner.open(); more; more = scanner.next()) {
    const { at: valueFrom, nameFrom, nameTo } = scanner
    scanner.skip()
    deepest = Math.max(deepest, scanner.depth)
    if (!isName(bytes, nameFrom, nameTo, CHANGES_NAME)) continue
    from = valueFrom
    to = scanner.at
  }
  // the meta object is a level too
  return bytes[from] === BRACKET && deepest < DEEPEST ? bytes.copy(target, at, from, to) : NO_CHANGES.copy(target, at)
}

/** The texts of a prefix and what comes between them, in the order keys, id, hoisted key fields, columns. */
function template(stream: RowMapping, isAlone: boolean): { texts: string[]; holes: Hole[] } {
  const keys = stream.row === 'record' ? [RAW_ID] : stream.key.map(({ field }) => field)
  const texts = [`{"keys":${JSON.stringify(keys)},`]
  const holes: Hole[] = []
  const add = (before: string, hole: Hole, after: string): void => {
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

function addColumn(column: Column, texts: string[], add: (before: string, hole: Hole, after: string) => void): void {
  const name = `"${column.name}":`
  if (column.name === '_airbyte_generation_id') texts[texts.length - 1] += `${name}${column.generation ?? null},`
  else if (column.name === '_airbyte_extracted_at') add(name, EMITTED, ',')
  else if (column.name !== '_airbyte_meta') add(name, column.name, ',')
  else add(`${name}{${column.sync === undefined ? '' : `"sync_id":${column.sync},`}"changes":`, CHANGES, '},')
}
