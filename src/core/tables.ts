// Collects the points of each table into request bodies: keeps only the newest version of a row, keeps equal keys apart (the
// fence), and cuts bodies by count, bytes and age. Time is the `now` that callers pass.

import { NOTHING, cutBody, nextCapacity, sizeOf, writePieces, type Body, type Places, type Point } from './body.ts'
import type { Segment, Share } from './segment.ts'
import { Fifo, NO_PLACE, OldestFirst } from './queues.ts'
import { KeyMap, exactOf, fenceOf } from './key.ts'
import { Linger } from './linger.ts'
import { BodyPool, PointPool } from './pools.ts'
import { dropShares, sharesOf, type ShareTest } from './shares.ts'
import type { Pieces, RecordItem, Table } from './types.ts'

/** When a body is cut. */
export interface TableLimits {
  readonly maxPoints: number
  readonly maxBytes: number
  /** An open body of this age goes before all others. */
  readonly maxWaitMs: number
  /** An open body of this age is cut if a permit is free; where many are small, one that is older (linger.ts). */
  readonly lingerMs: number
}

/** Bytes that a point takes besides its data. */
const POINT_COST = 224

/** Bytes reserved for a table's first body. */
const FIRST_CAPACITY = 2048

/** A table, as long as the run lasts. */
class TableState<O> {
  readonly table: Table
  open: Body<O> | undefined = undefined
  /** The first point of each fence's chain. It is pending in a body, in flight, or held by the guard. */
  readonly fences: KeyMap<Point<O>>
  /** Follows the size of recent bodies, so that the next one need not grow. */
  capacity = FIRST_CAPACITY
  /** How many tables had points before it. */
  readonly order: number
  place = NO_PLACE

  constructor(table: Table, order: number, hashSeed: number) {
    this.table = table
    this.order = order
    this.fences = new KeyMap(hashSeed)
  }

  /** The age of its open body. */
  get age(): number {
    return this.open!.age
  }
}

/** The pending points of all tables. Points with an equal fence are never in one body or in flight together, and are sent in
 *  arrival order. A point with the same exact key as the newest pending one of its fence takes that one's place and age.
 *  Points come in by `add`, go out in the bodies that `due` gives, and are freed when such a body comes back by `release`.
 *  Never throws, never waits. See decisions.md#keys-are-equal-at-two-levels and
 *  decisions.md#a-newer-value-takes-place-and-age. */
export class Tables<O> {
  readonly #limits: TableLimits
  readonly #linger: Linger
  readonly #hashSeed: number
  readonly #places: Places<O> | undefined
  readonly #states = new Map<Table, TableState<O>>()
  /** The table of the last record. */
  #last: TableState<O> | undefined
  readonly #full = new Fifo<Body<O>>()
  /** Tables with an open body. */
  readonly #open = new OldestFirst<TableState<O>>()
  /** No open body is older than this. */
  #oldestOpen = Infinity
  readonly #pool = new PointPool<O>()
  readonly #bodies = new BodyPool<O>()
  #bytes = 0

  constructor(limits: TableLimits, hashSeed: number, places?: Places<O>) {
    this.#limits = limits
    this.#linger = new Linger(limits)
    this.#hashSeed = hashSeed
    this.#places = places
  }

  /** Bytes held by points from `add` to `release` or `forget`, in flight included. */
  get bytes(): number {
    return this.#bytes
  }

  /** Full bodies that were not taken yet. */
  get full(): number {
    return this.#full.length
  }

  /** Buffers a record's point and copies its bytes.
   *  @param segment must count the record already */
  add(item: RecordItem<O>, segment: Segment, now: number): void {
    const state = this.#stateOf(item.table)
    const fence = fenceOf(item.key)
    const first = fence === undefined ? undefined : state.fences.get(fence)
    // a chain of one has no `last`
    const newest = first?.last ?? first
    if (newest !== undefined && this.#supersede(state, newest, item, segment)) return
    this.#queue(state, this.#pool.take(item, segment, segment.ageAt(now)), first, item)
  }

  /** Buffers a stand-in: a point that is delivered in place of a rejected record. If it must wait, its pieces are not copied, because
   *  those of a very long record are only made when they are read.
   *  @param share the records that are settled with it; its count may be 0 */
  addStandIn(item: RecordItem<O>, share: Share, now: number): void {
    const state = this.#stateOf(item.table)
    const point = this.#pool.take(item, share.segment, share.segment.ageAt(now))
    const fence = fenceOf(item.key)
    point.becomeStandIn(share)
    this.#queue(state, point, fence === undefined ? undefined : state.fences.get(fence), item)
  }

  /** Cuts the next due body: first one that reached `maxWaitMs`, then full ones in their order, then one that lingered long enough.
   *  @param all whether every open body is due (the input has ended)
   *  @returns a sent body of 1..maxPoints points, ≤ maxBytes unless one point is larger; `undefined` when none is due */
  due(now: number, all: boolean): Body<O> | undefined {
    const body = this.#cutDue(now, all)
    if (body) this.#linger.cut(body.points.length, now)
    return body
  }

  #cutDue(now: number, all: boolean): Body<O> | undefined {
    const waited = this.#oldest(now, this.#limits.maxWaitMs)
    if (waited) return this.#cutOpen(waited)
    const full = this.#full.shift()
    if (full) {
      full.phase = 'sent'
      return full
    }
    const lingered = this.#oldest(all ? Infinity : now, this.#linger.ms)
    return lingered && this.#cutOpen(lingered)
  }

  /** When the next body is due: -Infinity if one is full, Infinity if there is none. */
  nextDue(): number {
    return this.#full.length > 0 ? -Infinity : this.#oldestOpen + this.#linger.ms
  }

  /** The table of the body that `due` would return. `undefined` when none is due. */
  next(now: number, all: boolean): Table | undefined {
    const waited = this.#oldest(now, this.#limits.maxWaitMs)
    if (waited) return waited.table
    return this.#full.peek()?.points[0]!.table ?? this.#oldest(all ? Infinity : now, this.#linger.ms)?.table
  }

  /** Cuts a sent body's points, in order, into sent bodies of `size` points. */
  cut(body: Body<O>, size: number): Body<O>[] {
    const bodies = cutBody(body, size)
    this.#bytes += bodies.reduce((sum, part) => sum + part.bytes.length, -body.bytes.length)
    return bodies
  }

  /** Drops the bytes of a sent body whose points are settled; its fences stay until `release`. */
  park(body: Body<O>): void {
    this.#bytes -= body.bytes.length + body.held
    body.bytes = NOTHING
    body.held = 0
  }

  /** Frees a sent body whose points are settled. What waited behind their fences becomes pending.
   *  @param isReusable whether nothing reads its buffer any more (Transport.isQuiet) */
  release(body: Body<O>, isReusable: boolean): void {
    this.#bytes -= body.bytes.length + body.held + POINT_COST * body.points.length
    // all are of one table
    const state = body.points[0] && this.#states.get(body.points[0].table)!
    for (const point of body.points) {
      if (point.fence !== undefined) this.#unfence(state!, point)
      this.#pool.give(point)
    }
    this.#bodies.give(body, isReusable)
  }

  /** Makes open bodies with matching points due at once. */
  expire(matches: ShareTest): void {
    for (const state of this.#open.all) {
      const body = state.open!
      for (const point of body.points) if (sharesOf(point).some(matches)) point.age = body.age = -Infinity
      if (body.age === -Infinity) this.#oldestOpen = -Infinity
      this.#open.put(state)
    }
  }

  /** Every point that is not in flight, in sending order. Points that wait behind a fence come last in their table. */
  *unsent(): Generator<Point<O>> {
    for (const state of this.#states.values()) {
      for (const body of this.#unsentBodies(state)) yield* body.points
      for (const first of state.fences.values()) for (let point = first.next; point; point = point.next) yield point
    }
  }

  /** Drops matching shares of points that are not in flight, and points without any share left.
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

  /** Makes a point pending, or sets it aside behind its fence.
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

  /** The state of a table. Quick if it is that of the last call, as is usual. */
  #stateOf(table: Table): TableState<O> {
    if (this.#last?.table === table) return this.#last
    let state = this.#states.get(table)
    if (!state) this.#states.set(table, (state = new TableState<O>(table, this.#states.size, this.#hashSeed)))
    this.#last = state
    return state
  }

  /** Puts the record in place of the newest point of its fence, if that is not sent yet and has the same exact key.
   *  @returns whether it did */
  #supersede(state: TableState<O>, newest: Point<O>, item: RecordItem<O>, segment: Segment): boolean {
    if (!item.table.keepLast || newest.exact !== exactOf(item.key) || newest.body?.phase === 'sent') return false
    const { body } = newest
    const moreHeld = newest.supersede(segment, item, this.#places)
    this.#bytes += moreHeld
    if (body) body.held += moreHeld
    if (!body) this.#setAside(newest, item)
    else this.#rewrite(state, newest, body, item)
    return true
  }

  /** Writes a newer version of a point that is in a body. */
  #rewrite(state: TableState<O>, point: Point<O>, body: Body<O>, pieces: Pieces): void {
    const size = sizeOf(pieces)
    const crowded = !body.fits(size, this.#limits.maxBytes)
    const others = body.length - body.blanks - (point.to - point.from + 1)
    if (crowded && body.points.length > 1 && others + size + 1 > this.#limits.maxBytes) {
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

  /** Writes a point into the open body of its table. */
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
    const { length } = body.bytes
    const { age } = body
    body.add(point, pieces)
    this.#bytes += body.bytes.length - length
    if (body.age < age) this.#open.put(state)
    if (body.age < this.#oldestOpen) this.#oldestOpen = body.age
    if (body.points.length >= this.#limits.maxPoints) this.#fill(state, body)
  }

  /** Makes an open body wait for a permit. */
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

  /** The oldest open body, if it has waited at least `waited`. Computed as in `nextDue`: `now - waited` may be rounded differently,
   *  and a body that is due would never be cut. */
  #oldest(now: number, waited: number): TableState<O> | undefined {
    if (this.#oldestOpen + waited > now) return undefined
    this.#oldestOpen = this.#open.first?.age ?? Infinity
    return this.#oldestOpen + waited <= now ? this.#open.first : undefined
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

  /** Takes the first point off its fence's chain; the next one becomes pending. */
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

  /** Takes a pending point out of its body; an empty one goes. */
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
