// Holds in memory what tables a data file has, and writes changes of them to the file. SqliteStore makes these within a transaction: it
// gets a table by `getOrAdd`, changes its `rows`, `writtenAt` and `columns`, and calls `save`. The n-th row of a table, from 1, has the
// place (`seq`) rowPlaceOf(id, n). Rows are removed only all together, so the last place tells their number. No row has place 0 of a table.

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { caseless, FIELDS, ROWS, rowPlaceOf, sqlName, TABLES } from './sqlite-schema.ts'
import { Columns, viewName, viewSql } from './sqlite-views.ts'

export interface SqliteTable {
  readonly id: number
  readonly clientId: number
  readonly name: string
  /** The name of the view that shows it to other programs. */
  readonly view: string
  readonly columns: Columns
  /** How many rows it has, and when one was last written, in milliseconds since 1970 (`undefined` when not known). */
  rows: number
  writtenAt: number | undefined
  /** How many of `columns` are in the file already: the first ones. */
  savedColumns: number
}

/** Rows of the tables in sqlite-schema.ts. */
type TableRow = { id: number; client_id: number; name: string; view: string; written_at: number | null }
type FieldRow = { table_id: number; field: string; column_name: string }

/** The id that a table was given last; SqliteTables raises it. It is kept when another SqliteTables is made, so that no id is given twice
 *  while the process lives: by the id a reader notices that its table was removed. */
export interface TableNumbers {
  last: number
}

/** Rows of a table with a larger id would have places beyond Number.MAX_SAFE_INTEGER (rowPlaceOf). */
const LAST_ID = 2 ** 21 - 1

/** The tables of the file. Agrees with it until a transaction is rolled back or `remove` is called: then another one is to be made. */
export class SqliteTables {
  readonly #db: DatabaseSync
  readonly #numbers: TableNumbers
  readonly #insertTable: StatementSync
  readonly #insertField: StatementSync
  readonly #setTime: StatementSync
  readonly #findName: StatementSync
  readonly #tables = new Map<string, SqliteTable>()
  /** Names of the views, folded as SQLite compares them. */
  readonly #views = new Set<string>()

  /** Reads the file. Throws when it is damaged. */
  constructor(db: DatabaseSync, numbers: TableNumbers) {
    this.#db = db
    this.#numbers = numbers
    this.#insertTable = db.prepare(`INSERT INTO ${TABLES} (id, client_id, name, view) VALUES (?, ?, ?, ?)`)
    this.#insertField = db.prepare(`INSERT INTO ${FIELDS} VALUES (?, ?, ?, ?)`)
    this.#setTime = db.prepare(`UPDATE ${TABLES} SET written_at = ? WHERE id = ?`)
    this.#findName = db.prepare('SELECT 1 FROM sqlite_schema WHERE name = ? COLLATE NOCASE')
    this.#load(db)
  }

  /** Tables in the order of their first push. */
  all(): readonly SqliteTable[] {
    return [...this.#tables.values()]
  }

  get(clientId: number, name: string): SqliteTable | undefined {
    return this.#tables.get(`${clientId}/${name}`)
  }

  /** Gets a table, or adds it to the file. */
  getOrAdd(clientId: number, name: string): SqliteTable {
    return this.get(clientId, name) ?? this.#add(clientId, name)
  }

  /** Writes the times and new columns of `tables` to the file, and makes their views anew where columns were added. */
  save(tables: Iterable<SqliteTable>): void {
    for (const table of tables) {
      this.#setTime.run(table.writtenAt ?? null, table.id)
      // a table without columns gets its view here too
      if (table.savedColumns === table.columns.size && table.savedColumns > 0) continue
      const columns = table.columns.all()
      for (; table.savedColumns < columns.length; table.savedColumns++) {
        const { field, column } = columns[table.savedColumns]!
        this.#insertField.run(table.id, table.savedColumns, JSON.stringify(field), column)
      }
      this.#replaceView(table.view, viewTextOf(table))
    }
  }

  /** Makes the views that are missing, or not as this release makes them. */
  refreshViews(): void {
    const views = this.#db.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'view'").all()
    const texts = new Map(views.map(({ name, sql }) => [name, sql]))
    for (const table of this.all()) {
      const text = viewTextOf(table)
      if (texts.get(table.view) !== text) this.#replaceView(table.view, text)
    }
  }

  /** Removes a table from the file with its view and its rows, all those with places before the range of the next table. */
  remove({ id, view }: SqliteTable): void {
    this.#db.prepare(`DELETE FROM ${ROWS} WHERE seq BETWEEN ? AND ?`).run(rowPlaceOf(id, 1), rowPlaceOf(id + 1, 0))
    this.#db.prepare(`DELETE FROM ${FIELDS} WHERE table_id = ?`).run(id)
    this.#db.prepare(`DELETE FROM ${TABLES} WHERE id = ?`).run(id)
    this.#replaceView(view, '')
  }

  #add(clientId: number, name: string): SqliteTable {
    const view = viewName(name, clientId, (it) => this.#isTaken(it))
    if (this.#numbers.last === LAST_ID) throw new Error(`there were ${LAST_ID} tables: take a new data file`)
    const id = ++this.#numbers.last
    this.#insertTable.run(id, clientId, name, view)
    return this.#remember(id, clientId, name, view)
  }

  /** Tells whether a name is taken: by another table's view, or by what another program has put into the file. */
  #isTaken(view: string): boolean {
    return this.#views.has(caseless(view)) || this.#findName.get(view) !== undefined
  }

  /** Removes the view of this name if there is one, and makes another by `sql`, or none if that is ''. Never throws: a view that cannot be
   *  made, because another program has put a table of that name into the file, is left out, for rows are worth more. */
  #replaceView(view: string, sql: string): void {
    try {
      this.#db.exec(`DROP VIEW IF EXISTS ${sqlName(view)}`)
      this.#db.exec(sql)
    } catch {
      // an error that is not the view's, such as a full disk, comes up again at the commit
    }
  }

  #load(db: DatabaseSync): void {
    const byId = new Map<number, SqliteTable>()
    const selectLastRow = db.prepare(`SELECT seq FROM ${ROWS} WHERE seq BETWEEN ? AND ? ORDER BY seq DESC LIMIT 1`)
    const tables = db.prepare(`SELECT * FROM ${TABLES} ORDER BY id`).all() as unknown as TableRow[]
    for (const { id, client_id, name, view, written_at } of tables) {
      const lastRow = selectLastRow.get(rowPlaceOf(id, 1), rowPlaceOf(id + 1, 0)) as { seq: number } | undefined
      const table = this.#remember(id, client_id, name, view)
      if (lastRow !== undefined) table.rows = lastRow.seq - rowPlaceOf(id, 0)
      table.writtenAt = written_at ?? undefined
      byId.set(id, table)
    }
    const fields = db.prepare(`SELECT * FROM ${FIELDS} ORDER BY table_id, position`).all() as unknown as FieldRow[]
    for (const { table_id, field, column_name } of fields) {
      const table = byId.get(table_id)!
      table.columns.add(JSON.parse(field) as string, column_name)
      table.savedColumns++
    }
  }

  #remember(id: number, clientId: number, name: string, view: string): SqliteTable {
    const table = { id, clientId, name, view, columns: new Columns(), rows: 0, writtenAt: undefined, savedColumns: 0 }
    this.#numbers.last = Math.max(this.#numbers.last, id)
    this.#tables.set(`${clientId}/${name}`, table)
    this.#views.add(caseless(view))
    return table
  }
}

function viewTextOf({ view, id, columns }: SqliteTable): string {
  return viewSql(view, id, columns.all())
}
