// Interface A's entities in the data file, beside the rows.

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Entity, EntityStore } from '../store.ts'
import { inTransaction } from './sqlite-schema.ts'

/** A name with spaces, for the reason that sqlite-schema.ts gives. */
const ENTITIES = '"local service entities"'

export class SqliteEntities implements EntityStore {
  readonly #db: DatabaseSync
  readonly #put: StatementSync
  readonly #remove: StatementSync
  readonly #all: StatementSync

  /** Makes the table of entities in files that have none. */
  constructor(db: DatabaseSync) {
    db.exec(
      `CREATE TABLE IF NOT EXISTS ${ENTITIES}
       (seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL, json TEXT NOT NULL, UNIQUE (kind, id))`,
    )
    this.#db = db
    this.#put = db.prepare(
      `INSERT INTO ${ENTITIES} (kind, id, json) VALUES (?, ?, ?) ON CONFLICT (kind, id) DO UPDATE SET json = excluded.json`,
    )
    this.#remove = db.prepare(`DELETE FROM ${ENTITIES} WHERE kind = ? AND id = ?`)
    this.#all = db.prepare(`SELECT kind, id, json FROM ${ENTITIES} ORDER BY seq`)
  }

  put(entities: readonly Entity[]): void {
    inTransaction(this.#db, () => {
      for (const { kind, id, json } of entities) {
        if (json === undefined) this.#remove.run(kind, id)
        else this.#put.run(kind, id, json)
      }
    })
  }

  entities(): readonly (Entity & { readonly json: string })[] {
    return this.#all.all() as unknown as (Entity & { readonly json: string })[]
  }
}
