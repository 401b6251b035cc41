// The digests by which two runs can tell whether they had the same catalog and stored its streams alike.

import { isObject } from '../json/is-object.ts'
import { parseJson } from '../json/true-names.ts'
import type { StreamMapping } from '../mapping/stream-mapping.ts'
import { digestOf } from '../telemetry/summary/digests.ts'
import type { InputDigests } from '../run/open-input.ts'

/** @param text that `parseCatalog` takes
 *  @param streams each has its table for itself
 *  @returns the digest of the catalog, and that of each table's mapping */
export function catalogDigests(text: string, streams: readonly { readonly mapping: StreamMapping }[]): InputDigests {
  const byTable = new Map(
    streams.map(({ mapping: { table, row, key, collapse } }) => [
      table.name,
      digestOf({ table: table.name, row, key, collapse }),
    ]),
  )
  return { catalog: catalogDigest(text), of: ({ table }) => byTable.get(table ?? '') }
}

/** Stays the same whatever the order of streams, and from one sync to the next. */
function catalogDigest(text: string): string {
  const { streams } = parseJson(text.replace(/^\uFEFF/, '')) as { readonly streams: readonly { stream: object }[] }
  const entries = streams.map((entry) => present({ ...entry, sync_id: null, stream: present(entry.stream) }))
  try {
    return digestOf(entries.map(digestOf).toSorted())
  } catch {
    // a schema is nested deeper than the stack is
    return digestOf(text)
  }
}

/** Copies an object without null, empty texts and empty lists, which count as absent members. */
function present(object: object): object {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => !isAbsent(value)))
}

function isAbsent(value: unknown): boolean {
  return value === null || (!isObject(value) && (value as { length?: number }).length === 0)
}
