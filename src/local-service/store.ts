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
  /** When a row of it was written last, milliseconds since 1970; undefined: nobody knows any more. */
  readonly writtenAt: number | undefined
}

export interface StoredRow {
  readonly bytes: Uint8Array
  /** As in TableSize. */
  readonly writtenAt: number | undefined
}

export interface Store extends Disposable {
  /** What interface A keeps. */
  readonly entities: EntityStore
  /** Takes all points or none. A point replaces the row of its identity and keeps that row's place; of two equal ones
   *  the later counts. Answers how many rows are new, when what it took will outlast what is to outlast it; `body` must
   *  not change before. `now`: milliseconds since 1970. */
  upsert(
    clientId: number,
    table: string,
    body: Buffer,
    points: readonly PointSlice[],
    now: number,
  ): number | Promise<number>
  /** In the order of their first push. */
  tables(): readonly TableSize[]
  /** Each row that exists now, first arrival first: at most `count` behind the first `from`. Undefined: the table was never
   *  pushed. */
  rows(clientId: number, table: string, from?: number, count?: number): Iterable<StoredRow> | undefined
  /** Answers whether there was such a table. It has never been pushed from now on. */
  remove(clientId: number, table: string): boolean
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
  readonly rows: Map<string, { readonly text: string; readonly writtenAt: number }>
  writtenAt: number
}

export class MemoryStore implements Store {
  readonly entities = UNKEPT
  readonly #tables = new Map<string, Table>()

  upsert(clientId: number, table: string, body: Buffer, points: readonly PointSlice[], now: number): number {
    const name = `${clientId}/${table}`
    const into = this.#tables.get(name) ?? { clientId, table, rows: new Map(), writtenAt: now }
    this.#tables.set(name, into)
    into.writtenAt = now
    const before = into.rows.size
    for (const { identity, from, to } of points) {
      // Setting a key a Map has keeps its place.
      into.rows.set(identity, { text: body.toString('latin1', from, to), writtenAt: now })
    }
    return into.rows.size - before
  }

  tables(): readonly TableSize[] {
    return Array.from(this.#tables.values(), (it) => ({ ...it, rows: it.rows.size }))
  }

  rows(clientId: number, table: string, from = 0, count = Infinity): Iterable<StoredRow> | undefined {
    const found = this.#tables.get(`${clientId}/${table}`)
    return found && rowsOf(found.rows, from, Math.min(from + count, found.rows.size))
  }

  remove(clientId: number, table: string): boolean {
    return this.#tables.delete(`${clientId}/${table}`)
  }

  [Symbol.dispose](): void {
    this.#tables.clear()
  }
}

function* rowsOf(rows: Table['rows'], from: number, to: number): Generator<StoredRow> {
  let at = 0
  for (const { text, writtenAt } of rows.values()) {
    // A Map's iterator also meets what is added meanwhile: under load it might never end.
    if (at === to) return
    if (at++ >= from) yield { bytes: Buffer.from(text, 'latin1'), writtenAt }
  }
}
