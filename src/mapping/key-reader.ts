// A record's key from the values at its key paths (assumptions 21, 22, 24). Knows one stream's paths.

import type { Key } from '../core/types.ts'
import { isName, nameOf } from '../json/name.ts'
import type { Name } from '../json/name.ts'
import { Scanner } from '../json/scanner.ts'
import { shown } from './key-fields.ts'
import { readAtom } from './key-atom.ts'
import type { Atom } from './key-atom.ts'
import { NOT_MET } from './member-finder.ts'
import type { KeyField, RecordData } from './stream-mapping.ts'

const BRACE = 0x7b

interface Part {
  /** Index of its path's first member among the roots. */
  readonly root: number
  /** Names below it. */
  readonly rest: readonly Name[]
  /** For people. */
  readonly label: string
}

/** Reusable: the key of the record looked at last. */
export class KeyReader {
  /** Set when `read` answers true. */
  key: Key = undefined
  /** Why the record is rejected; set when `read` answers false. */
  rejected = ''
  /** From and to of each key field's value in the record's bytes. */
  readonly values: Int32Array
  readonly #parts: readonly Part[]
  readonly #scanner = new Scanner(8)
  readonly #atom: Atom = { exact: 0, fence: 0 }

  /** @param roots the distinct first names of the fields' paths */
  constructor(fields: readonly KeyField[], roots: readonly string[]) {
    this.values = new Int32Array(2 * fields.length)
    this.#parts = fields.map(({ path }) => ({
      root: roots.indexOf(path[0]!),
      rest: path.slice(1).map(nameOf),
      label: shown(path),
    }))
  }

  /** @param slots where the roots' members stand (member-finder.ts) */
  read(record: RecordData, slots: Int32Array): boolean {
    const parts = this.#parts
    const atom = this.#atom
    this.key = undefined
    let exact = ''
    let fence = ''
    for (let index = 0; index < parts.length; index++) {
      if (!this.#locate(record, slots, index)) return false
      const reason = readAtom(record.bytes, this.values[2 * index]!, this.values[2 * index + 1]!, atom)
      if (reason !== undefined) return this.#reject(index, reason)
      if (parts.length === 1) {
        this.key = atom.exact === atom.fence ? atom.exact : { exact: atom.exact, fence: atom.fence }
        return true
      }
      exact += part(atom.exact)
      fence += part(atom.fence)
    }
    if (parts.length > 0) this.key = exact === fence ? exact : { exact, fence }
    return true
  }

  #locate({ bytes, members }: RecordData, slots: Int32Array, index: number): boolean {
    const { root, rest } = this.#parts[index]!
    const slot = slots[root]!
    if (slot === NOT_MET) return this.#reject(index, 'is missing')
    this.values[2 * index] = members[slot + 2]!
    this.values[2 * index + 1] = members[slot + 3]!
    for (const name of rest) if (!this.#descend(bytes, index, name)) return false
    return true
  }

  /** From an object to the value of its member of that name. */
  #descend(bytes: Buffer, index: number, name: Name): boolean {
    const { values } = this
    const from = values[2 * index]!
    if (bytes[from] !== BRACE) return this.#reject(index, 'is missing')
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
    return times === 1 || this.#reject(index, times === 0 ? 'is missing' : 'occurs twice')
  }

  #reject(index: number, reason: string): false {
    this.rejected = `its key field ${this.#parts[index]!.label} ${reason}`
    return false
  }
}

/** One field of a composite key: its length in front, so that no two lists of fields read the same. */
function part(atom: string | number): string {
  return typeof atom === 'number' ? `${atom},` : `${atom.length}:${atom}`
}
