// A point while the engine holds it: which records it stands for, where the superseded ones were read, and the pool that points
// are reused from.

import type { Body } from './body.ts'
import { exactOf, fenceOf } from './key.ts'
import type { Segment } from './ledger.ts'
import type { KeyAtom, Pieces, RecordItem, Rejects, SupersededPlace, Table } from './types.ts'

/** Says what to keep of superseded records' origins. */
export type Places<O> = Pick<Rejects<O>, 'placeOf'>

/** Records of one segment that a point stands for; `older` are those of earlier versions. */
export interface Share {
  segment: Segment
  count: number
  older: Share | undefined
}

/** One version of a row: in a body (pending or in flight), or waiting aside behind its fence. Points of one fence form a chain in
 *  arrival order, and only the first may be in a body. A point is itself the newest of its shares, so that a record takes a
 *  single object. */
export class Point<O> implements Share {
  table!: Table
  exact!: KeyAtom | undefined
  fence!: KeyAtom | undefined
  /** When the oldest version that it stands for arrived. */
  age!: number
  origin!: O
  /** Bytes of memory that its origin takes, and the places of superseded ones. */
  held!: number
  segment!: Segment
  count = 1
  /** Whether it is delivered in place of a rejected record. */
  isStandIn = false
  /** Shares of earlier segments, newest first. */
  older: Share | undefined = undefined
  /** Where superseded records were read, if that is kept. */
  places: SupersededPlaces<O> | undefined = undefined
  body: Body<O> | undefined = undefined
  /** Its range in `body.bytes`, without the comma behind it. */
  from = 0
  to = 0
  /** The range of its cursor, counted from its first byte; empty if it has none. */
  cursorFrom = 0
  cursorTo = 0
  /** Its data, while it waits aside. */
  aside: Pieces | undefined = undefined
  /** Bytes allocated for `aside`. */
  asideBytes = 0
  /** If it is the first of its fence: its entry in the table's `KeyMap` (key.ts). */
  entry = 0
  /** The next point of the same fence, in arrival order. */
  next: Point<O> | undefined = undefined
  /** If it is the first of a chain of two or more: the newest. */
  last: Point<O> | undefined = undefined

  constructor(item: RecordItem<O>, segment: Segment, age: number) {
    this.renew(item, segment, age)
  }

  /** Clears every reference but its table and segment, which outlive it. */
  clear(): void {
    this.exact = undefined
    this.fence = undefined
    this.origin = undefined as O
    this.count = 1
    this.isStandIn = false
    this.older = undefined
    this.places = undefined
    this.body = undefined
    this.aside = undefined
    this.asideBytes = 0
    this.next = undefined
    this.last = undefined
  }

  /** Makes a cleared point that of another record. */
  renew(item: RecordItem<O>, segment: Segment, age: number): void {
    this.table = item.table
    this.exact = exactOf(item.key)
    this.fence = fenceOf(item.key)
    this.segment = segment
    this.age = age
    this.origin = item.origin
    this.held = item.held
    this.#placeCursor(item)
  }

  /** Makes it stand for a newer record of `segment` as well, whose origin it takes; place and age stay. Must be called before its bytes
   *  are replaced.
   *  @returns by how many bytes `held` grew */
  supersede(segment: Segment, item: RecordItem<O>, places?: Places<O>): number {
    const before = this.held
    this.#reportCursor(item)
    const place = places?.placeOf(this.origin)
    if (place !== undefined) (this.places ??= new SupersededPlaces()).add(this.segment, place)
    if (this.segment === segment) this.count++
    else {
      this.older = { segment: this.segment, count: this.count, older: this.older }
      this.segment = segment
      this.count = 1
    }
    this.origin = item.origin
    this.held = item.held + (this.places?.cost ?? 0)
    this.#placeCursor(item)
    return this.held - before
  }

  /** Makes it a point that is delivered in place of a rejected record. */
  standFor({ segment, count, older }: Share): void {
    this.isStandIn = true
    this.segment = segment
    this.count = count
    this.older = older
  }

  #placeCursor({ headFrom, headTo, from, cursorFrom, cursorTo }: RecordItem<O>): void {
    const before = headTo - headFrom - from
    const has = cursorFrom !== undefined && cursorTo !== undefined && cursorTo > cursorFrom
    this.cursorFrom = has ? before + cursorFrom : 0
    this.cursorTo = has ? before + cursorTo : 0
  }

  #reportCursor({ table, bytes, cursorFrom, cursorTo }: RecordItem<O>): void {
    if (!table.watch || !cursorTo || this.cursorTo === 0) return
    const old = this.body ? this.body.bytes : this.aside!.bytes
    const from = this.body ? this.from : 0
    table.watch.superseded(old, from + this.cursorFrom, from + this.cursorTo, bytes, cursorFrom!, cursorTo)
  }

  /** Whether it stands for its own record only. */
  get isPlain(): boolean {
    return this.count === 1 && this.older === undefined && !this.isStandIn
  }

  /** How many older versions it stands for (decisions.md#a-point-counts-its-older-versions). */
  superseded(): number {
    let records = this.count - 1
    for (let share = this.older; share; share = share.older) records += share.count
    return records
  }
}

export type ShareTest = (share: Share) => boolean

/** Whether the share's track was abandoned. */
export const isAbandoned: ShareTest = (share) => share.segment.state.phase === 'abandoned'

/** Whether the point stands for a record of a matching share. */
export function holds(point: Point<unknown>, matches: ShareTest): boolean {
  for (let share: Share | undefined = point; share; share = share.older) if (matches(share)) return true
  return false
}

/** Moves matching shares of a point to `dropped`. It moves none if the newest share matches but others do not, because the point's
 *  bytes are still needed for them.
 *  @returns whether no share is left */
export function dropShares(point: Point<unknown>, matches: ShareTest, dropped: Share[]): boolean {
  const shares: Share[] = []
  for (let share: Share | undefined = point; share; share = share.older) shares.push(share)
  const kept = shares.filter((share) => !matches(share))
  if (kept.length > 0 && kept[0] !== point) return false
  dropped.push(...shares.filter(matches))
  if (kept.length === 0) return true
  kept.forEach((share, index) => (share.older = kept[index + 1]))
  point.places?.drop((segment) => !kept.some((share) => share.segment === segment))
  return false
}

/** Points kept at most. */
const SPARE_POINTS = 16_384

/** Reuses points, because they live as long as a request, which is too long to be cheap garbage. */
export class PointPool<O> {
  readonly #spare: Point<O>[] = []

  take(item: RecordItem<O>, segment: Segment, age: number): Point<O> {
    const spare = this.#spare.pop()
    if (!spare) return new Point(item, segment, age)
    spare.renew(item, segment, age)
    return spare
  }

  /** The caller must not use the point afterwards. */
  give(point: Point<O>): void {
    if (this.#spare.length >= SPARE_POINTS) return
    point.clear()
    this.#spare.push(point)
  }
}

/** Places kept at most; a hot key may be superseded a million times. */
const KEPT = 10
/** Bytes of memory that each takes, with an origin that holds no more than a place. */
const COST = 128

interface Kept<O> {
  segment: Segment
  origin: O
  /** The next newer one; for the newest, the oldest. */
  newer: Kept<O>
}

/** Where the newest of a point's superseded versions were read, to be reported if the point is refused. A ring: adding one to ten
 *  overwrites the oldest and allocates nothing. */
export class SupersededPlaces<O> {
  #newest: Kept<O> | undefined = undefined
  #count = 0

  /** Bytes of memory that they take. */
  get cost(): number {
    return COST * this.#count
  }

  /** @param segment of the superseded record
   *  @param origin what `placeOf` gave for it */
  add(segment: Segment, origin: O): void {
    const newest = this.#newest
    if (newest !== undefined && this.#count === KEPT) {
      const oldest = newest.newer
      oldest.segment = segment
      oldest.origin = origin
      this.#newest = oldest
      return
    }
    const kept = { segment, origin } as Kept<O>
    kept.newer = newest?.newer ?? kept
    if (newest) newest.newer = kept
    this.#newest = kept
    this.#count++
  }

  /** Forgets places of records that were dropped, not superseded. */
  drop(matches: (segment: Segment) => boolean): void {
    const kept = this.#oldestFirst().filter(({ segment }) => !matches(segment))
    this.#newest = undefined
    this.#count = 0
    for (const { segment, origin } of kept) this.add(segment, origin)
  }

  newestFirst(): SupersededPlace<O>[] {
    const places = this.#oldestFirst().map(({ segment, origin }) => ({ track: segment.state.track, origin }))
    return places.reverse()
  }

  #oldestFirst(): Kept<O>[] {
    const found: Kept<O>[] = []
    for (let kept = this.#newest; found.length < this.#count;) found.push((kept = kept!.newer))
    return found
  }
}
