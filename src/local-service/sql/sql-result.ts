// What the SQL box answers. Knows no database.

/** As JSON. An integer that no JavaScript number holds, a real that is none in JSON, bytes, and a text that was cut are
 *  objects. `characters`: of the whole text; `bytes`: of the whole value. */
export type SqlCell =
  | null
  | number
  | string
  | { readonly integer: string }
  | { readonly real: string }
  | { readonly blob: string; readonly bytes: number }
  | { readonly text: string; readonly characters: number }

export interface SqlRows {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly SqlCell[])[]
  /** There are more rows than these. */
  readonly more: boolean
  /** What the query itself took. */
  readonly ms: number
}

export type SqlResult = SqlRows | { readonly error: string }

/** What the process that runs a query is told first. */
export interface SqlQuestion {
  readonly sql: string
  /** The data file; null: tables and their rows follow. */
  readonly file: string | null
}

/** Rows of one table follow. */
export interface SqlTable {
  readonly clientId: number
  readonly table: string
}
