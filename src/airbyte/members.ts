// A small object of a message, member by member: for lines that are rare beside records.

import { decodeString } from '../json/decode-string.ts'
import type { Name } from '../json/name.ts'
import { isName } from '../json/name.ts'
import type { Scanner } from '../json/scanner.ts'

const QUOTE = 0x22
const BRACE = 0x7b
/** The first byte of null. */
const N = 0x6e
/** Of equal members so many values are noted, the last one among them: a line may consist of nothing else. */
const MOST_EQUAL = 1024

/** The object at bytes[from, to), which is valid JSON already, and what it has of some names: its other members, of which
 *  there may be millions, take no memory. The last of several members of one name counts; null is absent. */
export class Members {
  readonly #bytes: Buffer
  readonly #scanner: Scanner
  readonly #names: readonly Name[]
  /** Of each name's values: from, to pairs. */
  readonly #found: readonly number[][]
  readonly isEmpty: boolean
  /** Behind the object's closing brace. */
  readonly to: number

  /** @param names that will be asked for */
  constructor(scanner: Scanner, bytes: Buffer, from: number, to: number, names: readonly Name[]) {
    this.#bytes = bytes
    this.#scanner = scanner
    this.#names = names
    this.#found = names.map(() => [])
    scanner.start(bytes, from, to)
    let more = scanner.open()
    this.isEmpty = !more
    for (; more; more = scanner.next()) {
      const { at, nameFrom, nameTo } = scanner
      scanner.skip()
      for (let index = 0; index < names.length; index++)
        if (isName(bytes, nameFrom, nameTo, names[index]!)) note(this.#found[index]!, at, scanner.at)
    }
    this.to = scanner.at
  }

  /** Is there such a member, and it is not null? */
  has(name: Name): boolean {
    const [from] = this.#last(name)
    return from >= 0 && this.#bytes[from] !== N
  }

  /** The text of a member that is a string. */
  text(name: Name): string | undefined {
    const [from, to] = this.#last(name)
    return this.#bytes[from] === QUOTE ? decodeString(this.#bytes, from + 1, to - 1) : undefined
  }

  /** A member that is an object, and what it has of `names`. */
  object(name: Name, names: readonly Name[]): Members | undefined {
    const [from, to] = this.#last(name)
    return this.#bytes[from] === BRACE ? new Members(this.#scanner, this.#bytes, from, to, names) : undefined
  }

  /** The values of every member of that name: from, to pairs. Of more than 1,024 the first ones, and the last. */
  ranges(name: Name): readonly number[] {
    return this.#found[this.#names.findIndex(({ text }) => text === name.text)] ?? []
  }

  #last(name: Name): readonly [number, number] {
    const found = this.ranges(name)
    return [found.at(-2) ?? -1, found.at(-1) ?? -1]
  }
}

function note(found: number[], from: number, to: number): void {
  if (found.length === 2 * MOST_EQUAL) found.length -= 2
  found.push(from, to)
}
