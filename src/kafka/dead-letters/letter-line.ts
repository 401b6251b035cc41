// A dead letter as one line of JSON, and back: what a file of dead letters holds.

import { singleLine } from '../../json/strings.ts'
import type { KafkaHeader } from '../types.ts'
import { placesToJson, jsonOf, NoLetter, OFFSET, TIMESTAMP, placesFromJson, type DeadLetter } from './dead-letter.ts'

/** Makes the line of a letter: `{"topic":"orders","partition":0,"offset":"12","timestamp":"1732222222222","reason":"refused","error":"…",
 *  "rejected_at":"2024-11-21T…Z","key":"…","value":"…","headers":[["name","…"]]}`. Whole numbers that can be large are text. Key, value and
 *  header values are base64, or null where there are none. Behind `error` stand, unless there is nothing to tell, `superseded` (how many
 *  older versions of its row went with it), `superseded_at` (where they were read), `route` and `table`.
 *  @param rejectedAt the present time, in the form of ISO 8601
 *  @returns the line, without a line feed */
export function toLine(
  { topic, partition, record, reason, error, superseded, supersededAt, route, table }: DeadLetter,
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
    route,
    table,
    rejected_at: rejectedAt,
    key: base64(record.key),
    value: base64(record.value),
    headers: record.headers.map(([name, value]) => [name, base64(value)]),
  })
  return Buffer.from(line)
}

/** Reads a line that `toLine` made. Members that it does not know are passed over.
 *  @returns the letter, or what keeps the line from being one, in words that go on after "it is no dead letter: " */
export function fromLine(line: Buffer): DeadLetter | { readonly problem: string } {
  try {
    const value = jsonOf(line.toString())
    if (typeof value !== 'object' || value === null) throw new NoLetter('it is not a JSON object')
    return letterOf(value as Members)
  } catch (error) {
    if (error instanceof NoLetter) return { problem: error.message }
    throw error
  }
}

/** The beginning of every line. */
const BEGINNING = '{"topic":"'

/** Whether a crash may have cut the line off: it begins as every line does, and lacks the brace at the end. Such a letter was never
 *  confirmed, so its record was read again. */
export function isCutOffLetter(line: Buffer): boolean {
  const text = line.toString('latin1').trimEnd()
  return (text.startsWith(BEGINNING) || BEGINNING.startsWith(text)) && !text.endsWith('}')
}

type Members = Readonly<Record<string, unknown>>

function letterOf(line: Members): DeadLetter {
  const headers = line['headers']
  if (!Array.isArray(headers)) throw new NoLetter('its headers are not an array')
  const record = {
    offset: BigInt(text(line, 'offset', OFFSET)),
    timestamp: BigInt(text(line, 'timestamp', TIMESTAMP)),
    key: bytes('key', line['key']),
    value: bytes('value', line['value']),
    headers: headers.map(headerOf),
  }
  const supersededAt = placesFromJson(line['superseded_at'] ?? [])
  if (!supersededAt) throw new NoLetter('its member superseded_at is not what it should be')
  const facts = { reason: text(line, 'reason'), error: text(line, 'error'), superseded: whole(line, 'superseded', 0) }
  const [route, table] = [line['route'], line['table']].map((value) => (typeof value === 'string' ? value : undefined))
  const [topic, partition] = [text(line, 'topic', /./), whole(line, 'partition')]
  return { topic, partition, record, ...facts, supersededAt, route, table }
}

function headerOf(header: unknown): KafkaHeader {
  const [name, value] = Array.isArray(header) ? (header as unknown[]) : []
  if (typeof name !== 'string') throw new NoLetter('one of its headers is not a pair')
  return [name, bytes('headers', value)]
}

/** The text that a member must be, of the given form (as OFFSET and TIMESTAMP are forms) if there is one. */
function text(line: Members, name: string, form?: RegExp): string {
  const value = line[name]
  if (typeof value === 'string' && form?.test(value) !== false) return value
  throw new NoLetter(`its member ${name} is not what it should be`)
}

/** The whole number that a member must be; a line may lack it only where `absent` stands in for it. */
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
  // Node passes over characters that are not base64, so bytes would be missing without a word
  if (decoded && decoded.toString('base64') === value) return decoded
  throw new NoLetter(`its member ${name} is not base64`)
}
