// How a view comes into a database. Knows neither its name nor its text (sqlite-views.ts).

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { sqlName } from './sqlite-columns.ts'

export interface ViewMaker {
  /** Is there something of this name, compared as SQLite compares names? Views that were made do not count. */
  isTaken(name: string): boolean
  /** In the place of the view of this name, if there is one. Never throws. */
  make(name: string, sql: string): void
}

/** At once, in a file that others may write into too. Within a transaction. */
export class CreatedViews implements ViewMaker {
  readonly #db: DatabaseSync
  readonly #findName: StatementSync

  constructor(db: DatabaseSync) {
    this.#db = db
    this.#findName = db.prepare('SELECT 1 FROM sqlite_schema WHERE name = ? COLLATE NOCASE')
  }

  isTaken(name: string): boolean {
    return this.#findName.get(name) !== undefined
  }

  /** Rows are worth more than a view: one that cannot be made, for somebody has put a table of that name into the file, is
   *  left out. */
  make(name: string, sql: string): void {
    try {
      this.#db.exec(`DROP VIEW IF EXISTS ${sqlName(name)}`)
      this.#db.exec(sql)
    } catch {
      // A fault that is not the view's, a full disk say, shows at the commit.
    }
  }
}

/** All at the end, in a database of our own that nobody else writes into: each CREATE VIEW reads the whole schema, so that
 *  ten thousand of them take half a minute. */
export class ViewsAtOnce implements ViewMaker {
  readonly #texts = new Map<string, string>()

  isTaken(): boolean {
    return false
  }

  make(name: string, sql: string): void {
    this.#texts.set(name, sql)
  }

  /** Puts them into `db`, which must have been opened with `defensive: false`. */
  finish(db: DatabaseSync): void {
    db.exec('PRAGMA writable_schema = ON; BEGIN')
    const insert = db.prepare(`INSERT INTO sqlite_schema VALUES ('view', ?1, ?1, 0, ?2)`)
    for (const [name, sql] of this.#texts) insert.run(name, sql)
    db.exec('COMMIT; PRAGMA writable_schema = RESET')
  }
}
