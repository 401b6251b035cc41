// Reads the keys of one stream's records from the values at their key paths (decisions.md#nested-keys-are-hoisted,
// decisions.md#keys-are-equal-at-two-levels). A MemberFinder has found the first member of each path before.

import type { Key } from '../core/types.ts'
import { BRACE } from '../json/bytes.ts'
import { isName, nameOf, type Name } from '../json/name.ts'
import { ABSENT, type RecordData } from '../json/record-data.ts'
import { VALUE_FROM, VALUE_TO, type Scanner } from '../json/scanner.ts'
import { compositePart, readAtom, type Atom } from './key-atom.ts'
import { shown, inKeyOrder } from './key-fields.ts'
import type { KeyField } from './stream-mapping.ts'

const MISSING = 'is missing'

/** A field of the key, and the way to its value. */
interface Part {
  /** Its index among the fields as they were given. */
  readonly index: number
  /** The index of the first name of its path among the roots, which are the distinct first names. */
  readonly root: number
  /** The names of its path below the root. */
  readonly below: readonly Name[]
  readonly path: readonly string[]
}

/** Reads keys one after another, and keeps the last: `key` and `values` are good until the next `read`. */
export class KeyReader {
  /** `undefined` when there are no fields. */
  key: Key = undefined
  /** Once `read` has rejected a record: the path of the field that it lacks. `undefined` when something else is wrong with it. */
  missing: readonly string[] | undefined
  /** Pairs of from and to: each key field's value in the record's bytes, in the order in which the fields were given. */
  readonly values: number[]
  /** The fields in the order of the key's text. */
  readonly #parts: readonly Part[]
  readonly #scanner: Scanner
  /** Filled anew for each field. */
  readonly #atom: Atom = { exact: 0, fence: 0 }

  /** @param roots as the MemberFinder got them
   *  @param scanner used while a key is read, and not between */
  constructor(fields: readonly KeyField[], roots: readonly string[], scanner: Scanner) {
    this.#scanner = scanner
    this.values = fields.flatMap(() => [0, 0])
    const names = fields.map(({ field }) => field)
    this.#parts = inKeyOrder(names).map((name) => {
      const index = names.indexOf(name)
      const { path } = fields[index]!
      return { index, root: roots.indexOf(path[0]!), below: path.slice(1).map(nameOf), path }
    })
  }

  /** Reads a record's key. @param slots where each root's member stands in `record.members`, or ABSENT; a MemberFinder keeps them
   *  @returns why the record is rejected. `undefined` when it has a key */
  read(record: RecordData, slots: readonly number[]): string | undefined {
    const parts = this.#parts
    const atom = this.#atom
    this.key = undefined
    let exact = ''
    let fence = ''
    for (let at = 0; at < parts.length; at++) {
      const field = parts[at]!
      const fault =
        this.#locate(record, slots, field) ??
        readAtom(record.bytes, this.values[2 * field.index]!, this.values[2 * field.index + 1]!, atom)
      if (fault !== undefined) return this.#reject(field, fault)
      // the key of a single field is its atom itself
      if (parts.length === 1) {
        this.key = atom.exact === atom.fence ? atom.exact : { exact: atom.exact, fence: atom.fence }
        return undefined
      }
      exact += compositePart(atom.exact)
      fence += compositePart(atom.fence)
    }
    if (parts.length > 0) this.key = exact === fence ? exact : { exact, fence }
    return undefined
  }

  /** Notes the place of a field's value in `values`. @returns why there is none. `undefined` when there is one */
  #locate({ bytes, members }: RecordData, slots: readonly number[], field: Part): string | undefined {
    const { index, root, below } = field
    const slot = slots[root]!
    if (slot === ABSENT) return MISSING
    this.values[2 * index] = members[slot + VALUE_FROM]!
    this.values[2 * index + 1] = members[slot + VALUE_TO]!
    for (const name of below) {
      const lacking = this.#descend(bytes, index, name)
      if (lacking !== undefined) return lacking
    }
    return undefined
  }

  /** Goes one name down: `values` has the place of an object, and gets that of its member. @returns as `#locate` */
  #descend(bytes: Buffer, index: number, name: Name): string | undefined {
    const { values } = this
    const from = values[2 * index]!
    if (bytes[from] !== BRACE) return MISSING
    const scanner = this.#scanner
    scanner.start(bytes, from, values[2 * index + 1]!)
    let times = 0
    for (let more = scanner.open(); more; more = scanner.next()) {
      const { at, nameFrom, nameTo } = scanner
      scanner.skip()
      if (!isName(bytes, nameFrom, nameTo, name)) continue
      times++
      values[2 * index] = at
      values[2 * index + 1] = scanner.at
    }
    if (times === 1) return undefined
    return times === 0 ? MISSING : 'occurs twice'
  }

  #reject({ path }: Part, reason: string): string {
    this.missing = reason === MISSING ? path : undefined
    return `its key field ${shown(path)} ${reason}`
  }
}
