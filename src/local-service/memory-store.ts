// A store that lives as long as its process. Rows are one-byte strings: their bytes, at half the cost of a Buffer
// each, and never holding on to the body they came in.

import type { PointSlice, Store, TableSize } from './store.ts'

type Rows = Map<string, string>

export class MemoryStore implements Store {
  readonly #clients = new Map<number, Map<string, Rows>>()

  upsert(clientId: number, table: string, body: Buffer, points: readonly PointSlice[]): number {
    const rows = this.#opened(clientId, table)
    const before = rows.size
    // Setting a key a Map has keeps its place.
    for (const point of points) rows.set(point.identity, body.toString('latin1', point.from, point.to))
    return rows.size - before
  }

  tables(): readonly TableSize[] {
    const sizes: TableSize[] = []
    for (const [clientId, tables] of this.#clients) {
      for (const [table, rows] of tables) sizes.push({ clientId, table, rows: rows.size })
    }
    return sizes
  }

  rows(clientId: number, table: string): Iterable<Uint8Array> | undefined {
    const rows = this.#clients.get(clientId)?.get(table)
    return rows && bytesOf(rows)
  }

  [Symbol.dispose](): void {
    this.#clients.clear()
  }

  #opened(clientId: number, table: string): Rows {
    const tables = this.#clients.get(clientId) ?? new Map<string, Rows>()
    this.#clients.set(clientId, tables)
    const rows = tables.get(table) ?? new Map<string, string>()
    tables.set(table, rows)
    return rows
  }
}

function* bytesOf(rows: Rows): Generator<Uint8Array> {
  let left = rows.size
  for (const row of rows.values()) {
    // A Map's iterator also meets what is added meanwhile: under load it might never end.
    if (left-- === 0) return
    yield Buffer.from(row, 'latin1')
  }
}
