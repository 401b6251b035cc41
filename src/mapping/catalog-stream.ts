// A stream as a configured catalog describes it, and its name for people.

export interface CatalogStream {
  readonly name: string
  /** "" and null are none. */
  readonly namespace: string | undefined
  /** Top-level properties the schema declares. */
  readonly declared: readonly string[]
  /** Those of them whose schema allows several types, null not counted. */
  readonly unions: readonly Union[]
  /** Whether the schema has room for a value at this path: what it does not describe may be anything. */
  readonly declares: (path: readonly string[]) => boolean
  readonly destinationSyncMode: string | undefined
  /** destination_object_name; "" and null are none. */
  readonly objectName: string | undefined
  readonly primaryKey: readonly (readonly string[])[]
  readonly sourceDefinedPrimaryKey: readonly (readonly string[])[]
  readonly cursorField: readonly string[]
  readonly generationId: number | undefined
  readonly minimumGenerationId: number | undefined
  readonly syncId: number | undefined
}

export interface Union {
  readonly name: string
  readonly types: readonly string[]
}

/** A stream's name for people. */
export function label(stream: { readonly name: string; readonly namespace?: string | undefined }): string {
  return stream.namespace === undefined ? `"${stream.name}"` : `"${stream.name}" (namespace "${stream.namespace}")`
}
