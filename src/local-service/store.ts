// Where rows are kept. Knows no JSON: a row is an identity and bytes.

import type { EntityStore } from './onboarding/entities.ts'

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
}

export interface Store extends Disposable {
  /** What interface A keeps. */
  readonly entities: EntityStore
  /** Takes all points or none. A point replaces the row of its identity and keeps that row's place; of two equal ones
   *  the later counts. Answers how many rows are new, when what it took will outlast what is to outlast it; `body` must
   *  not change before. */
  upsert(clientId: number, table: string, body: Buffer, points: readonly PointSlice[]): number | Promise<number>
  /** In the order of their first push. */
  tables(): readonly TableSize[]
  /** The bytes of each row that exists now, first arrival first; undefined: the table was never pushed. */
  rows(clientId: number, table: string): Iterable<Uint8Array> | undefined
  /** The same of at most `count` rows behind the first `from`. */
  rowsFrom(clientId: number, table: string, from: number, count: number): Iterable<Uint8Array> | undefined
}
