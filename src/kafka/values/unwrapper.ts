// Removes the {schema, payload} wrapper of Kafka Connect's JSON converter from a key or a value.

import { isUtf8 } from 'node:buffer'
import { BRACE, N } from '../../json/bytes.ts'
import { NamedMembers } from '../../json/named-members.ts'
import { RecordData, ABSENT } from '../../json/record-data.ts'
import { Scanner, VALUE_FROM, VALUE_TO } from '../../json/scanner.ts'
import { decimalsIn, type Decimals } from './connect-decimal.ts'
import { readObject } from './read-object.ts'

const SCHEMA = 0
const PAYLOAD = 1

/** Call `read` for each key or value: it fills all other members, which are valid until the next call. Most wrappers begin as one before
 *  them (`WrapperStarts`), and are then read from their payload on. */
export class Unwrapper {
  /** The kind of the payload. Bytes without a wrapper are their own payload, an object. */
  payload: 'object' | 'null' | 'scalar' = 'null'
  /** The payload's place in the bytes. */
  from = 0
  to = 0
  /** The payload, where it is an object. */
  readonly object = new RecordData()
  /** The decimals that the wrapper's schema tells of. `undefined` when there are none. */
  decimals: Decimals | undefined
  readonly scanner = new Scanner(256)
  readonly #names = new NamedMembers(['schema', 'payload'])
  readonly #starts = new WrapperStarts()

  /** Reads a wrapper, or an object without one.
   *  @returns what is wrong, as what follows "its value"; `undefined` when nothing is */
  read(bytes: Buffer): string | undefined {
    const start = this.#starts.find(bytes)
    if (start && this.#readBehind(start, bytes)) return undefined
    const { object } = this
    const reason = readObject(this.scanner, bytes, object)
    if (reason !== undefined) return reason
    this.from = object.from
    this.to = object.to
    this.payload = 'object'
    this.decimals = undefined
    if (this.#isWrapper()) this.#unwrap(bytes)
    return undefined
  }

  /** Reads a wrapper from its payload on.
   *  @returns whether it could be: if not, it has to be read as a whole, which says what is wrong */
  #readBehind(start: WrapperStart, bytes: Buffer): boolean {
    const { scanner } = this
    if (!isUtf8(bytes)) return false
    scanner.keepSmall()
    scanner.start(bytes, start.bytes.length, bytes.length)
    const from = scanner.at
    if (!(bytes[from] === BRACE ? scanner.table() : scanner.skip())) return false
    const to = scanner.at
    if (scanner.next() || !scanner.finish()) return false
    this.#locate(bytes, from, to)
    if (this.payload === 'object') this.object.hold(scanner, bytes, from, to)
    this.decimals = start.decimals
    return true
  }

  /** Whether the object is a wrapper: its members are schema and payload, and the schema is an object or null. A row with two columns of
   *  these names is not a wrapper, as its column schema is a text. */
  #isWrapper(): boolean {
    const { object } = this
    if (object.count !== 2) return false
    this.#names.find(object)
    const schema = this.#names.slots[SCHEMA]!
    if (schema === ABSENT || this.#names.slots[PAYLOAD] === ABSENT) return false
    const first = object.bytes[object.members[schema + VALUE_FROM]!]
    return first === BRACE || first === N
  }

  #unwrap(bytes: Buffer): void {
    const { members } = this.object
    const schema = this.#names.slots[SCHEMA]!
    const payload = this.#names.slots[PAYLOAD]!
    this.decimals = decimalsIn(bytes.toString('utf8', members[schema + VALUE_FROM], members[schema + VALUE_TO]))
    const from = members[payload + VALUE_FROM]!
    const to = members[payload + VALUE_TO]!
    if (schema < payload) this.#starts.add(bytes.subarray(0, from), this.decimals)
    this.#locate(bytes, from, to)
    if (this.payload === 'object') this.object.locate(this.scanner, bytes, from, to)
  }

  #locate(bytes: Buffer, from: number, to: number): void {
    this.from = from
    this.to = to
    const first = bytes[from]
    this.payload = first === BRACE ? 'object' : first === N ? 'null' : 'scalar'
  }
}

/** Most beginnings that are kept: a topic has a schema for each version of its table. */
const MOST_STARTS = 16
const MOST_BYTES = 256 * 1024

interface WrapperStart {
  readonly bytes: Buffer
  readonly decimals: Decimals | undefined
}

/** Beginnings of wrappers, from their first byte up to the payload, so with the schema. The same come again and again, so what a schema
 *  says is found once for each. */
class WrapperStarts {
  readonly #starts: WrapperStart[] = []
  /** The index of the one found last, which is tried first: most probably the next value has it too. */
  #last = 0
  #oldest = 0

  /** The known beginning that a wrapper has. `undefined` when it has none of them. */
  find(wrapper: Buffer): WrapperStart | undefined {
    const starts = this.#starts
    for (let step = 0, index = this.#last; step < starts.length; step++) {
      const start = starts[index]!
      const { length } = start.bytes
      if (length < wrapper.length && wrapper.compare(start.bytes, 0, length, 0, length) === 0) {
        this.#last = index
        return start
      }
      index = index + 1 === starts.length ? 0 : index + 1
    }
    return undefined
  }

  /** Keeps a copy of one, in the place of the oldest if there are too many. */
  add(bytes: Buffer, decimals: Decimals | undefined): void {
    if (bytes.length > MOST_BYTES) return
    this.#starts[this.#oldest] = { bytes: Buffer.from(bytes), decimals }
    this.#oldest = (this.#oldest + 1) % MOST_STARTS
  }
}
