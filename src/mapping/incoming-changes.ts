// The changes that a source says it made to a record: the list `changes` of the record's `meta`.

import { isName, nameOf } from '../json/name.ts'
import { DEEPEST } from '../json/record-data.ts'
import type { RecordData } from '../json/record-data.ts'
import type { Scanner } from '../json/scanner.ts'

const CHANGES_NAME = nameOf('changes')
const BRACKET = 0x5b

/** Finds the changes that a source reports for a record (`meta.changes`), one record after another. */
export class IncomingChanges {
  from = 0
  to = 0
  readonly #scanner: Scanner

  constructor(scanner: Scanner) {
    this.#scanner = scanner
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
