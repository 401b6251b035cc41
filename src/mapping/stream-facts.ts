// What a catalog says of a stream, as far as storing it goes, and its name for people.

export interface StreamFacts {
  readonly name: string
  readonly namespace: string | undefined
  /** Top-level members the schema declares. */
  readonly declared: readonly string[]
  /** Whether its schema has room for a value at this path; absent: only `declared` is known. */
  readonly declares?: (path: readonly string[]) => boolean
  readonly destinationSyncMode: string | undefined
  /** What its table is to be named after, in place of namespace and name. */
  readonly objectName?: string | undefined
  readonly primaryKey: readonly (readonly string[])[]
  readonly sourceDefinedPrimaryKey: readonly (readonly string[])[]
  readonly cursorField: readonly string[]
  readonly generationId: number | undefined
  readonly minimumGenerationId: number | undefined
  readonly syncId: number | undefined
}

/** A stream's name for people. */
export function label(stream: { readonly name: string; readonly namespace?: string | undefined }): string {
  return stream.namespace === undefined ? `"${stream.name}"` : `"${stream.name}" (namespace "${stream.namespace}")`
}
