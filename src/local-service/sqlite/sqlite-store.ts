// The store in an SQLite file: what was answered is on the disk. Upserts that arrive in one turn of the event loop share a transaction, for
// each commit waits for the disk. SqliteTables holds in memory what tables the file has. It is kept up to date when something is added;
// after a removal, or a transaction that failed, it is made anew from the file.

import type { DatabaseSync } from 'node:sqlite'
import { Scanner } from '../../json/scanner.ts'
import { TableGone, type Entity, type EntityStore, type PointSlice, type Store, type StoredRow } from '../store.ts'
import type { TableId, TableSize } from '../store.ts'
import { erase, openDataFile, type DataFile } from './sqlite-file.ts'
import { addTimes, inTransaction, rowPlaceOf, ROWS } from './sqlite-schema.ts'
import { SqliteTables, type SqliteTable, type TableNumbers } from './sqlite-tables.ts'

interface WaitingUpsert {
  readonly clientId: number
  readonly table: string
  readonly body: Buffer
  readonly points: readonly PointSlice[]
  readonly now: number
  readonly resolve: (added: number) => void
  readonly reject: (error: unknown) => void
}

/** A row as the statement `rowsAfter` gives it. */
type PlacedPoint = readonly [place: number, point: Uint8Array, writtenAt: number | null]

/** Rows are read in pieces of at least so many bytes. */
const PIECE_BYTES = 64 * 1024

type Content = ReturnType<typeof readContent>

export class SqliteStore implements Store {
  readonly #file: DataFile<Content>
  readonly #scanner = new Scanner()
  /** The id that a table was given last. SqliteTables raises it, first to the highest one in the file. */
  readonly #numbers: TableNumbers = { last: 0 }
  /** The tables that `#tables` gives. `undefined` when they may differ from the file; then that reads them anew. */
  #cachedTables: SqliteTables | undefined
  #waiting: WaitingUpsert[] = []
  #closed = false
  /** Whether something of removed rows may still be in the file: then they are erased after a later commit. */
  #isUnclean = false

  /** @throws ConnectorError config when `path` is no file that can be used (sqlite-file.ts) */
  constructor(path: string) {
    this.#file = openDataFile(path, (db) => readContent(db, this.#numbers))
    this.#cachedTables = this.#file.content.tables
  }

  get entities(): EntityStore {
    return this.#file.content.entities
  }

  upsert(clientId: number, table: string, body: Buffer, points: readonly PointSlice[], now: number): Promise<number> {
    if (this.#closed) return Promise.reject(new Error('the data file is closed'))
    return new Promise((resolve, reject) => {
      const size = this.#waiting.push({ clientId, table, body, points, now, resolve, reject })
      if (size === 1) setImmediate(() => this.#commit())
    })
  }

  tables(): readonly TableSize[] {
    return this.#tables
      .all()
      .map(({ clientId, name, id, rows, writtenAt }) => ({ clientId, table: name, id, rows, writtenAt }))
  }

  rows(table: TableId, from = 0, count = Infinity): Iterable<StoredRow> {
    const { id, rows } = this.#present(table)
    const to = Math.min(from + count, rows)
    return this.#read(rowPlaceOf(id, Math.min(from, to)), rowPlaceOf(id, to))
  }

  remove(tables: readonly TableId[]): void {
    this.#commit()
    const current = this.#tables
    this.#cachedTables = undefined
    inTransaction(this.#file.db, () => {
      for (const { clientId, table, id } of tables) {
        const present = current.get(clientId, table)
        if (present?.id === id) current.remove(present)
      }
    })
    this.#isUnclean = !erase(this.#file.db)
  }

  /** Closes the store, after it has stored what waits. */
  [Symbol.dispose](): void {
    if (this.#closed) return
    this.#commit()
    this.#closed = true
    this.#file[Symbol.dispose]()
  }

  get #tables(): SqliteTables {
    return (this.#cachedTables ??= new SqliteTables(this.#file.db, this.#numbers))
  }

  /** A table as it is now. Throws TableGone when it was removed. */
  #present({ clientId, table, id }: TableId): SqliteTable {
    const present = this.#tables.get(clientId, table)
    if (present?.id !== id) throw new TableGone()
    return present
  }

  /** Reads the rows behind place `from`, up to place `to` (rowPlaceOf). */
  *#read(from: number, to: number): Generator<StoredRow> {
    for (let at = from; at < to;) {
      const piece = this.#pieceAfter(at, to)
      // rows are removed only with their table, and no other table ever gets its places
      if (piece.length === 0) throw new TableGone()
      for (const [, bytes, writtenAt] of piece) yield { bytes, writtenAt: writtenAt ?? undefined }
      at = piece.at(-1)![0]
    }
  }

  /** Reads some rows at once: a statement left open at a slow reader's pace would keep the log of changes from being cleared. */
  #pieceAfter(from: number, to: number): readonly PlacedPoint[] {
    const piece: PlacedPoint[] = []
    let size = 0
    for (const row of this.#file.content.rowsAfter.iterate(from, to) as Iterable<unknown> as Iterable<PlacedPoint>) {
      piece.push(row)
      size += row[1].length
      if (size >= PIECE_BYTES) break
    }
    return piece
  }

  /** Stores all waiting upserts in one transaction. All are rejected when it fails. */
  #commit(): void {
    const group = this.#waiting
    if (group.length === 0) return
    this.#waiting = []
    let added: readonly number[]
    try {
      added = inTransaction(this.#file.db, () => {
        const touched = new Set<SqliteTable>()
        const counts = group.map((upsert) => this.#store(upsert, touched))
        this.#tables.save(touched)
        return counts
      })
    } catch (error) {
      this.#cachedTables = undefined
      for (const { reject } of group) reject(error)
      return
    }
    for (const [index, { resolve }] of group.entries()) resolve(added[index]!)
    if (this.#isUnclean) this.#isUnclean = !erase(this.#file.db)
  }

  /** Stores one upsert, and adds its table to `touched`. @returns how many rows are new */
  #store({ clientId, table, body, points, now }: WaitingUpsert, touched: Set<SqliteTable>): number {
    const target = this.#tables.getOrAdd(clientId, table)
    touched.add(target)
    target.writtenAt = now
    const rowsBefore = target.rows
    for (const { identity, from, to } of points) {
      this.#scanner.start(body, from, body.length)
      if (!this.#scanner.table()) throw new Error(`the point at byte ${from} was not a point when it was stored`)
      target.columns.addFieldsOf(body, this.#scanner)
      const nextPlace = rowPlaceOf(target.id, target.rows + 1)
      const put = this.#file.content.put.get(nextPlace, target.id, bindable(identity), body.subarray(from, to), now)
      if ((put as { seq: number }).seq === nextPlace) target.rows++
    }
    return target.rows - rowsBefore
  }
}

/** Reads the file, and brings it up to date: adds the table of entities and the columns for times where they are missing, and makes views
 *  anew that are not as this release makes them.
 *  @returns the tables and entities of the file, and the statements for its rows */
function readContent(db: DatabaseSync, numbers: TableNumbers) {
  const [entities, tables] = inTransaction(db, () => {
    addTimes(db)
    const tables = new SqliteTables(db, numbers)
    tables.refreshViews()
    return [entitiesIn(db), tables] as const
  })
  const rowsAfter = db.prepare(
    `SELECT seq, CAST(point AS BLOB), written_at FROM ${ROWS} WHERE seq > ? AND seq <= ? ORDER BY seq`,
  )
  rowsAfter.setReturnArrays(true)
  return {
    tables,
    entities,
    /** Stores a row. Gives its place: the one that was offered where the row is new, else that of the row it replaces. */
    put: db.prepare(
      `INSERT INTO ${ROWS} (seq, table_id, identity, point, written_at) VALUES (?, ?, ?, CAST(? AS TEXT), ?)
       ON CONFLICT (table_id, identity) DO UPDATE SET point = excluded.point, written_at = excluded.written_at
       RETURNING seq`,
    ),
    /** Reads the rows behind one place, up to another. */
    rowsAfter,
  }
}

/** A name with spaces, which no view of a client's table can have. */
const ENTITIES = '"local service entities"'

/** The store of interface A's entities in the data file, beside the rows. Makes their table where that is missing. */
export function entitiesIn(db: DatabaseSync): EntityStore {
  db.exec(
    `CREATE TABLE IF NOT EXISTS ${ENTITIES}
     (seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL, json TEXT NOT NULL, UNIQUE (kind, id))`,
  )
  const put = db.prepare(
    `INSERT INTO ${ENTITIES} (kind, id, json) VALUES (?, ?, ?) ON CONFLICT (kind, id) DO UPDATE SET json = excluded.json`,
  )
  const remove = db.prepare(`DELETE FROM ${ENTITIES} WHERE kind = ? AND id = ?`)
  const all = db.prepare(`SELECT kind, id, json FROM ${ENTITIES} ORDER BY seq`)
  return {
    put: (entities) =>
      inTransaction(db, () => {
        for (const { kind, id, json } of entities) {
          if (json === undefined) remove.run(kind, id)
          else put.run(kind, id, json)
        }
      }),
    entities: () => all.all() as unknown as (Entity & { readonly json: string })[],
  }
}

/** A row's identity as SQLite keeps it: a text, or bytes of UTF-16 if it has lone surrogates, for as UTF-8 two such texts could become one.
 *  To SQLite, bytes never equal a text. */
function bindable(identity: string): string | Buffer {
  return identity.isWellFormed() ? identity : Buffer.from(identity, 'utf16le')
}
