// Makes points of rows whose key comes beside the record's data, as an object of key fields (a Kafka key). Fields that the data lacks
// are added to it; those that it has must be equal. In the scanner's table (`members`), a member has STRIDE numbers from its slot on: where
// its name begins (`nameStart`) and ends, in the quotes, and the same of its value.

import { exactOf, fenceOf } from '../core/key.ts'
import { QUOTE } from '../json/bytes.ts'
import { isName, nameOf, type Name } from '../json/name.ts'
import { ABSENT, memberName, RecordData } from '../json/record-data.ts'
import { NAME_TO, nameStart, Scanner, STRIDE, VALUE_FROM, VALUE_TO } from '../json/scanner.ts'
import { inKeyOrder } from './key-fields.ts'
import { KeyedRows } from './keyed-rows.ts'
import { MemberFinder } from './member-finder.ts'
import type { ItemSlot } from './stream-mapping.ts'
import { topicKeyFields, type TopicTable } from './topic-table.ts'

/** Most shapes kept; beyond, all are made anew. A topic's keys usually have one set of fields, or two after its table was altered. */
const MOST_SHAPES = 64
/** More fields, or longer names (in characters), than any primary key has. */
const MOST_FIELDS = 256
const LONGEST_NAME = 1024
/** Members that the scanner has room for at first. */
const FIRST_MEMBERS = 64
const NO_KEY = 'the fields of its Kafka key cannot be the key of a row'
const OPEN = Buffer.from('{')
const COMMA = Buffer.from(',')

/** The tools for rows with one set of key fields. `finder.find` fills `finder.slots`, one for each name; `rows.read` reads a
 *  key, which is `rows.key` from then on, and which `rows.mark` writes. `rows.live` returns an item where it rejects, `read` the reason. */
interface Shape {
  readonly names: readonly Name[]
  readonly finder: MemberFinder
  readonly rows: KeyedRows
}

/** Makes the points of one topic: `kafkaKey` is the object of key fields, `row` the data. Both steps return why the record is rejected,
 *  `undefined` when it is not. */
export class FieldsRows {
  readonly #topic: string
  readonly #table: TopicTable
  readonly #marksDeleted: boolean
  /** Each shape by the names of its fields, as JSON. `undefined` when no row can have such a key. */
  readonly #shapes = new Map<string, Shape | undefined>()
  readonly #scanner = new Scanner(FIRST_MEMBERS)
  /** The row that was joined last. It has no emitted_at and no meta, like all records of topics. */
  readonly #joinedRow = new RecordData()
  #lastShape: Shape | undefined

  /** @param marksDeleted whether deleted rows are marked: then 7 and "7" are different keys */
  constructor(topic: string, table: TopicTable, marksDeleted: boolean) {
    this.#topic = topic
    this.#table = table
    this.#marksDeleted = marksDeleted
  }

  /** Fills `item` with the point of a row. */
  live(kafkaKey: RecordData, row: RecordData, item: ItemSlot<unknown>): string | undefined {
    const shape = this.#shapeOf(kafkaKey)
    if (!shape) return NO_KEY
    const rejected = readKey(kafkaKey, shape) ?? shape.finder.find(row)
    if (rejected !== undefined) return rejected
    const whole = shape.finder.slots.includes(ABSENT) ? this.#joined(kafkaKey, row, shape) : row
    return shape.rows.live(whole, item)?.reason ?? this.#disagreement(kafkaKey, whole, shape, item)
  }

  /** Fills `item` with the point that marks a deleted row. */
  deleted(kafkaKey: RecordData, item: ItemSlot<unknown>): string | undefined {
    const shape = this.#shapeOf(kafkaKey)
    if (!shape) return NO_KEY
    const rejected = readKey(kafkaKey, shape)
    if (rejected === undefined) shape.rows.mark(kafkaKey, item)
    return rejected
  }

  /** Compares the key just found in the row, which `item` has, with the Kafka key. By their fences, 7 and "7" are equal. If deleted rows
   *  are marked, exact keys tell these apart, as the service does: otherwise one would be marked, and the other would stay. */
  #disagreement(
    kafkaKey: RecordData,
    row: RecordData,
    { rows, finder, names }: Shape,
    item: ItemSlot<unknown>,
  ): string | undefined {
    if (fenceOf(item.key) !== fenceOf(rows.key))
      return 'its key fields have other values in its data than in its Kafka key'
    if (!this.#marksDeleted || exactOf(item.key) === exactOf(rows.key)) return undefined
    const isTextInRow = areTexts(finder, row)
    const isTextInKey = areTexts(finder, kafkaKey)
    const differing = isTextInRow.findIndex((isText, index) => isText !== isTextInKey[index])
    // numbers of one value in two spellings are one key to the service
    if (differing === -1) return undefined
    const kinds = isTextInRow[differing]
      ? 'a text in its data and none in its Kafka key'
      : 'a text in its Kafka key and none in its data'
    return `its key field ${JSON.stringify(names[differing]!.text)} is ${kinds}`
  }

  /** Adds the key fields that the row lacks in front of it, each with its quoted name. The shape's finder must have searched the row. */
  #joined(kafkaKey: RecordData, row: RecordData, { finder, names }: Shape): RecordData {
    const parts: Buffer[] = []
    for (let slot = kafkaKey.first * STRIDE; slot < (kafkaKey.first + kafkaKey.count) * STRIDE; slot += STRIDE) {
      const from = kafkaKey.members[slot]!
      const to = kafkaKey.members[slot + NAME_TO]!
      // a name of the shape, whose order may be another one; the member is taken from the quote in front of its name on
      const index = names.findIndex((name) => isName(kafkaKey.bytes, from, to, name))
      if (finder.slots[index] !== ABSENT) continue
      parts.push(
        parts.length === 0 ? OPEN : COMMA,
        kafkaKey.bytes.subarray(nameStart(from) - 1, kafkaKey.members[slot + VALUE_TO]),
      )
    }
    if (row.count > 0) parts.push(COMMA)
    const bytes = Buffer.concat([...parts, row.bytes.subarray(row.from + 1, row.to)])
    const whole = this.#joinedRow
    whole.locate(this.#scanner, bytes, 0, bytes.length)
    return whole
  }

  /** The tools for a key of these fields. `undefined` when no row can have such a key. */
  #shapeOf(kafkaKey: RecordData): Shape | undefined {
    if (this.#lastShape && isShape(kafkaKey, this.#lastShape)) return this.#lastShape
    const names = namesOf(kafkaKey)
    const id = JSON.stringify(inKeyOrder(names))
    if (!this.#shapes.has(id)) {
      if (this.#shapes.size === MOST_SHAPES) this.#shapes.clear()
      this.#shapes.set(id, this.#makeShape(names))
    }
    const shape = this.#shapes.get(id)
    if (shape) this.#lastShape = shape
    return shape
  }

  #makeShape(names: readonly string[]): Shape | undefined {
    if (names.length > MOST_FIELDS || names.some(({ length }) => length > LONGEST_NAME)) return undefined
    if (new Set(names).size < names.length) return undefined
    const paths = names.map((name) => [name])
    const key = topicKeyFields(paths, this.#table.columns)
    if (!key) return undefined // two names would be one field, or one is the mark of deleted rows
    return {
      names: names.map(nameOf),
      finder: new MemberFinder({ roots: names }),
      rows: new KeyedRows(this.#topic, key, this.#table),
    }
  }
}

/** Reads the Kafka key into the rows of its shape. Returns why the record is rejected; `undefined` when it is not. */
function readKey(kafkaKey: RecordData, { rows }: Shape): string | undefined {
  const rejected = rows.read(kafkaKey)
  return rejected === undefined ? undefined : `${rejected} in the Kafka key`
}

/** Whether the value of each key field is a text. */
function areTexts(finder: MemberFinder, record: RecordData): boolean[] {
  finder.find(record)
  return Array.from(finder.slots, (slot) => record.bytes[record.members[slot + VALUE_FROM]!] === QUOTE)
}

function namesOf({ bytes, members, first, count }: RecordData): string[] {
  return Array.from({ length: count }, (_, index) => memberName(bytes, members, (first + index) * STRIDE))
}

/** Whether the key has the fields of the shape in the same order, as nearly all keys do. */
function isShape({ bytes, members, first, count }: RecordData, { names }: Shape): boolean {
  if (count !== names.length) return false
  for (let index = 0; index < count; index++) {
    const slot = (first + index) * STRIDE
    if (!isName(bytes, members[slot]!, members[slot + NAME_TO]!, names[index]!)) return false
  }
  return true
}
