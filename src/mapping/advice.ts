// What a user may want to know about a stream before any data moves, besides the reasons to refuse it: `plan` shows it.

import { catalogKey, shown } from './key-fields.ts'
import { reservedNames, renamed } from './reserved.ts'
import type { CatalogStream, StreamMapping } from './stream-mapping.ts'

export interface Advice {
  /** Declared members that are stored under another name (decisions.md#reserved-members-are-renamed). */
  readonly renamed: readonly { readonly from: string; readonly to: string }[]
  /** The declared member that marks deleted rows (tables-and-rows.md#what-identifies-a-row). */
  readonly softDeletes: string | undefined
  /** Whole sentences. */
  readonly warnings: readonly string[]
}

/** The member in which a source that follows a database's log (change data capture) says when a row was deleted. */
const CDC_DELETED = '_ab_cdc_deleted_at'
/** Characters of a name: many warehouses cut or refuse longer ones. */
const LONGEST_COMMON_NAME = 63

export function adviceOn(facts: CatalogStream, mapping: StreamMapping): Advice {
  const reserved = reservedNames(mapping.row, mapping.columns)
  const declared = new Set(facts.declared)
  // a key may be a member that the schema does not declare
  const members = new Set([...facts.declared, ...mapping.key.map(({ path }) => path[0]!)])
  const renames = Array.from(members)
    .filter((name) => reserved.includes(name))
    .map((name) => ({ from: name, to: renamed(name, reserved) }))
  return {
    renamed: renames,
    softDeletes: declared.has(CDC_DELETED) ? CDC_DELETED : undefined,
    warnings: [
      ...longName(mapping),
      ...undeclaredKeys(facts, mapping),
      ...unusedKey(facts, mapping),
      ...renames
        .filter(({ to }) => declared.has(to))
        .map(
          ({ from, to }) => `"${from}" must be renamed "${to}", which is declared too: a record with both is rejected.`,
        ),
    ],
  }
}

function longName({ table }: StreamMapping): string[] {
  if (table.name.length <= LONGEST_COMMON_NAME) return []
  return [`The table's name has ${table.name.length} characters; some tools take no more than ${LONGEST_COMMON_NAME}.`]
}

function undeclaredKeys(facts: CatalogStream, mapping: StreamMapping): string[] {
  // a schema without properties describes nothing
  if (facts.declared.length === 0) return []
  return mapping.key
    .filter(({ path }) => !facts.declares(path))
    .map(({ path }) => `The schema does not declare the key ${shown(path)}: a record without it is rejected.`)
}

function unusedKey(facts: CatalogStream, mapping: StreamMapping): string[] {
  const paths = catalogKey(facts)
  if (mapping.row === 'keys' || paths.length === 0) return []
  const key = paths.map(shown).join(', ')
  return [`Its primary key ${key} is not used; append_with_primary_key: upsert makes it one row per key.`]
}
