// For tests: records, and bodies of their points, as tables cut them.

import { Body, Point, cutBody } from '../body.ts'
import { Segment, type TrackState } from '../segment.ts'
import type { RecordItem, Table } from '../types.ts'

export const track = { name: 'stream_orders' }

/** A record with these bytes, of the row 1 of one table, but for what is given. */
export function recordOf<O = null>(text = '{}', more: Partial<RecordItem<O>> = {}): RecordItem<O> {
  const bytes = Buffer.from(text)
  const pieces = { head: bytes, headFrom: 0, headTo: 0, bytes, from: 0, to: bytes.length }
  const table = { name: 't', keepLast: true }
  return { kind: 'record', track, table, key: 1, ...pieces, origin: null as O, held: 0, ...more }
}

/** A track of which nothing was received yet. */
export function trackStateOf(name: string): TrackState {
  return { track: { name }, outstanding: 0, received: 0, written: 0, rejected: 0, phase: 'open', settled: undefined }
}

const segment = new Segment(trackStateOf(track.name), 0)

/** A sent body with a point a number, which is its key and its origin. */
export function bodyOf(numbers: readonly number[], table: Table): Body<number> {
  const body = new Body<number>(64)
  for (const number of numbers) {
    const item = recordOf(`{"v":${number}}`, { table, key: number, origin: number })
    body.add(new Point<number>(item, segment, 0), item)
  }
  body.phase = 'sent'
  return body
}

export const numbersOf = (body: Body<number>): number[] => body.points.map(({ origin }) => origin)

export const cut = (body: Body<number>, size: number): Body<number>[] => cutBody(body, size)
