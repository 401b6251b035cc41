// A store that lives as long as its process. Rows are one-byte strings: their bytes, at half the cost of a Buffer
// each, and never holding on to the body they came in.

import { UNKEPT } from './store.ts'
import type { PointSlice, Store, TableSize } from './store.ts'

interface Table {
  readonly clientId: number
  readonly table: string
  readonly rows: Map<string, string>
}

export class MemoryStore implements Store {
  readonly entities = UNKEPT
  readonly #tables = new Map<string, Table>()

  upsert(clientId: number, table: string, body: Buffer, points: readonly PointSlice[]): number {
    const { rows } = this.#opened(clientId, table)
    const before = rows.size
    // Setting a key a Map has keeps its place.
    for (const point of points) rows.set(point.identity, body.toString('latin1', point.from, point.to))
    return rows.size - before
  }

  tables(): readonly TableSize[] {
    return Array.from(this.#tables.values(), ({ clientId, table, rows }) => ({ clientId, table, rows: rows.size }))
  }

  rows(clientId: number, table: string): Iterable<Uint8Array> | undefined {
    const found = this.#tables.get(`${clientId}/${table}`)
    return found && bytesOf(found.rows, 0, found.rows.size)
  }

  rowsFrom(clientId: number, table: string, from: number, count: number): Iterable<Uint8Array> | undefined {
    const found = this.#tables.get(`${clientId}/${table}`)
    return found && bytesOf(found.rows, from, from + count)
  }

  [Symbol.dispose](): void {
    this.#tables.clear()
  }

  #opened(clientId: number, table: string): Table {
    const name = `${clientId}/${table}`
    const found = this.#tables.get(name) ?? { clientId, table, rows: new Map<string, string>() }
    this.#tables.set(name, found)
    return found
  }
}

function* bytesOf(rows: ReadonlyMap<string, string>, from: number, to: number): Generator<Uint8Array> {
  let at = 0
  for (const row of rows.values()) {
    // A Map's iterator also meets what is added meanwhile: under load it might never end.
    if (at === to) return
    if (at++ >= from) yield Buffer.from(row, 'latin1')
  }
}
