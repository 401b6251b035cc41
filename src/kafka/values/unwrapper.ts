// Takes the payload out of the {schema, payload} wrapper that Kafka Connect's JSON converter puts around a key or a value.

import { isUtf8 } from 'node:buffer'
import { BRACE, N } from '../../json/bytes.ts'
import { NamedMembers } from '../../json/named-members.ts'
import { RecordData, ABSENT } from '../../json/record-data.ts'
import { Scanner, VALUE_FROM, VALUE_TO } from '../../json/scanner.ts'
import { decimalsIn, type Decimals } from './connect-decimal.ts'
import { readObject } from './read-object.ts'

/** Indexes in `#names`, and so in its `slots`, which say where in the object's `members` a member is. */
const SCHEMA = 0
const PAYLOAD = 1

/** Call `read` for each key or value: it fills all other members, which are valid until the next call. Most wrappers have the same schema as
 *  one before them, and so the same first bytes (`WrapperStarts`): those are read from their payload on. */
export class Unwrapper {
  /** The kind of the payload; a scalar may also be an array. Bytes without a wrapper are their own payload, an object. */
  payload: 'object' | 'null' | 'scalar' = 'null'
  /** The payload is at [from, to) of the bytes. */
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
   *  @returns what is wrong, in words that go on after "its value"; `undefined` when nothing is */
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
   *  @returns false when that is not possible: read as a whole, it shows what is wrong */
  #readBehind(start: WrapperStart, bytes: Buffer): boolean {
    const { scanner } = this
    if (!isUtf8(bytes)) return false
    scanner.keepSmall()
    scanner.start(bytes, start.bytes.length, bytes.length)
    const from = scanner.at
    if (!(bytes[from] === BRACE ? scanner.table() : scanner.skip())) return false
    const to = scanner.at
    // behind the payload no other member may come, and the wrapper must end
    if (scanner.next() || !scanner.finish()) return false
    this.#notePayload(bytes, from, to)
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
    this.#notePayload(bytes, from, to)
    if (this.payload === 'object') this.object.locate(this.scanner, bytes, from, to)
  }

  #notePayload(bytes: Buffer, from: number, to: number): void {
    this.from = from
    this.to = to
    const first = bytes[from]
    this.payload = first === BRACE ? 'object' : first === N ? 'null' : 'scalar'
  }
}

/** Most beginnings that are kept (a topic has a schema for each version of its table), and most bytes of one that is. */
const MOST_STARTS = 16
const MOST_BYTES = 256 * 1024

/** The bytes of a wrapper before its payload, with the schema among them, and the decimals that this schema tells of. */
interface WrapperStart {
  readonly bytes: Buffer
  readonly decimals: Decimals | undefined
}

/** Known beginnings of wrappers. The same ones come again and again, so the schema of each is parsed only once. */
class WrapperStarts {
  readonly #starts: WrapperStart[] = []
  /** The index of the one found last, which is tried first: most probably the next value has it too. */
  #last = 0
  /** The index whose place the next one takes. */
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

  /** Keeps a copy of a beginning, in the place of the oldest when there are as many as may be. */
  add(bytes: Buffer, decimals: Decimals | undefined): void {
    if (bytes.length > MOST_BYTES) return
    this.#starts[this.#oldest] = { bytes: Buffer.from(bytes), decimals }
    this.#oldest = (this.#oldest + 1) % MOST_STARTS
  }
}
