// Where rows and what interface A keeps are stored: a row is an identity and bytes, an entity a kind, an id and a text.

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

interface Table {
  readonly clientId: number
  readonly table: string
  readonly rows: Map<string, string>
}

export class MemoryStore implements Store {
  readonly entities = UNKEPT
  readonly #tables = new Map<string, Table>()

  upsert(clientId: number, table: string, body: Buffer, points: readonly PointSlice[]): number {
    const { rows } = this.#opened(clientId, table)
    const before = rows.size
    // Setting a key a Map has keeps its place.
    for (const point of points) rows.set(point.identity, body.toString('latin1', point.from, point.to))
    return rows.size - before
  }

  tables(): readonly TableSize[] {
    return Array.from(this.#tables.values(), ({ clientId, table, rows }) => ({ clientId, table, rows: rows.size }))
  }

  rows(clientId: number, table: string): Iterable<Uint8Array> | undefined {
    const found = this.#tables.get(`${clientId}/${table}`)
    return found && bytesOf(found.rows, 0, found.rows.size)
  }

  rowsFrom(clientId: number, table: string, from: number, count: number): Iterable<Uint8Array> | undefined {
    const found = this.#tables.get(`${clientId}/${table}`)
    return found && bytesOf(found.rows, from, from + count)
  }

  [Symbol.dispose](): void {
    this.#tables.clear()
  }

  #opened(clientId: number, table: string): Table {
    const name = `${clientId}/${table}`
    const found = this.#tables.get(name) ?? { clientId, table, rows: new Map<string, string>() }
    this.#tables.set(name, found)
    return found
  }
}

function* bytesOf(rows: ReadonlyMap<string, string>, from: number, to: number): Generator<Uint8Array> {
  let at = 0
  for (const row of rows.values()) {
    // A Map's iterator also meets what is added meanwhile: under load it might never end.
    if (at === to) return
    if (at++ >= from) yield Buffer.from(row, 'latin1')
  }
}
