// For tests: bodies of points, as tables cut them.

import { Body, Point, cutBody } from '../body.ts'
import { Ledger } from '../ledger.ts'
import type { Table } from '../types.ts'

export const track = { name: 'stream_orders' }
const segment = new Ledger<never>().receive(track)

/** A sent body with a point a number, which is its key and its origin. */
export function bodyOf(numbers: readonly number[], table: Table): Body<number> {
  const body = new Body<number>(64)
  for (const number of numbers) {
    const bytes = Buffer.from(`{"v":${number}}`)
    const pieces = { head: bytes, headFrom: 0, headTo: 0, bytes, from: 0, to: bytes.length }
    const item = { ...pieces, kind: 'record', track, table, key: number, origin: number, held: 0 } as const
    body.add(new Point<number>(item, segment, 0), pieces)
  }
  body.phase = 'sent'
  return body
}

export const numbersOf = (body: Body<number>): number[] => body.points.map(({ origin }) => origin)

export const cut = (body: Body<number>, size: number): Body<number>[] => cutBody(body, size)
