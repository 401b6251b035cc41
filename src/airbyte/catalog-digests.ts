// The digests of a catalog that can be used, and of its streams: those of the next sync are the same.

import { isObject } from '../json/is-object.ts'
import { parseJson } from '../json/true-names.ts'
import type { StreamMapping } from '../mapping/stream-mapping.ts'
import { digestOf } from '../telemetry/summary/digests.ts'
import type { InputDigests } from '../run/open-input.ts'

/** @param text that `parseCatalog` takes
 *  @param streams each has its table for itself */
export function catalogDigests(text: string, streams: readonly { readonly mapping: StreamMapping }[]): InputDigests {
  const rowOf = ({ mapping: { table, row, key, collapse } }: (typeof streams)[number]) =>
    [table.name, digestOf({ table: table.name, row, key, collapse })] as const
  const byTable = new Map(streams.map(rowOf))
  return { catalog: catalogDigest(text), of: ({ table }) => byTable.get(table ?? '') }
}

/** Streams may stand in any order. Nested deeper than the stack is, the text counts as it is. */
function catalogDigest(text: string): string {
  const { streams } = parseJson(text.replace(/^\uFEFF/, '')) as { readonly streams: readonly { stream: object }[] }
  const entries = streams.map((entry) => present({ ...entry, sync_id: null, stream: present(entry.stream) }))
  try {
    return digestOf(entries.map(digestOf).toSorted())
  } catch {
    return digestOf(text)
  }
}

/** Without members that count as absent: null, and empty texts and lists. */
function present(of: object): object {
  const isThere = (value: unknown): boolean => isObject(value) || (value as { length?: number } | null)?.length !== 0
  return Object.fromEntries(Object.entries(of).filter(([, value]) => value !== null && isThere(value)))
}
