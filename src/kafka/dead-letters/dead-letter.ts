// A rejected record as a record of the dead-letter topic, and back: which headers are added, under which names.

import type { KafkaHeader, KafkaRecord, PartitionPosition, TopicPartition } from '../types.ts'

/** A rejected record as it was read, where it was read, and why it was rejected. */
export interface DeadLetter extends TopicPartition {
  readonly record: KafkaRecord
  /** One word, to filter by: `rejected` by a rule of the connector, or `refused` by the service. */
  readonly reason: string
  /** Why it was rejected, as a sentence. Scrubbed and short. */
  readonly error: string
  /** How many older versions of its row it had replaced before it was sent: they are not stored either. */
  readonly superseded: number
  /** Places where the newest of those were read, newest first. */
  readonly supersededAt: readonly PartitionPosition[]
  /** The value by which it named its table (the topic's `route`). `undefined` when its topic has one table, or it named none. */
  readonly route?: string | undefined
  /** The name of that table. `undefined` when `route` is, or no table has that value. */
  readonly table?: string | undefined
}

/** The message that the dead-letter topic is sent. */
export type LetterMessage = Pick<KafkaRecord, 'key' | 'value' | 'headers'>

/** Names of the headers that hold a letter's facts, which are what it says beside its record (stream.md#dead-letters). */
const NAMES = {
  reason: 'dlq.reason',
  error: 'dlq.error',
  topic: 'dlq.topic',
  partition: 'dlq.partition',
  offset: 'dlq.offset',
  timestamp: 'dlq.timestamp',
  superseded: 'dlq.superseded',
  supersededAt: 'dlq.superseded_at',
  route: 'dlq.route',
  table: 'dlq.table',
} as const
/** Put behind the name of a fact where a header of the record has that name. */
const MARK = '_'
const ONLY_MARKS = /^_*$/
/** About how many bytes a message takes beside its key, value and headers, and a header beside its name and value. */
const MESSAGE_COST = 70
const HEADER_COST = 8
/** Forms of numbers that are texts: counts (or a partition), offsets, and milliseconds since 1970. */
const COUNT = /^\d{1,9}$/
export const OFFSET = /^\d{1,19}$/
export const TIMESTAMP = /^-?\d{1,19}$/

/** Thrown where something is no letter; its message goes on after "it is no dead letter: ". */
export class NoLetter extends Error {}

/** Makes the message of a letter. Key, value and headers are those of the record; behind them come the letter's facts as headers. Where a
 *  header of the record has the name of a fact, as in a letter of a letter, the fact's name gets one `_` more than any there.
 *  `dlq.superseded`, `dlq.superseded_at`, `dlq.route` and `dlq.table` are left out where they say nothing. */
export function toMessage(letter: DeadLetter): LetterMessage {
  const { key, value, headers, offset, timestamp } = letter.record
  const fact = (name: string, text: string): KafkaHeader => [freeName(name, headers), Buffer.from(text)]
  const facts = [
    fact(NAMES.reason, letter.reason),
    fact(NAMES.error, letter.error),
    fact(NAMES.topic, letter.topic),
    fact(NAMES.partition, `${letter.partition}`),
    fact(NAMES.offset, `${offset}`),
    fact(NAMES.timestamp, `${timestamp}`),
  ]
  // a fact that says nothing is still added if the record has a header of its name, which would else be read as the fact
  if (letter.superseded > 0 || longestName(NAMES.superseded, headers) !== undefined)
    facts.push(fact(NAMES.superseded, `${letter.superseded}`))
  if (letter.supersededAt.length > 0 || longestName(NAMES.supersededAt, headers) !== undefined)
    facts.push(fact(NAMES.supersededAt, JSON.stringify(placesToJson(letter.supersededAt))))
  for (const name of ['route', 'table'] as const)
    if (letter[name] !== undefined || longestName(NAMES[name], headers) !== undefined)
      facts.push(fact(NAMES[name], letter[name] ?? ''))
  return { key, value, headers: [...headers, ...facts] }
}

/** About how many bytes a message takes before it is compressed. */
export function messageBytes({ key, value, headers }: LetterMessage): number {
  let bytes = MESSAGE_COST + (key?.length ?? 0) + (value?.length ?? 0)
  for (const [name, value] of headers) bytes += HEADER_COST + Buffer.byteLength(name) + (value?.length ?? 0)
  return bytes
}

/** Bytes of the letter of an empty record if its headers hold the longest texts: a topic's name of 249 characters, an error of 500. */
export const LEAST_LETTER_BYTES = messageBytes(
  toMessage({
    topic: 'x'.repeat(249),
    partition: 0,
    record: { offset: 0n, timestamp: 1_700_000_000_000n, key: null, value: null, headers: [] },
    reason: 'rejected',
    error: 'x'.repeat(500),
    superseded: 0,
    supersededAt: [],
  }),
)

/** Reads a message that `toMessage` made.
 *  @returns the letter, or what keeps the message from being one, in words that go on after "it is no dead letter: " */
export function fromMessage({ key, value, headers }: LetterMessage): DeadLetter | { readonly problem: string } {
  const factNames = new Set<string>()
  try {
    // returns a fact's text, and notes its header as none of the record's; the fact may be missing only where `absent` stands in for it
    const take = (name: string, absent?: string): string => {
      const factName = longestName(name, headers)
      if (factName === undefined && absent !== undefined) return absent
      if (factName === undefined) throw new NoLetter(`it has no header ${name}`)
      factNames.add(factName)
      return textOf(factName, headers)
    }
    const [reason, error] = [take(NAMES.reason), take(NAMES.error)]
    const [topic, partition] = [take(NAMES.topic), numberIn(NAMES.partition, take(NAMES.partition), COUNT)]
    const offset = numberIn(NAMES.offset, take(NAMES.offset), OFFSET)
    const timestamp = numberIn(NAMES.timestamp, take(NAMES.timestamp), TIMESTAMP)
    const superseded = Number(numberIn(NAMES.superseded, take(NAMES.superseded, '0'), COUNT))
    const supersededAt = placesFromJson(jsonOf(take(NAMES.supersededAt, '[]')))
    if (!supersededAt) throw new NoLetter(`its header ${NAMES.supersededAt} is not a list of that kind`)
    // '' says nothing, as in `toMessage`
    const route = take(NAMES.route, '') || undefined
    const table = take(NAMES.table, '') || undefined
    const recordHeaders = headers.filter(([name]) => !factNames.has(name))
    const record = { offset, timestamp, key, value, headers: recordHeaders }
    return { topic, partition: Number(partition), record, reason, error, superseded, supersededAt, route, table }
  } catch (error) {
    if (error instanceof NoLetter) return { problem: error.message }
    throw error
  }
}

function numberIn(name: string, text: string, form: RegExp): bigint {
  if (!form.test(text)) throw new NoLetter(`its header ${name} is not a number of that kind`)
  return BigInt(text)
}

/** The value of a JSON text. `undefined` when the text is not JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function textOf(name: string, headers: readonly KafkaHeader[]): string {
  const [value, ...more] = headers.filter((header) => header[0] === name).map((header) => header[1])
  if (!value || more.length > 0) throw new NoLetter(`its header ${name} has no value, or several`)
  return value.toString()
}

/** The name of a fact that no header has: as it is, or with one mark more than the longest there. */
function freeName(name: string, headers: readonly KafkaHeader[]): string {
  const taken = longestName(name, headers)
  return taken === undefined ? name : taken + MARK
}

/** The longest of the headers' names that are `name` with marks behind it or nothing. `undefined` when no header has such a name. */
function longestName(name: string, headers: readonly KafkaHeader[]): string | undefined {
  let longest: string | undefined
  for (const [other] of headers)
    if (other.startsWith(name) && ONLY_MARKS.test(other.slice(name.length)) && other.length > (longest?.length ?? -1))
      longest = other
  return longest
}

/** Places in a form to be written as JSON: `[{"topic":"orders","partition":0,"offset":"12"}]`. An offset can be large, so it is text. */
export function placesToJson(places: readonly PartitionPosition[]): object[] {
  return places.map(({ topic, partition, offset }) => ({ topic, partition, offset: `${offset}` }))
}

/** Reads places back. `undefined` when the JSON is not what `placesToJson` gives. */
export function placesFromJson(json: unknown): PartitionPosition[] | undefined {
  if (!Array.isArray(json)) return undefined
  const places: PartitionPosition[] = []
  for (const each of json as readonly unknown[]) {
    const { topic, partition, offset } = { ...(each as Partial<Readonly<Record<string, unknown>>>) }
    if (typeof topic !== 'string' || typeof offset !== 'string' || !OFFSET.test(offset)) return undefined
    if (typeof partition !== 'number' || !Number.isSafeInteger(partition) || partition < 0) return undefined
    places.push({ topic, partition, offset: BigInt(offset) })
  }
  return places
}
