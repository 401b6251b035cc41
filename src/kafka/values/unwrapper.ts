// Removes the {schema, payload} wrapper of Kafka Connect's JSON converter from a key or a value. The same schemas come again and
// again, so each is parsed once.

import { isUtf8 } from 'node:buffer'
import { NamedMembers } from '../../json/named-members.ts'
import { RecordData, ABSENT } from '../../json/record-data.ts'
import { Scanner } from '../../json/scanner.ts'
import { decimalsIn } from './connect-decimal.ts'
import type { Decimals } from './connect-decimal.ts'
import { keepSmall, readObject } from './read-object.ts'

const BRACE = 0x7b
/** The first byte of null. */
const N = 0x6e
const SCHEMA = 0
const PAYLOAD = 1
/** A topic has a schema for each version of its table. */
const KEPT = 16
const LONGEST = 256 * 1024

/** Bytes up to a payload, and the decimals of the schema in them. */
interface Start {
  readonly bytes: Buffer
  readonly decimals: Decimals | undefined
}

/** Reusable: the key or value read last. */
export class Unwrapper {
  /** The kind of the payload. Of an object, `object` is filled, without the wrapper. */
  payload: 'object' | 'null' | 'scalar' = 'null'
  /** Whether there was a wrapper; without one only an object is taken. */
  wrapped = false
  /** Places where its schema, if it has one, says decimals are. */
  decimals: Decimals | undefined
  /** The place of the payload, whatever it is; a scalar's too. */
  from = 0
  to = 0
  readonly object = new RecordData()
  readonly scanner = new Scanner(256)
  readonly #names = new NamedMembers(['schema', 'payload'])
  readonly #starts: Start[] = []
  #last = 0
  #oldest = 0

  /** @returns what is wrong, as what follows "its value" */
  read(bytes: Buffer): string | undefined {
    this.decimals = undefined
    const start = this.#known(bytes)
    if (start && this.#goOn(bytes, start)) return undefined
    const { object } = this
    const reason = readObject(this.scanner, bytes, object)
    if (reason !== undefined) return reason
    this.from = object.from
    this.to = object.to
    this.payload = 'object'
    this.wrapped = this.#isWrapper()
    if (this.wrapped) this.#unwrap(bytes)
    return undefined
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
    if (schema < payload) this.#learn(bytes.subarray(0, from))
    this.#place(bytes, from, to)
    if (this.payload === 'object') this.object.locate(this.scanner, bytes, from, to)
  }

  #place(bytes: Buffer, from: number, to: number): void {
    this.from = from
    this.to = to
    const first = bytes[from]
    this.payload = first === BRACE ? 'object' : first === N ? 'null' : 'scalar'
  }

  /** Reads from the payload on, as the bytes before it are known. False: the record must be read as a whole. */
  #goOn(bytes: Buffer, start: Start): boolean {
    const { scanner } = this
    if (!isUtf8(bytes)) return false
    keepSmall(scanner)
    scanner.start(bytes, start.bytes.length, bytes.length)
    const from = scanner.at
    if (!(bytes[from] === BRACE ? scanner.table() : scanner.skip())) return false
    const to = scanner.at
    if (scanner.next() || !scanner.finish()) return false
    this.#place(bytes, from, to)
    if (this.payload === 'object') this.object.hold(scanner, bytes, from, to)
    this.wrapped = true
    this.decimals = start.decimals
    return true
  }

  #known(bytes: Buffer): Start | undefined {
    const starts = this.#starts
    for (let step = 0, index = this.#last; step < starts.length; step++) {
      const start = starts[index]!
      const { length } = start.bytes
      if (length < bytes.length && bytes.compare(start.bytes, 0, length, 0, length) === 0) {
        this.#last = index
        return start
      }
      index = index + 1 === starts.length ? 0 : index + 1
    }
    return undefined
  }

  #learn(bytes: Buffer): void {
    if (bytes.length > LONGEST) return
    const start = { bytes: Buffer.from(bytes), decimals: this.decimals }
    if (this.#starts.length < KEPT) this.#starts.push(start)
    else {
      this.#starts[this.#oldest] = start
      this.#oldest = (this.#oldest + 1) % KEPT
    }
  }
}
