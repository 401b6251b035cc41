// Where rows and what interface A keeps are stored: a row is an identity and bytes, an entity a kind, an id and a text.

/** One point inside a request's body: `[from, to)`, and what makes it the same row as another. */
export interface PointSlice {
  readonly identity: string
  readonly from: number
  readonly to: number
}

/** One table from its first push to its removal. */
export interface TableId {
  readonly clientId: number
  readonly table: string
  /** No other table's while the process lives: one that is pushed again after its removal has another. */
  readonly id: number
}

export interface TableSize extends TableId {
  readonly rows: number
  /** When a row of it was written last, milliseconds since 1970. `undefined` when that is not known any more. */
  readonly writtenAt: number | undefined
}

export interface StoredRow {
  readonly bytes: Uint8Array
  /** The same as in TableSize. */
  readonly writtenAt: number | undefined
}

/** Thrown where rows are read: their table, or what was left of it, is removed, and what was read is not all of it
 *  (decisions.md#a-removed-table-ends-its-readers). */
export class TableGone extends Error {
  constructor() {
    super('the table was removed while it was read')
  }
}

export interface Store extends Disposable {
  /** Entities that interface A keeps. */
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
  /** Tables in the order of their first push. */
  tables(): readonly TableSize[]
  /** Each row that exists now, first arrival first: at most `count` behind the first `from`. Throws TableGone, at whatever row
   *  it has come to, once the table is removed. */
  rows(table: TableId, from?: number, count?: number): Iterable<StoredRow>
  /** Removes all or none; those that are gone already are passed over. They have never been pushed from now on. */
  remove(tables: readonly TableId[]): void
}

export interface Entity {
  readonly kind: string
  readonly id: string
  /** The entity. `undefined` when there is none of that kind and id any more. */
  readonly json: string | undefined
}

export interface EntityStore {
  /** Keeps all or none. They outlast what is to outlast them when it returns; throws when they cannot be kept. */
  put(entities: readonly Entity[]): void
  /** Entities that were kept before, in the order they first came. */
  entities(): Iterable<Entity & { readonly json: string }>
}

/** An entity store that forgets, for a service whose memory is all there is. */
export const UNKEPT: EntityStore = { put: () => {}, entities: () => [] }

interface Table extends TableId {
  readonly rows: Map<string, { readonly text: string; readonly writtenAt: number }>
  writtenAt: number
}

export class MemoryStore implements Store {
  readonly entities = UNKEPT
  readonly #tables = new Map<string, Table>()
  #lastId = 0

  upsert(clientId: number, table: string, body: Buffer, points: readonly PointSlice[], now: number): number {
    const name = nameOf({ clientId, table })
    const into = this.#tables.get(name) ?? { clientId, table, id: ++this.#lastId, rows: new Map(), writtenAt: now }
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

  rows(table: TableId, from = 0, count = Infinity): Iterable<StoredRow> {
    const found = this.#tables.get(nameOf(table))
    if (found?.id !== table.id) throw new TableGone()
    return this.#read(found, from, Math.min(from + count, found.rows.size))
  }

  remove(tables: readonly TableId[]): void {
    for (const table of tables) {
      const name = nameOf(table)
      if (this.#tables.get(name)?.id === table.id) this.#tables.delete(name)
    }
  }

  [Symbol.dispose](): void {
    this.#tables.clear()
  }

  *#read(table: Table, from: number, to: number): Generator<StoredRow> {
    const name = nameOf(table)
    let at = 0
    for (const { text, writtenAt } of table.rows.values()) {
      // A Map's iterator also meets what is added meanwhile: under load it might never end.
      if (at === to) return
      if (this.#tables.get(name) !== table) throw new TableGone()
      if (at++ >= from) yield { bytes: Buffer.from(text, 'latin1'), writtenAt }
    }
  }
}

function nameOf({ clientId, table }: Omit<TableId, 'id'>): string {
  return `${clientId}/${table}`
}
