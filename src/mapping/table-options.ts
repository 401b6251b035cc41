// What a user may choose about tables and rows, for all streams or for one, and for which.

import type { ColumnName } from './stream-mapping.ts'

export interface TableOptions {
  /** In front of every table's name but an overridden one. */
  readonly prefix: string
  /** `hashed`: every altered name ends in six digits of its own. */
  readonly names: 'refuse' | 'hashed'
  readonly appendWithPrimaryKey: 'history' | 'upsert'
  /** A stream that wants its older rows gone: refuse its records, or load beside the older rows. */
  readonly olderRows: 'refuse' | 'keep'
  readonly columns: readonly ColumnName[]
  readonly streams: readonly StreamOverride[]
  /** The table that rejected records go to, if they go to one: no stream may have it. */
  readonly rejectedTable?: string | undefined
}

/** For one stream; without a namespace for every stream of that name that has no override of its own. */
export interface StreamOverride {
  readonly name: string
  readonly namespace: string | undefined
  /** The whole name, no prefix added. */
  readonly table: string | undefined
  /** In place of the catalog's primary key. */
  readonly keys: readonly KeyChoice[] | undefined
  /** false: every version of a row is sent, one after another. */
  readonly keepLast: boolean | undefined
  readonly identicalRecords: 'keep' | 'collapse' | undefined
  readonly appendWithPrimaryKey: 'history' | 'upsert' | undefined
  readonly olderRows: 'refuse' | 'keep' | undefined
}

export interface KeyChoice {
  readonly path: readonly string[]
  /** What a nested value is hoisted to; undefined: its path joined by `_`. */
  readonly field: string | undefined
}

/** The override that holds for a stream: its very namespace first, then its name alone. */
export function overrideOf(
  stream: { readonly name: string; readonly namespace: string | undefined },
  overrides: readonly StreamOverride[],
): StreamOverride | undefined {
  const named = overrides.filter(({ name }) => name === stream.name)
  return (
    named.find(({ namespace }) => namespace === stream.namespace) ??
    named.find(({ namespace }) => namespace === undefined)
  )
}

/** Sentences about overrides that no stream takes: a name misspelt, or a stream of another connection. */
export function unusedOverrides(
  streams: readonly { readonly name: string; readonly namespace: string | undefined }[],
  overrides: readonly StreamOverride[],
): string[] {
  const used = new Set(streams.map((stream) => overrideOf(stream, overrides)))
  const names = new Set(streams.map(({ name }) => name))
  return overrides
    .filter((override) => !used.has(override))
    .map(({ name, namespace }) => {
      const of = namespace === undefined ? '' : ` of namespace ${JSON.stringify(namespace)}`
      if (namespace === undefined && names.has(name))
        return `The entry of \`streams\` for ${JSON.stringify(name)} holds for no stream: each of that name has an entry with its namespace.`
      const there = meant(name, names)
      const has = there === undefined ? '' : ` It has ${JSON.stringify(there)}: is that meant?`
      return `The entry of \`streams\` for ${JSON.stringify(name)}${of} fits no stream of this catalog.${has}`
    })
}

/** The one that differs in case, separators and blanks only. */
function meant(name: string, names: ReadonlySet<string>): string | undefined {
  return [...names].find((there) => bare(there) === bare(name))
}

function bare(text: string): string {
  return text.toLowerCase().replaceAll(/[\s._-]/g, '')
}
