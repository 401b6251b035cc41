// A small object of a message, member by member: for lines that are rare beside records.

import { decodeString } from '../json/decode-string.ts'
import { ABSENT, lastMember } from '../json/find-member.ts'
import type { Name } from '../json/name.ts'
import { isName } from '../json/name.ts'
import { Scanner, STRIDE } from '../json/scanner.ts'

const QUOTE = 0x22
const BRACE = 0x7b

/** The object at bytes[from, to), which is valid JSON already. The last of several members of one name counts; null is
 *  absent. */
export class Members {
  readonly #bytes: Buffer
  readonly #members: Int32Array
  readonly count: number
  /** Behind the object's closing brace. */
  readonly to: number

  constructor(bytes: Buffer, from: number, to: number) {
    const scanner = new Scanner(8)
    scanner.start(bytes, from, to)
    scanner.table()
    this.#bytes = bytes
    this.#members = scanner.members
    this.count = scanner.count
    this.to = scanner.at
  }

  /** The text of a member that is a string. */
  text(name: Name): string | undefined {
    const [from, to] = this.#range(name)
    return this.#bytes[from] === QUOTE ? decodeString(this.#bytes, from + 1, to - 1) : undefined
  }

  /** A member that is an object. */
  object(name: Name): Members | undefined {
    const [from, to] = this.#range(name)
    return this.#bytes[from] === BRACE ? new Members(this.#bytes, from, to) : undefined
  }

  /** The values of every member of that name: from, to pairs. */
  ranges(name: Name): number[] {
    const found: number[] = []
    for (let slot = 0; slot < this.count * STRIDE; slot += STRIDE) {
      if (isName(this.#bytes, this.#members[slot]!, this.#members[slot + 1]!, name))
        found.push(this.#members[slot + 2]!, this.#members[slot + 3]!)
    }
    return found
  }

  #range(name: Name): readonly [number, number] {
    const index = lastMember(this.#bytes, this.#members, 0, this.count, name)
    return index === ABSENT ? [-1, -1] : [this.#members[index * STRIDE + 2]!, this.#members[index * STRIDE + 3]!]
  }
}
