// Reads values that are Airbyte messages: the data of a RECORD is the row. Which stream's records are rows is configured. It is never the
// stream that comes first, since that depends on the order in which partitions are read.

import type { TopicConfig } from '../../config/stream/stream-config.ts'
import { BRACE, N, QUOTE } from '../../json/bytes.ts'
import { NamedMembers } from '../../json/named-members.ts'
import { ABSENT, memberText, RecordData } from '../../json/record-data.ts'
import { Scanner, VALUE_FROM, VALUE_TO } from '../../json/scanner.ts'
import { decodeString } from '../../json/strings.ts'
import { readObject, type Ignored, type RejectedValue } from './read-object.ts'

/** Types of messages that are counted each by its own name. */
const COUNTED = new Map<string, Ignored>(['STATE', 'LOG', 'TRACE'].map((type) => [type, { ignored: type }]))
const OTHER: Ignored = { ignored: 'other message' }

/** Indexes in the lists of names below, of `#message` (TYPE, RECORD) and of `#record`. */
const TYPE = 0
const RECORD = 1
const STREAM = 0
const NAMESPACE = 1
const DATA = 2

const OTHER_STREAM: RejectedValue = {
  rejected: 'it is of another stream than the one that `stream` names for its topic',
}

/** Takes the names of two streams that are in one topic. */
type Mixed = (oneStream: string, otherStream: string) => void

/** Reads the values of one topic. `read` says what a value is; where that is a row, `row` and `name` are filled until the next `read`. */
export class AirbyteValues {
  /** The data of the RECORD. While `read` is at work it is the message, then its record, and in the end that record's data. */
  readonly row = new RecordData()
  /** The stream of the RECORD, with its namespace and a dot before it if it has one. `undefined` when names are not wanted. */
  name: string | undefined
  readonly #scanner = new Scanner(256)
  readonly #message = new NamedMembers(['type', 'record'])
  readonly #record = new NamedMembers(['stream', 'namespace', 'data'])
  readonly #stream: TopicConfig['stream']
  readonly #wantsName: boolean
  readonly #mixed: Mixed
  /** The first stream that came. Used only if none is configured, to find out that there are several. */
  #firstStream: string | undefined
  /** Whether `mixed` was called: from then on the stream of a record does not matter. */
  #isMixed = false
  /** The bytes of stream and namespace, one behind the other, of the record accepted last: the next one's are mostly the same. */
  #acceptedBytes: Buffer | undefined

  /** @param stream whose records are rows; `undefined` when those of all streams are
   *  @param mixed called once if records of several streams come, unless `stream` is given or names are wanted
   *  @param wantsName whether `name` is to be filled */
  constructor(stream?: TopicConfig['stream'], mixed: Mixed = () => undefined, wantsName = false) {
    this.#stream = stream
    this.#wantsName = wantsName
    this.#mixed = mixed
  }

  read(value: Buffer): 'row' | Ignored | RejectedValue {
    const { row } = this
    const reason = readObject(this.#scanner, value, row)
    if (reason !== undefined) return { rejected: `its value ${reason}` }
    this.#message.find(row)
    const type = memberText(row, this.#message.slots[TYPE]!)
    if (type === undefined) return { rejected: 'it has no string "type"' }
    if (type !== 'RECORD') return COUNTED.get(type) ?? OTHER
    const record = this.#message.slots[RECORD]!
    if (record === ABSENT || !row.locateMember(this.#scanner, row, record))
      return { rejected: 'it is a RECORD without a "record" object' }
    return this.#data()
  }

  /** Goes from the record to its data. A slot is the place of a member in `members`, with where its value begins (VALUE_FROM) and ends
   *  (VALUE_TO). The first byte of a value tells its kind: QUOTE a text, BRACE an object, N (of null) nothing. */
  #data(): 'row' | RejectedValue {
    const { row } = this
    const { bytes, members } = row
    this.#record.find(row)
    const { slots } = this.#record
    const stream = slots[STREAM]!
    if (stream === ABSENT || bytes[members[stream + VALUE_FROM]!] !== QUOTE)
      return { rejected: 'it is a RECORD without a string "stream"' }
    const data = slots[DATA]!
    if (data === ABSENT || bytes[members[data + VALUE_FROM]!] !== BRACE)
      return { rejected: 'it is a RECORD without a "data" object' }
    const namespace = slots[NAMESPACE]!
    const namespaceByte = namespace === ABSENT ? N : bytes[members[namespace + VALUE_FROM]!]
    if (namespaceByte !== QUOTE && namespaceByte !== N)
      return { rejected: 'it is a RECORD whose "namespace" is neither a string nor null' }
    if (!this.#isRowStream(stream, namespaceByte === QUOTE ? namespace : ABSENT)) return OTHER_STREAM
    row.locateMember(this.#scanner, row, data)
    return 'row'
  }

  /** Whether records of this stream are rows. An empty namespace counts as none. Names spelt as last time are not decoded again.
   *  @param stream, namespace slots of the members; ABSENT when there is no namespace */
  #isRowStream(stream: number, namespace: number): boolean {
    if (this.#isMixed) return true
    const { bytes, members } = this.row
    const from = members[stream + VALUE_FROM]!
    const to = members[stream + VALUE_TO]!
    // no bytes, where there is no namespace
    const spaceFrom = namespace === ABSENT ? from : members[namespace + VALUE_FROM]!
    const spaceTo = namespace === ABSENT ? from : members[namespace + VALUE_TO]!
    const accepted = this.#acceptedBytes
    const length = to - from
    if (
      accepted?.length === length + spaceTo - spaceFrom &&
      bytes.compare(accepted, 0, length, from, to) === 0 &&
      bytes.compare(accepted, length, accepted.length, spaceFrom, spaceTo) === 0
    )
      return true
    const name = decodeString(bytes, from + 1, to - 1)
    const space = spaceTo > spaceFrom ? decodeString(bytes, spaceFrom + 1, spaceTo - 1) : ''
    if (!this.#isWanted(name, space)) return false
    this.#acceptedBytes = Buffer.concat([bytes.subarray(from, to), bytes.subarray(spaceFrom, spaceTo)])
    return true
  }

  #isWanted(name: string, namespace: string): boolean {
    const wanted = this.#stream
    if (wanted) return name === wanted.name && (wanted.namespace === undefined || namespace === wanted.namespace)
    const fullName = namespace === '' ? name : `${namespace}.${name}`
    if (this.#wantsName) {
      this.name = fullName
      return true
    }
    this.#firstStream ??= fullName
    if (this.#firstStream !== fullName) {
      this.#isMixed = true
      // in the same order, whichever came first
      const [one, other] = [this.#firstStream, fullName].toSorted() as [string, string]
      this.#mixed(one, other)
    }
    return true
  }
}
