// A small object of a message, member by member: for lines that are rare beside records.

import { decodeString } from '../json/decode-string.ts'
import { ABSENT, lastMember } from '../json/find-member.ts'
import type { Name } from '../json/name.ts'
import { isName } from '../json/name.ts'
import { STRIDE } from '../json/scanner.ts'
import type { Scanner } from '../json/scanner.ts'

const QUOTE = 0x22
const BRACE = 0x7b
/** The first byte of null. */
const N = 0x6e

/** The object at bytes[from, to), which is valid JSON already. The last of several members of one name counts; null is
 *  absent. Its table and those of the objects in it are the scanner's: valid until the scanner is used for another. */
export class Members {
  readonly #bytes: Buffer
  readonly #scanner: Scanner
  readonly #first: number
  readonly count: number
  /** Behind the object's closing brace. */
  readonly to: number

  /** @param first where in the scanner's table its members go */
  constructor(scanner: Scanner, bytes: Buffer, from: number, to: number, first = 0) {
    scanner.start(bytes, from, to)
    scanner.count = first
    scanner.table()
    this.#bytes = bytes
    this.#scanner = scanner
    this.#first = first
    this.count = scanner.count - first
    this.to = scanner.at
  }

  /** Is there such a member, and it is not null? */
  has(name: Name): boolean {
    const [from] = this.#range(name)
    return from >= 0 && this.#bytes[from] !== N
  }

  /** The text of a member that is a string. */
  text(name: Name): string | undefined {
    const [from, to] = this.#range(name)
    return this.#bytes[from] === QUOTE ? decodeString(this.#bytes, from + 1, to - 1) : undefined
  }

  /** A member that is an object. */
  object(name: Name): Members | undefined {
    const [from, to] = this.#range(name)
    return this.#bytes[from] === BRACE
      ? new Members(this.#scanner, this.#bytes, from, to, this.#scanner.count)
      : undefined
  }

  /** The values of every member of that name: from, to pairs. */
  ranges(name: Name): number[] {
    const { members } = this.#scanner
    const found: number[] = []
    for (let slot = this.#first * STRIDE; slot < (this.#first + this.count) * STRIDE; slot += STRIDE) {
      if (isName(this.#bytes, members[slot]!, members[slot + 1]!, name))
        found.push(members[slot + 2]!, members[slot + 3]!)
    }
    return found
  }

  #range(name: Name): readonly [number, number] {
    const { members } = this.#scanner
    const index = lastMember(this.#bytes, members, this.#first, this.count, name)
    return index === ABSENT ? [-1, -1] : [members[index * STRIDE + 2]!, members[index * STRIDE + 3]!]
  }
}
