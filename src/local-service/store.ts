// Where the local service stores rows, and what its interface A keeps (the onboarding interface: clients, users, tokens, jobs). A row is
// an identity and bytes, an entity a kind, an id and a text.

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
  /** A number that no other table has while the process lives. A table that is pushed again after its removal has another. */
  readonly id: number
}

export interface TableSize extends TableId {
  readonly rows: number
  /** When a row of it was written last, milliseconds since 1970. `undefined` when that is not known any more. */
  readonly writtenAt: number | undefined
}

export interface StoredRow {
  readonly bytes: Uint8Array
  readonly writtenAt: number | undefined
}

/** Thrown while rows are read when their table is removed, so that what was read is not all of it
 *  (decisions.md#a-removed-table-ends-its-readers). */
export class TableGone extends Error {
  constructor() {
    super('the table was removed while it was read')
  }
}

export interface Store extends Disposable {
  /** Entities that interface A keeps. */
  readonly entities: EntityStore
  /** Takes all points or none. A point replaces the row of its identity and keeps that row's place; of two with one identity the
   *  later counts. `body` must not change before it has answered.
   *  @param now milliseconds since 1970
   *  @returns how many rows are new; once it answers, the rows are as durable as this store makes them */
  upsert(
    clientId: number,
    table: string,
    body: Buffer,
    points: readonly PointSlice[],
    now: number,
  ): number | Promise<number>
  /** Tables in the order of their first push. */
  tables(): readonly TableSize[]
  /** Rows that exist now, first arrival first: at most `count` behind the first `from`. Reading throws TableGone once the table is
   *  removed. */
  rows(table: TableId, from?: number, count?: number): Iterable<StoredRow>
  /** Removes all tables or none. Those that are gone already are passed over. */
  remove(tables: readonly TableId[]): void
}

export interface Entity {
  readonly kind: string
  readonly id: string
  /** The entity. `undefined` when there is none of that kind and id any more. */
  readonly json: string | undefined
}

export interface EntityStore {
  /** Keeps all or none, as durably as this store can, or throws. */
  put(entities: readonly Entity[]): void
  /** Entities that are kept, in the order they first came. */
  entities(): readonly (Entity & { readonly json: string })[]
}

/** An entity store that forgets, for a service whose memory is all there is. */
export const UNKEPT: EntityStore = { put: () => {}, entities: () => [] }

interface Table extends TableId {
  /** Rows by their identity. `text` has one character a byte (latin1), which gives the same bytes back: a view of the body would keep all
   *  of it in memory, and a Buffer for each row would cost more than a string. */
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
