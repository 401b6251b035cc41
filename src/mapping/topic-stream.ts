// A topic whose rows have keys of their own, as the record mapper takes it. Knows no Kafka.

import type { Table } from '../core/types.ts'
import { keyFields } from './key-fields.ts'
import { reservedNames } from './reserved.ts'
import type { KeyField, StreamMapping } from './stream-mapping.ts'

/** What marks a row that was deleted. */
export const DELETED = '__deleted'

/** @param paths names of members down to each key value
 *  @returns undefined when no record can have them all: one would be inside another, or two would be one field */
export function topicKeyFields(paths: readonly (readonly string[])[]): KeyField[] | undefined {
  const choices = paths.map((path) => ({ path, field: undefined }))
  const fields = keyFields(choices, [], reservedNames('keys', []))
  if (typeof fields === 'string' || fields.length === 0) return undefined
  return fields.some(({ field }) => field === DELETED) ? undefined : fields
}

export function topicStream(topic: string, table: Table, key: readonly KeyField[]): StreamMapping {
  return {
    track: { name: topic },
    table,
    row: 'keys',
    key,
    collapse: false,
    cursor: undefined,
    backward: undefined,
    words: topicWords(
      key.map(({ field }) => field),
      table.keepLast,
    ),
    columns: [],
    olderRows: 'not asked',
    refusedRecords: undefined,
    warnings: [],
  }
}

/** What identifies a row, in words. */
export function topicWords(fields: readonly string[], keepLast: boolean): string {
  const names = fields.map((field) => (field === '' ? '""' : field)).join(', ')
  return `one row per ${names}, newest arrival${keepLast ? '' : ', every version sent'}`
}
