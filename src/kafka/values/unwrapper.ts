// Removes the {schema, payload} wrapper of Kafka Connect's JSON converter from a key or a value.

import { isUtf8 } from 'node:buffer'
import { NamedMembers } from '../../json/named-members.ts'
import { RecordData, ABSENT } from '../../json/record-data.ts'
import { Scanner } from '../../json/scanner.ts'
import { decimalsIn } from './connect-decimal.ts'
import type { Decimals } from './connect-decimal.ts'
import { keepSmall, readObject } from './read-object.ts'
import { WrapperStarts } from './wrapper-starts.ts'
import type { WrapperStart } from './wrapper-starts.ts'

const BRACE = 0x7b
/** The first byte of null. */
const N = 0x6e
const SCHEMA = 0
const PAYLOAD = 1

/** `read` fills all other members, which are valid until it is called again. */
export class Unwrapper {
  /** What the payload is; of bytes without a wrapper it is the object that they are. */
  payload: 'object' | 'null' | 'scalar' = 'null'
  /** Where the payload lies in the bytes. */
  from = 0
  to = 0
  /** The payload, where it is an object. */
  readonly object = new RecordData()
  /** Where the wrapper's schema says that decimals are. `undefined` when it says of none, or there is no schema. */
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
    keepSmall(scanner)
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

  /** Exactly schema and payload, where schema is an object or null. In a row with two columns of these names it is a string. */
  #isWrapper(): boolean {
    const { object } = this
    if (object.count !== 2) return false
    this.#names.find(object)
    const schema = this.#names.slots[SCHEMA]!
    if (schema === ABSENT || this.#names.slots[PAYLOAD] === ABSENT) return false
    const first = object.bytes[object.members[schema + 2]!]
    return first === BRACE || first === N
  }

  #unwrap(bytes: Buffer): void {
    const { members } = this.object
    const schema = this.#names.slots[SCHEMA]!
    const payload = this.#names.slots[PAYLOAD]!
    this.decimals = decimalsIn(bytes.toString('utf8', members[schema + 2], members[schema + 3]))
    const from = members[payload + 2]!
    const to = members[payload + 3]!
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
