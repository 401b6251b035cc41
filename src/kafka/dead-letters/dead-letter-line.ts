// A dead letter as one line of JSON, and back: what a file of dead letters holds.

import { singleLine } from '../../json/strings.ts'
import type { KafkaHeader } from '../types.ts'
import { placesFromJson, placesToJson } from './dead-letter.ts'
import type { DeadLetter } from './dead-letter.ts'

/** `{"topic":"orders","partition":0,"offset":"12","timestamp":"1732222222222","reason":"refused","error":"…",
 *  "rejected_at":"2024-11-21T…Z","key":"…","value":"…","headers":[["name","…"]]}`: whole numbers that can be large are
 *  text; key, value and header values are base64, or null where there are none; `superseded` and
 *  `superseded_at` come behind `error` when they say anything.
 *  @param rejectedAt as of ISO 8601
 *  @returns one line, without its end */
export function toLine(
  { topic, partition, record, reason, error, superseded, supersededAt }: DeadLetter,
  rejectedAt: string,
): Buffer {
  const line = singleLine({
    topic,
    partition,
    offset: `${record.offset}`,
    timestamp: `${record.timestamp}`,
    reason,
    error,
    ...(superseded > 0 ? { superseded } : {}),
    ...(supersededAt.length > 0 ? { superseded_at: placesToJson(supersededAt) } : {}),
    rejected_at: rejectedAt,
    key: base64(record.key),
    value: base64(record.value),
    headers: record.headers.map(([name, value]) => [name, base64(value)]),
  })
  return Buffer.from(line)
}

/** @param line as `toLine` made it; members it does not know are let be
 *  @returns the letter, or what keeps the line from being one, in words that go on after "it is no dead letter: " */
export function fromLine(line: Buffer): DeadLetter | { readonly problem: string } {
  try {
    return letterOf(objectOf(line))
  } catch (error) {
    if (error instanceof NoLetter) return { problem: error.message }
    throw error
  }
}

/** Whether the line may be the beginning of one that a crash cut off: such a letter was never confirmed, and its record was
 *  read again. */
export function isCutOffLetter(line: Buffer): boolean {
  const text = line.toString('latin1').trimEnd()
  return (text.startsWith(BEGINNING) || BEGINNING.startsWith(text)) && !text.endsWith('}')
}

const BEGINNING = '{"topic":"'

class NoLetter extends Error {}

type Members = Readonly<Record<string, unknown>>

function objectOf(line: Buffer): Members {
  try {
    const value: unknown = JSON.parse(line.toString())
    if (typeof value === 'object' && value !== null) return value as Members
  } catch {
    // reported below
  }
  throw new NoLetter('it is no JSON object')
}

function letterOf(line: Members): DeadLetter {
  const headers = line['headers']
  if (!Array.isArray(headers)) throw new NoLetter('its headers are no array')
  const record = {
    offset: BigInt(text(line, 'offset', /^\d{1,19}$/)),
    timestamp: BigInt(text(line, 'timestamp', /^-?\d{1,19}$/)),
    key: bytes('key', line['key']),
    value: bytes('value', line['value']),
    headers: headers.map(headerOf),
  }
  const supersededAt = placesFromJson(line['superseded_at'] ?? [])
  if (!supersededAt) throw new NoLetter('its member superseded_at is not what it should be')
  const facts = { reason: text(line, 'reason'), error: text(line, 'error'), superseded: whole(line, 'superseded', 0) }
  return { topic: text(line, 'topic', /./), partition: whole(line, 'partition'), record, ...facts, supersededAt }
}

function headerOf(header: unknown): KafkaHeader {
  const [name, value] = Array.isArray(header) ? (header as unknown[]) : []
  if (typeof name !== 'string') throw new NoLetter('one of its headers is no pair')
  return [name, bytes('headers', value)]
}

function text(line: Members, name: string, form = /^/): string {
  const value = line[name]
  if (typeof value === 'string' && form.test(value)) return value
  throw new NoLetter(`its member ${name} is not what it should be`)
}

function whole(line: Members, name: string, absent?: number): number {
  const value = line[name] ?? absent
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  throw new NoLetter(`its member ${name} is not what it should be`)
}

function base64(bytes: Buffer | null): string | null {
  return bytes === null ? null : bytes.toString('base64')
}

function bytes(name: string, value: unknown): Buffer | null {
  if (value === null) return null
  const decoded = typeof value === 'string' ? Buffer.from(value, 'base64') : undefined
  // what is no base64 is left out when decoding, so that bytes would be missing
  if (decoded && decoded.toString('base64') === value) return decoded
  throw new NoLetter(`its member ${name} is no base64`)
}
