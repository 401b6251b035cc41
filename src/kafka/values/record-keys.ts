// Reads a record's Kafka key as an object of key fields: a JSON object, with Connect's wrapper ({schema, payload}) or without, or one plain
// value under a name. Decimals become texts where the wrapper's schema shows them.

import { isUtf8 } from 'node:buffer'
import { BRACE, BRACKET } from '../../json/bytes.ts'
import { Scanner } from '../../json/scanner.ts'
import type { PlainKeyType } from '../../config/stream/stream-config.ts'
import type { Decimals } from './connect-decimal.ts'
import { DecimalColumns } from './decimal-columns.ts'
import type { RecordData } from '../../json/record-data.ts'
import type { RejectedValue } from './read-object.ts'
import { Unwrapper } from './unwrapper.ts'

/** Integers that become numbers: of the only form in which no two texts are one number (no 007, no -0), and at most this long. */
export const INTEGER = /^(?:0|-?[1-9]\d*)$/
export const LONGEST_INTEGER = 400

/** For each type of key that may be configured, how its JSON begins, and the type in words. */
const STARTS = { text: /^"/, number: /^[-\d]/, json: /^[^[{]/ } as const
const WANTED = { text: 'a text', number: 'a number of JSON', json: 'a text, number, true or false of JSON' } as const

/** Whether a key looks like an integer of Kafka's serialisers: 4 or 8 bytes, the first of them 0, as in all that are not large or negative. */
export function isBinaryInteger(key: Buffer): boolean {
  return key[0] === 0 && (key.length === 8 || key.length === 4)
}

/** The form in which a key was read: an object, which `RecordKeys.object` holds then; none, as it is null; or why it cannot be taken. */
export type KeyFound = 'object' | 'none' | RejectedValue

/** Reads the keys of one topic, by `fields`, `plain` or `decoded`, whichever its options ask for. */
export class RecordKeys {
  /** The fields of the key read last, where that was read as an object. */
  readonly object: RecordData
  readonly #unwrapper = new Unwrapper()
  readonly #decimals = new DecimalColumns()
  /** For objects that are made here, with room for the few fields of a key. */
  readonly #scanner = new Scanner(8)

  constructor() {
    this.object = this.#unwrapper.object
  }

  /** Reads a key that is to be an object. */
  fields(key: Buffer | null): KeyFound {
    if (key === null) return 'none'
    const unwrapper = this.#unwrapper
    const reason = unwrapper.read(key)
    if (reason !== undefined) return { rejected: `its Kafka key ${reason}` }
    if (unwrapper.payload === 'null') return 'none'
    if (unwrapper.payload === 'scalar') return { rejected: 'its Kafka key is a plain value, not an object' }
    return this.#convert(unwrapper.decimals) ? 'object' : { rejected: 'a decimal in its Kafka key cannot be read' }
  }

  /** Reads a key that is one value, which becomes the member `field`. Without a type, bytes in the form of INTEGER become that integer, and
   *  others a text, so different keys never become the same value; of Connect's wrapper it is the payload, as it stands there.
   *  @param type what the key must be, where that is configured: a text (its bytes as they are), or a kind of JSON value */
  plain(key: Buffer | null, field: string, type?: PlainKeyType): KeyFound {
    if (key === null) return 'none'
    if (!isUtf8(key))
      return {
        rejected: `its Kafka key is not valid UTF-8${isBinaryInteger(key) ? ', but looks like a binary integer' : ''}`,
      }
    if (type !== undefined) return this.#typed(key, field, type)
    if (key[0] === BRACE && this.#unwrapper.read(key) === undefined) return this.#unwrapped(key, field)
    const text = key.toString()
    const isInteger = text.length <= LONGEST_INTEGER && INTEGER.test(text)
    this.#hold(field, isInteger ? text : JSON.stringify(text))
    return 'object'
  }

  #typed(key: Buffer, field: string, type: PlainKeyType): KeyFound {
    if (type === 'json' && key[0] === BRACE && this.#unwrapper.read(key) === undefined)
      return this.#unwrapped(key, field)
    const json = type === 'text' ? JSON.stringify(key.toString()) : this.#jsonIn(key)
    if (json === undefined || !STARTS[type].test(json)) return { rejected: `its Kafka key is not ${WANTED[type]}` }
    if (type === 'json' && json === 'null') return 'none'
    this.#hold(field, json)
    return 'object'
  }

  /** The JSON value that a key is, without white space around it. `undefined` when it is not one. */
  #jsonIn(key: Buffer): string | undefined {
    const scanner = this.#scanner
    scanner.start(key, 0, key.length)
    const from = scanner.at
    if (from === key.length || !scanner.skip()) return undefined
    const to = scanner.at
    return scanner.finish() ? key.toString('utf8', from, to) : undefined
  }

  /** Reads a key that a schema made JSON of: as one value, which becomes the member `field`, or as an object when that is `undefined`. */
  decoded(json: Buffer | null, field: string | undefined): KeyFound {
    if (field === undefined) return this.fields(json)
    if (json === null) return 'none'
    // JSON of a JSON Schema stays as it was written, white space too
    const text = json.toString().trim()
    if (text.startsWith('{')) return { rejected: 'its Kafka key is an object, not a plain value' }
    if (text.startsWith('[')) return { rejected: 'its Kafka key is an array' }
    if (text === 'null') return 'none'
    this.#hold(field, text)
    return 'object'
  }

  #unwrapped(key: Buffer, field: string): KeyFound {
    const { payload, decimals, from, to } = this.#unwrapper
    if (payload === 'null') return 'none'
    if (payload === 'object') return { rejected: 'its Kafka key is an object, not a plain value' }
    if (key[from] === BRACKET) return { rejected: 'its Kafka key is an array' }
    const value = this.#patched(key, from, to, decimals)
    if (value === undefined) return { rejected: 'a decimal in its Kafka key cannot be read' }
    this.#hold(field, value.toString())
    return 'object'
  }

  #hold(field: string, json: string): void {
    const bytes = Buffer.from(`{${JSON.stringify(field)}:${json}}`)
    this.object.locate(this.#scanner, bytes, 0, bytes.length)
  }

  /** Replaces the decimals of `object` by texts. @returns whether all of them could be read */
  #convert(decimals: Decimals | undefined): boolean {
    if (decimals === undefined) return true
    const { bytes, from, to } = this.object
    const converted = this.#patched(bytes, from, to, decimals)
    if (converted) this.object.locate(this.#scanner, converted, 0, converted.length)
    return converted !== undefined
  }

  /** bytes[from, to) with decimals as texts. `undefined` when one cannot be read. */
  #patched(bytes: Buffer, from: number, to: number, decimals: Decimals | undefined): Buffer | undefined {
    this.#decimals.begin()
    if (decimals && !this.#decimals.patch(bytes, from, to, decimals)) return undefined
    return this.#decimals.patches.apply(bytes, from, to)
  }
}
