// Samples which fields the records of a table have, and of which JSON kinds their values are. It looks at all records, or at the first
// 1,000 and then at one in 64. A name may be data, so only names that were declared, or that enough records had, are told.

import { jsonKindOf, type JsonKind } from '../json/json-kind.ts'
import { isName, nameOf, type Name } from '../json/name.ts'
import { memberName, type RecordData } from '../json/record-data.ts'
import { NAME_TO, nameStart, STRIDE, VALUE_FROM } from '../json/scanner.ts'

/** Records at the beginning that are all looked at. */
const FIRST_RECORDS = 1000
/** After them, one record in this many is looked at. */
const THEN_ONE_IN = 64
/** Records that must have an undeclared name before it is told. */
const LEAST_RECORDS = 10
/** Most names that are told. */
const MOST_LISTED = 500
/** Most members of a record that are looked at. */
const MOST_LOOKED_AT = 1000
/** Most undeclared names that are remembered. */
const MOST_UNDECLARED = 1000
/** Most bytes that a name may have in the record to be remembered. */
const LONGEST_NAME = 200

interface Field {
  readonly name: Name
  readonly kinds: Record<JsonKind, number>
  readonly isDeclared: boolean
  records: number
  /** The number, from 1, of the last sampled record that had it; 0 before the first one. */
  lastSample: number
}

/** Counts the fields of one stream or topic: call `see` with each record, then read `all`. */
export class FieldKinds {
  readonly #declared: readonly string[]
  readonly #oneIn: number
  /** Made at the first record: of thousands of streams most may have none. */
  #fields: Map<string, Field> | undefined
  /** The field last found at each place of a record: most records have their fields in one order, so it is tried first. */
  readonly #order: Field[] = []
  #seen = 0
  #sampled = 0
  /** Members of the sampled records. Those that no listed field counts are the `others` of `all`. */
  #members = 0

  /** @param declared names that the catalog or a schema declares
   *  @param looksAtAll whether no record is left out */
  constructor(declared: readonly string[] = [], looksAtAll = false) {
    this.#declared = declared
    this.#oneIn = looksAtAll ? 1 : THEN_ONE_IN
  }

  see(data: RecordData): void {
    const index = this.#seen++
    if (index < FIRST_RECORDS || index % this.#oneIn === 0) this.#sample(data)
  }

  /** The fields of the records sampled, the most frequent first, and how many members had other names. `undefined` when there was no
   *  record. */
  get all() {
    if (this.#fields === undefined) return undefined
    const names = Array.from(this.#fields.entries())
      .filter(([, { records, isDeclared }]) => records >= (isDeclared ? 1 : LEAST_RECORDS))
      .map(([name, { records, kinds }]) => ({ name, records, kinds: { ...kinds } }))
      .toSorted((a, b) => b.records - a.records)
      .slice(0, MOST_LISTED)
    const listed = names.reduce((sum, { records }) => sum + records, 0)
    return { sampled: this.#sampled, names, others: this.#members - listed }
  }

  #sample({ bytes, members, first, count }: RecordData): void {
    this.#fields ??= new Map(this.#declared.map((name) => [name, fieldOf(name, true)]))
    this.#sampled++
    this.#members += count
    for (let at = 0; at < Math.min(count, MOST_LOOKED_AT); at++) {
      // the place of the member's numbers in the scanner's table, the first of which is where its name begins
      const slot = (first + at) * STRIDE
      const [nameFrom, nameTo] = [members[slot]!, members[slot + NAME_TO]!]
      if (nameTo - nameStart(nameFrom) > LONGEST_NAME) continue
      let field = this.#order[at]
      if (field === undefined || !isName(bytes, nameFrom, nameTo, field.name)) {
        field = this.#remembered(this.#fields, memberName(bytes, members, slot))
        if (field === undefined) continue
        this.#order[at] = field
      }
      if (field.lastSample === this.#sampled) {
        // a name that is repeated counts once for a record, as it does in `Field.records`
        this.#members--
        continue
      }
      field.lastSample = this.#sampled
      field.records++
      field.kinds[jsonKindOf(bytes[members[slot + VALUE_FROM]!]!)]++
    }
  }

  /** Returns the field of a name, which it adds if there is room. `undefined` when there is none. */
  #remembered(fields: Map<string, Field>, name: string): Field | undefined {
    const known = fields.get(name)
    if (known || fields.size >= MOST_UNDECLARED + this.#declared.length) return known
    const field = fieldOf(name, false)
    fields.set(name, field)
    return field
  }
}

function fieldOf(name: string, isDeclared: boolean): Field {
  const kinds = { string: 0, number: 0, boolean: 0, null: 0, object: 0, array: 0 }
  return { name: nameOf(name), kinds, isDeclared, records: 0, lastSample: 0 }
}
