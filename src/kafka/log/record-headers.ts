// A record's headers in their own order, each with its own bytes. Knows no client but one habit of kafkajs.
//
// kafkajs hands headers out as an object: names that look like numbers come first, repeated names together, and names
// that every object has (`constructor`, `__proto__`) with a stranger among their values. But key and value are views of
// the record as it was fetched, and behind the value stand the headers (record format v2: lengths as zigzag varints).

import type { IHeaders, KafkaMessage } from 'kafkajs'
import { NULL_SIZE, readHeaders } from './log-record.ts'
import { UnpackError } from './unpack-error.ts'
import { VarintReader } from './varint-reader.ts'
import type { KafkaHeader } from '../types.ts'

const NONE: readonly KafkaHeader[] = []

export function recordHeaders(message: KafkaMessage): readonly KafkaHeader[] {
  const { headers } = message
  if (!headers || isEmpty(headers)) return NONE
  const shown = ofObject(headers)
  const { key, value } = message
  const own = value ? behind(value, false) : key ? behind(key, true) : undefined
  // the object is what kafkajs promises: what was found behind the value must agree with it
  return own && own.length === shown.length && own.every(([name]) => Object.hasOwn(headers, name)) ? own : shown
}

function isEmpty(headers: IHeaders): boolean {
  for (const _ in headers) return false
  return true
}

function ofObject(headers: IHeaders): KafkaHeader[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    const values: unknown[] = Array.isArray(value) ? value : [value]
    return values.filter(isHeaderValue).map((one): KafkaHeader => [name, one])
  })
}

function isHeaderValue(value: unknown): value is Buffer | null {
  return value === null || Buffer.isBuffer(value)
}

/** @param view of the record's last bytes before its headers; `hasNoValue`: the absent value's length stands between
 *  @returns undefined when no headers are found there */
function behind(view: Buffer, hasNoValue: boolean): readonly KafkaHeader[] | undefined {
  const from = view.byteOffset + view.length
  const reader = new VarintReader(Buffer.from(view.buffer, from, view.buffer.byteLength - from), 0)
  try {
    return hasNoValue && reader.int() !== NULL_SIZE ? undefined : readHeaders(reader)
  } catch (error) {
    if (error instanceof UnpackError) return undefined
    throw error
  }
}
