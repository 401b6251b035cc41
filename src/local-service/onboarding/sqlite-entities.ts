// Interface A's entities in the data file, beside the rows.

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { inTransaction } from '../sqlite/sqlite-schema.ts'
import type { Entity, EntityStore } from '../store.ts'

/** A name with spaces, as the data file's own tables have: no table of a client can be called the same. */
const ENTITIES = '"local service entities"'

/** The tables that a data file needs for entities. */
export const ENTITIES_SCHEMA = `
CREATE TABLE IF NOT EXISTS ${ENTITIES} (
  seq INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  json TEXT NOT NULL,
  UNIQUE (kind, id)
);
`

export class SqliteEntities implements EntityStore {
  readonly #db: DatabaseSync
  readonly #put: StatementSync
  readonly #remove: StatementSync
  readonly #all: StatementSync

  /** @param db has ENTITIES_SCHEMA */
  constructor(db: DatabaseSync) {
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
