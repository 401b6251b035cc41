// What a store of the local service does, and the store that lives in memory; sqlite/sqlite-store.ts has the other. A store keeps rows, and
// the entities of interface A (onboarding): clients, users, tokens, jobs.

/** One point inside a request's body, where its bytes are [from, to). */
export interface PointSlice {
  /** Points of equal identity in one table are versions of one row. */
  readonly identity: string
  readonly from: number
  readonly to: number
}

/** One table from the first push of a row to its removal. */
export interface TableId {
  readonly clientId: number
  readonly table: string
  /** A number that no other table has while the process lives. After a removal, the next push of that name makes a table with another. */
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

/** Thrown while rows are read whose table was removed meanwhile: what was read is not all of it
 *  (decisions.md#a-removed-table-ends-its-readers). */
export class TableGone extends Error {
  constructor() {
    super('the table was removed while it was read')
  }
}

export interface Store extends Disposable {
  readonly entities: EntityStore
  /** Stores all points or none. A point replaces the row of its identity and takes that row's place; of two with one identity the
   *  later counts. `body` must not change before the result is there.
   *  @param now milliseconds since 1970
   *  @returns how many rows are new; by then all are as durable as this store makes them */
  upsert(
    clientId: number,
    table: string,
    body: Buffer,
    points: readonly PointSlice[],
    now: number,
  ): number | Promise<number>
  /** Tables in the order of their first push. */
  tables(): readonly TableSize[]
  /** Rows that exist now, first arrival first, without the first `from`, at most `count`. Throws TableGone once the table is removed. */
  rows(table: TableId, from?: number, count?: number): Iterable<StoredRow>
  /** Removes all of these tables, or none when it throws. Those that are gone already are passed over. */
  remove(tables: readonly TableId[]): void
}

/** One thing that interface A keeps; onboarding/records.ts has the kinds. */
export interface Entity {
  readonly kind: string
  readonly id: string
  /** Its JSON text. `undefined` in a call of `put` that is to remove it. */
  readonly json: string | undefined
}

export interface EntityStore {
  /** Keeps and removes all of these, or none when it throws, as durably as this store can. */
  put(entities: readonly Entity[]): void
  /** Entities that are kept, in the order they first came. */
  entities(): readonly (Entity & { readonly json: string })[]
}

/** Keeps nothing: in a service without a data file, what interface A made is in memory alone (records.ts). */
export const UNKEPT: EntityStore = { put: () => {}, entities: () => [] }

interface Table extends TableId {
  /** Rows by their identity. `text` holds the bytes as latin1, one character each: a view of the body would keep all of it in memory, and a
   *  Buffer for each row would cost more than a string. */
  readonly rows: Map<string, { readonly text: string; readonly writtenAt: number }>
  writtenAt: number
}

export class MemoryStore implements Store {
  readonly entities = UNKEPT
  readonly #tables = new Map<string, Table>()
  #lastId = 0

  upsert(clientId: number, table: string, body: Buffer, points: readonly PointSlice[], now: number): number {
    const name = nameOf({ clientId, table })
    const stored = this.#tables.get(name) ?? { clientId, table, id: ++this.#lastId, rows: new Map(), writtenAt: now }
    this.#tables.set(name, stored)
    stored.writtenAt = now
    const countBefore = stored.rows.size
    for (const { identity, from, to } of points) {
      // a key that a Map has already keeps its place
      stored.rows.set(identity, { text: body.toString('latin1', from, to), writtenAt: now })
    }
    return stored.rows.size - countBefore
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
    let place = 0
    for (const { text, writtenAt } of table.rows.values()) {
      // a Map's iterator also gives what is added meanwhile: without this it might never end under load
      if (place === to) return
      if (this.#tables.get(name) !== table) throw new TableGone()
      if (place++ >= from) yield { bytes: Buffer.from(text, 'latin1'), writtenAt }
    }
  }
}

function nameOf({ clientId, table }: Omit<TableId, 'id'>): string {
  return `${clientId}/${table}`
}
