// For tests of stores: upserts written as texts, and what a store or another program makes of them.

import { DatabaseSync } from 'node:sqlite'
import type { PointSlice, Store, StoredRow, TableSize } from '../store.ts'

export interface Upsert {
  readonly client: number
  readonly table: string
  readonly points: readonly { readonly identity: string; readonly text: string }[]
}

export async function put(store: Store, { client, table, points }: Upsert, now = 0): Promise<number> {
  const texts = points.map(({ text }) => Buffer.from(text))
  let at = 0
  const slices: PointSlice[] = texts.map(({ length }, index) => {
    const from = at
    at += length + 1
    return { identity: points[index]!.identity, from, to: from + length }
  })
  return store.upsert(client, table, Buffer.concat(texts.flatMap((text) => [text, Buffer.from(',')])), slices, now)
}

export function one(table: string, text: string, identity = text, client = 7): Upsert {
  return { client, table, points: [{ identity, text }] }
}

export function content(store: Store): unknown {
  return store.tables().map(({ clientId, table, rows }) => ({
    clientId,
    table,
    rows,
    texts: Array.from(rowsOf(store, table, clientId), ({ bytes }) => Buffer.from(bytes).toString()),
  }))
}

export function tableOf(store: Store, table: string, client = 7): TableSize | undefined {
  return store.tables().find((it) => it.clientId === client && it.table === table)
}

/** None where there is no such table. */
export function rowsOf(store: Store, table: string, client = 7): Iterable<StoredRow> {
  const found = tableOf(store, table, client)
  return found === undefined ? [] : store.rows(found)
}

/** What another program sees. */
export function select(file: string, sql: string): Record<string, unknown>[] {
  using db = new DatabaseSync(file, { readOnly: true, readBigInts: true })
  const rows = db.prepare(sql).all()
  return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])))
}

function plain(value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value
}
