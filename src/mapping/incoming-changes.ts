// The changes a source reports of a record (`meta.changes`), as they stand in its line. Judges none of them.

import { isName, nameOf } from '../json/name.ts'
import { Scanner } from '../json/scanner.ts'
import { DEEPEST } from '../json/record-data.ts'
import type { RecordData } from '../json/record-data.ts'

const CHANGES = nameOf('changes')
const BRACKET = 0x5b

/** Reusable: where the list of the record looked at last stands. */
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
    // no table: of its members, which may be millions, one is wanted
    let deepest = 0
    for (let more = scanner.open(); more; more = scanner.next()) {
      const { at, nameFrom, nameTo } = scanner
      scanner.skip()
      deepest = Math.max(deepest, scanner.depth)
      if (!isName(bytes, nameFrom, nameTo, CHANGES)) continue
      this.from = at
      this.to = scanner.at
    }
    return bytes[this.from] === BRACKET && deepest < DEEPEST
  }
}
