// Whether a record's Kafka key is made of nothing but the key fields of its row: then all records of a row have the same
// Kafka key, and lie in one partition. For a warning: numbers beyond doubles may pass as equal.

import { RecordKeys } from '../values/record-keys.ts'

const FIELD = 'key'

export class RecordKeyFit {
  readonly #keys = new RecordKeys()

  /** @param point of the row, JSON with `keys` */
  fits(recordKey: Buffer, point: Buffer): boolean {
    const parts = this.#partsOf(recordKey)
    if (!parts) return false
    const row = JSON.parse(point.toString()) as Readonly<Record<string, unknown>>
    const own = new Set((row['keys'] as readonly string[]).map((name) => comparable(row[name])))
    return parts.every((part) => own.has(comparable(part)))
  }

  /** undefined: not to be read. */
  #partsOf(recordKey: Buffer): unknown[] | undefined {
    const keys = this.#keys
    const kind = keys.fields(recordKey)
    if (kind === 'none') return []
    if (kind !== 'object' && keys.plain(recordKey, FIELD) !== 'object') return undefined
    const { bytes, from, to } = keys.object
    return Object.values(JSON.parse(bytes.toString('utf8', from, to)) as object)
  }
}

/** 7 and "7" are the same here. */
function comparable(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return /^-?\d+(?:\.\d+)?$/.test(text) ? String(Number(text)) : text
}
