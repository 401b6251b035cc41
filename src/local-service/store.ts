// Where rows and what interface A keeps are stored. Knows no JSON: a row is an identity and bytes, an entity a kind, an id
// and a text.

/** One point inside a request's body: `[from, to)`, and what makes it the same row as another. */
export interface PointSlice {
  readonly identity: string
  readonly from: number
  readonly to: number
}

export interface TableSize {
  readonly clientId: number
  readonly table: string
  readonly rows: number
}

export interface Store extends Disposable {
  /** What interface A keeps. */
  readonly entities: EntityStore
  /** Takes all points or none. A point replaces the row of its identity and keeps that row's place; of two equal ones
   *  the later counts. Answers how many rows are new, when what it took will outlast what is to outlast it; `body` must
   *  not change before. */
  upsert(clientId: number, table: string, body: Buffer, points: readonly PointSlice[]): number | Promise<number>
  /** In the order of their first push. */
  tables(): readonly TableSize[]
  /** The bytes of each row that exists now, first arrival first; undefined: the table was never pushed. */
  rows(clientId: number, table: string): Iterable<Uint8Array> | undefined
  /** The same of at most `count` rows behind the first `from`. */
  rowsFrom(clientId: number, table: string, from: number, count: number): Iterable<Uint8Array> | undefined
}

export interface Entity {
  readonly kind: string
  readonly id: string
  /** Undefined: there is none of that kind and id any more. */
  readonly json: string | undefined
}

export interface EntityStore {
  /** All or none. They outlast what is to outlast them when it returns; throws when they cannot be kept. */
  put(entities: readonly Entity[]): void
  /** Everything that was kept before, in the order it first came. */
  entities(): Iterable<Entity & { readonly json: string }>
}

/** For a service that forgets: what lives in its memory is all there is. */
export const UNKEPT: EntityStore = { put: () => {}, entities: () => [] }
