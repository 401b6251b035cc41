// Collects points (versions of rows) of each table into the bodies of requests. Keeps only the newest version of a row that waits. Keeps
// points with an equal fence (the coarser of a key's two levels) apart. Cuts bodies, so that they take no more points, by count, bytes and
// age. A point's age is when it arrived: a time, as the `now` that callers pass, in milliseconds.

import { NOTHING, cutBody, nextCapacity, sizeOf, writePieces, type Body, type PlacePolicy, type Point } from './body.ts'
import type { Segment, Share } from './segment.ts'
import { Fifo, NO_PLACE, OldestFirst } from './queues.ts'
import { KeyMap, exactOf, fenceOf } from './key.ts'
import { Linger } from './linger.ts'
import { BodyPool, PointPool } from './pools.ts'
import { dropShares, sharesOf, type ShareTest } from './shares.ts'
import type { Pieces, RecordItem, Table } from './types.ts'

/** When a body is cut: then it takes no more points, and is sent as soon as there is a permit (permission for one attempt). */
export interface TableLimits {
  readonly maxPoints: number
  readonly maxBytes: number
  /** An open body that has waited so long goes before all others. */
  readonly maxWaitMs: number
  /** An open body that has waited so long is cut if a permit is free; where many are small, it waits longer (linger.ts). */
  readonly lingerMs: number
}

/** Bytes of memory that a point takes besides its data. */
const POINT_COST = 224

/** Bytes reserved for a table's first body. */
const FIRST_CAPACITY = 2048

/** The points of one table, for as long as the run lasts. */
class TableState<O> {
  readonly table: Table
  open: Body<O> | undefined = undefined
  /** The first point of each fence's chain (body.ts), which waits in a body, is in flight, or is held by the late-write guard. */
  readonly fences: KeyMap<Point<O>>
  /** Bytes to reserve for the next body, by the size of the last one. */
  capacity = FIRST_CAPACITY
  /** How many tables had points before it; decides between open bodies of the same age. */
  readonly order: number
  /** Its index in the queue of tables with an open body (queues.ts). */
  place = NO_PLACE

  constructor(table: Table, order: number, hashSeed: number) {
    this.table = table
    this.order = order
    this.fences = new KeyMap(hashSeed)
  }

  /** The age of its open body, which it must have. */
  get age(): number {
    return this.open!.age
  }
}

/** The points of each table until they are freed. Points with an equal fence are never in one body or in flight together, and are sent in
 *  arrival order. A record with the same exact key as the newest waiting point of its fence takes that one's place and age. Points come in
 *  by `add`, go out in the bodies that `takeDue` gives, and are freed when such a body comes back by `release`. Never throws, never waits.
 *  See decisions.md#keys-are-equal-at-two-levels and decisions.md#a-newer-value-takes-place-and-age. */
export class Tables<O> {
  readonly #limits: TableLimits
  readonly #linger: Linger
  readonly #hashSeed: number
  readonly #placePolicy: PlacePolicy<O> | undefined
  readonly #states = new Map<Table, TableState<O>>()
  #lastState: TableState<O> | undefined
  readonly #full = new Fifo<Body<O>>()
  /** Tables with an open body. */
  readonly #open = new OldestFirst<TableState<O>>()
  /** No open body is older than this; Infinity when there was none. Too early after the oldest was cut, until `#oldest` corrects it. */
  #oldestOpen = Infinity
  readonly #pool = new PointPool<O>()
  readonly #bodies = new BodyPool<O>()
  #bytes = 0

  constructor(limits: TableLimits, hashSeed: number, placePolicy?: PlacePolicy<O>) {
    this.#limits = limits
    this.#linger = new Linger(limits)
    this.#hashSeed = hashSeed
    this.#placePolicy = placePolicy
  }

  /** Bytes of memory that points take, from `add` to `release` or `forget`, in flight included. */
  get bytes(): number {
    return this.#bytes
  }

  get fullCount(): number {
    return this.#full.length
  }

  /** Buffers a record as a point, and copies its bytes.
   *  @param segment of the record, which it must count already */
  add(item: RecordItem<O>, segment: Segment, now: number): void {
    const state = this.#stateOf(item.table)
    const fence = fenceOf(item.key)
    const first = fence === undefined ? undefined : state.fences.get(fence)
    // the first point of a chain knows the last one, unless it is alone
    const newest = first?.last ?? first
    if (newest !== undefined && this.#supersede(state, newest, item, segment)) return
    this.#queue(state, this.#pool.take(item, segment, segment.ageAt(now)), first, item)
  }

  /** Buffers a stand-in: a point that is delivered in place of a rejected record. If it must wait behind its fence, its pieces are not
   *  copied, as those of a very long record are only made when they are read.
   *  @param share the records that are settled with it. None are if its count is 0 */
  addStandIn(item: RecordItem<O>, share: Share, now: number): void {
    const state = this.#stateOf(item.table)
    const point = this.#pool.take(item, share.segment, share.segment.ageAt(now))
    const fence = fenceOf(item.key)
    point.becomeStandIn(share)
    this.#queue(state, point, fence === undefined ? undefined : state.fences.get(fence), item)
  }

  /** Cuts the next due body: first one that waited for `maxWaitMs`, then full ones in their order, then one that lingered long enough.
   *  @param isInputOver whether the input has ended, so that every open body is due
   *  @returns a body with the phase `sent`, of 1..maxPoints points, ≤ maxBytes unless one point is larger; `undefined` when none is due */
  takeDue(now: number, isInputOver: boolean): Body<O> | undefined {
    const body = this.#cutDue(now, isInputOver)
    if (body) this.#linger.cut(body.points.length, now)
    return body
  }

  #cutDue(now: number, isInputOver: boolean): Body<O> | undefined {
    const overdue = this.#oldest(now, this.#limits.maxWaitMs)
    if (overdue) return this.#cutOpen(overdue)
    const full = this.#full.shift()
    if (full) {
      full.phase = 'sent'
      return full
    }
    const lingered = this.#oldest(isInputOver ? Infinity : now, this.#linger.ms)
    return lingered && this.#cutOpen(lingered)
  }

  /** When the next body is due, if nothing is added: -Infinity if one is full, Infinity if there is none. */
  nextDue(): number {
    return this.#full.length > 0 ? -Infinity : this.#oldestOpen + this.#linger.ms
  }

  /** The table of the body that `takeDue` would return. `undefined` when none is due. */
  dueTable(now: number, isInputOver: boolean): Table | undefined {
    const overdue = this.#oldest(now, this.#limits.maxWaitMs)
    if (overdue) return overdue.table
    return this.#full.peek()?.points[0]!.table ?? this.#oldest(isInputOver ? Infinity : now, this.#linger.ms)?.table
  }

  /** Divides a sent body into sent bodies of `size` points each, in order; the last one may have fewer. */
  cut(body: Body<O>, size: number): Body<O>[] {
    const bodies = cutBody(body, size)
    this.#bytes += bodies.reduce((sum, part) => sum + part.bytes.length, -body.bytes.length)
    return bodies
  }

  /** Drops the bytes of a sent body whose points are settled or dropped; points with their fences wait until `release`. */
  park(body: Body<O>): void {
    this.#bytes -= body.bytes.length + body.held
    body.bytes = NOTHING
    body.held = 0
  }

  /** Frees a sent body whose points are settled or dropped. The next point of each of their fences moves into a body.
   *  @param isReusable whether nothing reads its buffer any more (Transport.isQuiet) */
  release(body: Body<O>, isReusable = false): void {
    this.#bytes -= body.bytes.length + body.held + POINT_COST * body.points.length
    // all points of a body are of one table
    const state = body.points[0] && this.#states.get(body.points[0].table)!
    for (const point of body.points) {
      if (point.fence !== undefined) this.#unfence(state!, point)
      this.#pool.give(point)
    }
    this.#bodies.give(body, isReusable)
  }

  /** Makes open bodies due at once in which a point has a matching share. */
  expire(matches: ShareTest): void {
    for (const state of this.#open.all) {
      const body = state.open!
      for (const point of body.points) if (sharesOf(point).some(matches)) point.age = body.age = -Infinity
      if (body.age === -Infinity) this.#oldestOpen = -Infinity
      this.#open.put(state)
    }
  }

  /** Yields every point that is not in a sent body, in sending order. Points that wait behind a fence come last in their table. */
  *unsent(): Generator<Point<O>> {
    for (const state of this.#states.values()) {
      for (const body of this.#unsentBodies(state)) yield* body.points
      for (const first of state.fences.values()) for (let point = first.next; point; point = point.next) yield point
    }
  }

  /** Drops matching shares of points that are not in a sent body, and points that have no share left.
   *  @returns the shares dropped */
  forget(matches: ShareTest): Share[] {
    const dropped: Share[] = []
    for (const state of this.#states.values()) {
      for (const first of state.fences.values()) this.#forgetAside(first, matches, dropped)
      for (const body of this.#unsentBodies(state)) {
        for (const point of body.points.slice())
          if (dropShares(point, matches, dropped)) this.#forgetPending(state, point, body)
      }
    }
    return dropped
  }

  /** Writes a point into a body, or sets it aside (outside any body) to wait behind its fence.
   *  @param first the first point of its fence. `undefined` when there is none, so that the point need not wait */
  #queue(state: TableState<O>, point: Point<O>, first: Point<O> | undefined, item: RecordItem<O>): void {
    this.#bytes += POINT_COST + item.held
    if (first === undefined) {
      if (point.fence !== undefined) point.entry = state.fences.add(point.fence, point)
      this.#place(state, point, item)
      return
    }
    const newest = first.last ?? first
    newest.next = point
    first.last = point
    if (point.isStandIn) point.aside = item
    else this.#setAside(point, item)
  }

  /** Finds or makes the state of a table. Quick if it is that of the last call, as is usual. */
  #stateOf(table: Table): TableState<O> {
    if (this.#lastState?.table === table) return this.#lastState
    let state = this.#states.get(table)
    if (!state) this.#states.set(table, (state = new TableState<O>(table, this.#states.size, this.#hashSeed)))
    this.#lastState = state
    return state
  }

  /** Puts a record in place of the newest point of its fence, if that has the same exact key and is not sent yet.
   *  @returns whether it did */
  #supersede(state: TableState<O>, newest: Point<O>, item: RecordItem<O>, segment: Segment): boolean {
    if (!item.table.keepLast || newest.exact !== exactOf(item.key) || newest.body?.phase === 'sent') return false
    const { body } = newest
    const moreHeld = newest.supersede(segment, item, this.#placePolicy)
    this.#bytes += moreHeld
    if (body) body.held += moreHeld
    if (body) this.#rewrite(state, newest, body, item)
    else this.#setAside(newest, item)
    return true
  }

  /** Writes a newer version of a point that is in a body. */
  #rewrite(state: TableState<O>, point: Point<O>, body: Body<O>, pieces: Pieces): void {
    const size = sizeOf(pieces)
    const crowded = !body.fits(size, this.#limits.maxBytes)
    // each point takes a byte more than its size, for the comma behind it
    const othersLength = body.length - body.blanks - (point.to - point.from + 1)
    if (crowded && body.points.length > 1 && othersLength + size + 1 > this.#limits.maxBytes) {
      // too large for this body even without its blanks, so it moves to the open body and keeps its age
      this.#takeOut(state, point, body)
      this.#place(state, point, pieces)
      return
    }
    const before = body.bytes.length
    body.replace(point, pieces)
    if (crowded) body.compact()
    this.#bytes += body.bytes.length - before
  }

  /** Writes a point into the open body of its table, or into a new one if that has no room. */
  #place(state: TableState<O>, point: Point<O>, pieces: Pieces): void {
    const size = sizeOf(pieces)
    let body = state.open
    if (body && (body.points.length >= this.#limits.maxPoints || !body.fits(size, this.#limits.maxBytes))) {
      this.#fill(state, body)
      body = undefined
    }
    if (!body) {
      // the point, the bracket before it and the comma behind it
      body = state.open = this.#bodies.take(Math.max(state.capacity, size + 2))
      this.#bytes += body.bytes.length
    }
    const { age } = body
    const bytesBefore = body.bytes.length
    body.add(point, pieces)
    this.#bytes += body.bytes.length - bytesBefore
    // a new body joins the queue, and one whose age became lower moves towards the front
    if (body.age < age) this.#open.put(state)
    if (body.age < this.#oldestOpen) this.#oldestOpen = body.age
    if (body.points.length >= this.#limits.maxPoints) this.#fill(state, body)
  }

  /** Makes an open body full: it takes no more points and waits for a permit. */
  #fill(state: TableState<O>, body: Body<O>): void {
    body.phase = 'full'
    this.#close(state)
    state.capacity = nextCapacity(body)
    this.#full.push(body)
  }

  /** Keeps a copy of a point's bytes outside any body. */
  #setAside(point: Point<O>, pieces: Pieces): void {
    const bytes = Buffer.allocUnsafeSlow(sizeOf(pieces))
    writePieces(pieces, bytes, 0)
    this.#bytes += bytes.length - point.asideBytes
    point.aside = { head: bytes, headFrom: 0, headTo: 0, bytes, from: 0, to: bytes.length }
    point.asideBytes = bytes.length
  }

  /** Finds the table with the oldest open body, if that has waited for at least `waitMs`. Adds `waitMs` as `nextDue` does, because
   *  `now - waitMs` may be rounded differently, so that a body would be due by `nextDue` and yet not be cut. */
  #oldest(now: number, waitMs: number): TableState<O> | undefined {
    if (this.#oldestOpen + waitMs > now) return undefined
    this.#oldestOpen = this.#open.first?.age ?? Infinity
    return this.#oldestOpen + waitMs <= now ? this.#open.first : undefined
  }

  #close(state: TableState<O>): void {
    this.#open.remove(state)
    state.open = undefined
  }

  #cutOpen(state: TableState<O>): Body<O> {
    const body = state.open!
    this.#close(state)
    state.capacity = nextCapacity(body)
    body.phase = 'sent'
    return body
  }

  /** Takes the first point off its fence's chain. The next one becomes the first, and moves into a body. */
  #unfence(state: TableState<O>, { entry, next, last }: Point<O>): void {
    if (!next) {
      state.fences.delete(entry)
      return
    }
    next.last = last === next ? undefined : last
    next.entry = entry
    state.fences.replace(entry, next)
    const pieces = next.aside!
    this.#bytes -= next.asideBytes
    next.aside = undefined
    next.asideBytes = 0
    if (next.segment.isPressing) next.age = -Infinity
    this.#place(state, next, pieces)
  }

  /** The table's bodies that were not cut yet, in sending order. */
  #unsentBodies(state: TableState<O>): Body<O>[] {
    const full = this.#full.all.filter((body) => body.points[0]?.table === state.table)
    return state.open ? [...full, state.open] : full
  }

  /** Takes a point out of its body, which is not sent yet, and drops the body if that is empty then. */
  #takeOut(state: TableState<O>, point: Point<O>, body: Body<O>): void {
    body.remove(point)
    if (body.points.length > 0) return
    this.#bytes -= body.bytes.length
    if (state.open === body) this.#close(state)
    else this.#full.remove(body)
  }

  #forgetPending(state: TableState<O>, point: Point<O>, body: Body<O>): void {
    this.#takeOut(state, point, body)
    this.#bytes -= POINT_COST + point.held
    if (point.fence !== undefined) this.#unfence(state, point)
  }

  /** Drops matching shares of the points that wait behind `first`, and points that have no share left. */
  #forgetAside(first: Point<O>, matches: ShareTest, dropped: Share[]): void {
    let before = first
    for (let point = first.next; point; point = point.next) {
      if (!dropShares(point, matches, dropped)) {
        before = point
        continue
      }
      before.next = point.next
      this.#bytes -= POINT_COST + point.held + point.asideBytes
    }
    first.last = before === first ? undefined : before
  }
}
