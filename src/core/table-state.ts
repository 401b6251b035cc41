// What is kept of a table over a run. Decides nothing.

import type { Body } from './body.ts'
import { KeyMap } from './key-map.ts'
import type { Point } from './point.ts'
import type { Table } from './types.ts'

const FIRST_CAPACITY = 2048

export class TableState<O> {
  readonly table: Table
  open: Body<O> | undefined = undefined
  /** By fence, the first point of its chain: pending in a body, in flight, or held by the guard. */
  readonly fences: KeyMap<Point<O>>
  /** Size of recent bodies, so that the next one need not grow. */
  capacity = FIRST_CAPACITY

  constructor(table: Table, hashSeed: number) {
    this.table = table
    this.fences = new KeyMap(hashSeed)
  }
}
