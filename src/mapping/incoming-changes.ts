// The changes a source reports of a record (`meta.changes`), as they stand in its line. Judges none of them.

import { ABSENT, lastMember } from '../json/find-member.ts'
import { nameOf } from '../json/name.ts'
import { Scanner, STRIDE } from '../json/scanner.ts'
import { DEEPEST } from './stream-mapping.ts'
import type { RecordData } from './stream-mapping.ts'

const CHANGES = nameOf('changes')
const BRACKET = 0x5b

/** Reusable: where the list of the record looked at last stands. */
export class IncomingChanges {
  from = 0
  to = 0
  readonly #scanner = new Scanner(8)

  /** @returns whether the record's meta has a list of changes that can be stored: bytes[from, to) */
  find({ bytes, metaFrom, metaTo }: RecordData): boolean {
    if (metaFrom === metaTo) return false
    const scanner = this.#scanner
    scanner.start(bytes, metaFrom, metaTo)
    if (!scanner.table()) return false
    const index = lastMember(bytes, scanner.members, 0, scanner.count, CHANGES)
    if (index === ABSENT) return false
    this.from = scanner.members[index * STRIDE + 2]!
    this.to = scanner.members[index * STRIDE + 3]!
    return bytes[this.from] === BRACKET && scanner.depth <= DEEPEST
  }
}
