// A request's body (`Body`), a JSON array into which points are copied, each once; and a point (`Point`), one version of a row while the
// engine holds it, with the records that it stands for, as shares (segment.ts). They share a file because each refers to the other.
// O: where a record was read, as its source notes it (types.ts).

import { exactOf, fenceOf } from './key.ts'
import type { Segment, Share } from './segment.ts'
import { SupersededPlaces } from './superseded-places.ts'
import type { KeyAtom, Pieces, RecordItem, Rejects, Table } from './types.ts'

const OPEN = 0x5b
const CLOSE = 0x5d
const COMMA = 0x2c
const SPACE = 0x20
/** A point's head of up to so many bytes is copied byte by byte, which is faster than a call of `copy`. */
const SHORT = 32
/** A buffer that is larger than needed by more than this factor is not reused, because its whole size counts in the memory budget. */
const ROOMY = 2
/** An empty buffer, for a body without bytes. */
export const NOTHING = Buffer.alloc(0)

/** Counts the bytes of a point, without the comma behind it. */
export function sizeOf(pieces: Pieces): number {
  return pieces.headTo - pieces.headFrom + pieces.to - pieces.from
}

/** Copies a point to `target`, beginning at `at`.
 *  @returns the position behind it */
export function writePieces(pieces: Pieces, target: Buffer, at: number): number {
  const headEnd = at + pieces.headTo - pieces.headFrom
  if (headEnd - at > SHORT) pieces.head.copy(target, at, pieces.headFrom, pieces.headTo)
  else {
    const { head, headFrom } = pieces
    for (let byte = at; byte < headEnd; byte++) target[byte] = head[headFrom + byte - at]!
  }
  // `copy` takes 40 ns at any of these sizes, and unlike `set` needs no view of its source
  return headEnd + pieces.bytes.copy(target, headEnd, pieces.from, pieces.to)
}

/** One request's body: `[p,p,p,` while points are added, an array once `finish` has put a bracket in place of the last comma. Points that
 *  a newer version of their row replaces are overwritten with spaces, comma included, so it stays valid JSON. The newest stands last. */
export class Body<O> {
  readonly points: Point<O>[] = []
  /** The buffer: `length` bytes are written, bracket included, of which `blanks` are spaces in place of superseded points. */
  bytes = NOTHING
  length = 1
  blanks = 0
  /** When its oldest point arrived, in milliseconds of the engine's clock; -Infinity when due at once, Infinity before its first point. */
  age = Infinity
  /** Bytes of memory that the origins of its points take. */
  held = 0
  /** Whether each of its points stands for its own record, and for nothing else. */
  isPlain = true
  /** The segments of its records, each with the index in `points` of its first point. Right only while `isPlain`. */
  readonly segments: Segment[] = []
  readonly starts: number[] = []
  /** open: takes points · full: waits for a permit · sent: in flight, waiting for its retry, or held by the late-write guard */
  phase: 'open' | 'full' | 'sent' = 'open'

  constructor(capacity: number) {
    this.renew(capacity)
  }

  /** Drops all references except its buffer. To be called before `renew`. */
  clear(): void {
    this.points.length = 0
    this.segments.length = 0
    this.starts.length = 0
  }

  /** Makes a cleared body open, with room for `capacity` bytes. Its buffer is reused if it suits. */
  renew(capacity: number): void {
    const allocated = this.bytes.length
    if (allocated < capacity || allocated > ROOMY * capacity) this.bytes = Buffer.allocUnsafeSlow(capacity)
    this.bytes[0] = OPEN
    this.length = 1
    this.blanks = 0
    this.age = Infinity
    this.held = 0
    this.isPlain = true
    this.phase = 'open'
  }

  /** Whether a further point of `size` bytes keeps within the limit. */
  fits(size: number, maxBytes: number): boolean {
    return this.length + size + 1 <= maxBytes
  }

  add(point: Point<O>, pieces: Pieces): void {
    point.body = this
    if (point.segment !== this.segments[this.segments.length - 1]) {
      this.segments.push(point.segment)
      this.starts.push(this.points.length)
    }
    this.points.push(point)
    this.held += point.held
    if (point.age < this.age) this.age = point.age
    if (!point.isPlain) this.isPlain = false
    this.#append(point, pieces)
  }

  /** Writes a newer version of one of its points at the end, and blanks the older one. */
  replace(point: Point<O>, pieces: Pieces): void {
    this.isPlain = false
    this.#blank(point)
    this.#append(point, pieces)
    if (this.blanks * 2 > this.length) this.compact()
  }

  /** Removes a point that was not sent yet. The body may become empty. */
  remove(point: Point<O>): void {
    this.isPlain = false
    this.points.splice(this.points.indexOf(point), 1)
    this.held -= point.held
    point.body = undefined
    this.#blank(point)
    this.compact()
  }

  /** Moves some points of a sent body, but not all, to one without bytes, to be freed. `finish` must be called again afterwards. */
  detach(gone: ReadonlySet<Point<O>>): Body<O> {
    const detached = new Body<O>(1)
    detached.bytes = NOTHING
    detached.phase = 'sent'
    this.isPlain = detached.isPlain = false
    for (const point of this.points.slice()) {
      if (!gone.has(point)) continue
      this.points.splice(this.points.indexOf(point), 1)
      this.held -= point.held
      detached.held += point.held
      detached.points.push(point)
      point.body = detached
    }
    this.compact()
    return detached
  }

  /** Closes up the points, so that no blanks are left. Uses a new buffer, because the old one may still be being sent. */
  compact(): void {
    const target = Buffer.allocUnsafeSlow(this.bytes.length)
    target[0] = OPEN
    let at = 1
    for (const point of this.points) {
      const to = at + this.bytes.copy(target, at, point.from, point.to)
      // behind the last point of a finished array there is a bracket instead
      target[to] = COMMA
      point.from = at
      point.to = to
      at = to + 1
    }
    this.bytes = target
    this.length = at
    this.blanks = 0
  }

  /** Ends the array. Nothing may be added afterwards. A single point is sent without blanks, because the service might find the body too
   *  large for them. A body of several points is halved then, which removes blanks.
   *  @returns a view of the finished JSON array */
  finish(): Uint8Array {
    if (this.blanks > 0 && this.points.length === 1) this.compact()
    this.bytes[this.length - 1] = CLOSE
    return this.bytes.subarray(0, this.length)
  }

  #append(point: Point<O>, pieces: Pieces): void {
    const size = sizeOf(pieces)
    if (this.length + size + 1 > this.bytes.length) this.#grow(size)
    point.from = this.length
    point.to = writePieces(pieces, this.bytes, this.length)
    this.bytes[point.to] = COMMA
    this.length = point.to + 1
  }

  #blank(point: Point<O>): void {
    this.bytes.fill(SPACE, point.from, point.to + 1)
    this.blanks += point.to + 1 - point.from
  }

  #grow(size: number): void {
    const bytes = Buffer.allocUnsafeSlow(Math.max(this.bytes.length * 2, this.length + size + 1))
    this.bytes.copy(bytes, 0, 0, this.length)
    this.bytes = bytes
  }
}

/** The part of the reject policy (types.ts) that chooses what to keep of a superseded record's origin: the place where it was read. */
export type PlacePolicy<O> = Pick<Rejects<O>, 'placeOf'>

/** One version of a row: in a body, or waiting aside, outside any body, until the older points with the same fence are freed. (Points with
 *  an equal fence are never in flight together.) They form a chain in arrival order, and only the first may be in a body. A point is itself
 *  the newest of its shares, so that a record takes a single object. */
export class Point<O> implements Share {
  // the fields without a value are set by `renew`
  table!: Table
  /** Its key at two levels (key.ts). `undefined` when the row equals no other. */
  exact!: KeyAtom | undefined
  fence!: KeyAtom | undefined
  /** When the oldest version that it stands for arrived, in milliseconds of the engine's clock; -Infinity when it is due at once. */
  age!: number
  origin!: O
  /** Bytes of memory that its origin takes, and the places of superseded records. */
  held!: number
  /** The segment of its newest records, and how many records of that segment it stands for. */
  segment!: Segment
  count = 1
  /** Whether it is delivered in place of a rejected record. */
  isStandIn = false
  /** The share of the records before these, of another segment; it has the share before it. `undefined` when there is none. */
  older: Share | undefined = undefined
  /** The places where superseded records were read. `undefined` when there are none, or it is not to be kept. */
  places: SupersededPlaces<O> | undefined = undefined
  /** The body that it is in, and its range in `body.bytes`, without the comma behind it. `undefined` when it waits aside. */
  body: Body<O> | undefined = undefined
  from = 0
  to = 0
  /** The range of its cursor, the value that the table's watch compares, counted from the point's first byte; 0 to 0 if there is none. */
  cursorFrom = 0
  cursorTo = 0
  /** Its bytes while it waits aside. */
  aside: Pieces | undefined = undefined
  /** Bytes of memory that were allocated for `aside`. */
  asideBytes = 0
  /** Its entry in the table's `KeyMap` (key.ts). Meant only if it is the first of its fence. */
  entry = 0
  /** The next point of the same fence, in arrival order. */
  next: Point<O> | undefined = undefined
  /** The newest point of its fence. `undefined` unless it is the first of two or more. */
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

  /** Makes it stand for a newer record of `segment` too, whose origin it takes; place and age stay. Must be called before its bytes are
   *  replaced, because the cursor of the older version is read from them.
   *  @returns by how many bytes `held` grew */
  supersede(segment: Segment, item: RecordItem<O>, placePolicy?: PlacePolicy<O>): number {
    const before = this.held
    this.#reportCursor(item)
    const place = placePolicy?.placeOf(this.origin)
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

  /** Makes it a stand-in, delivered in place of a rejected record, that settles these records. */
  becomeStandIn({ segment, count, older }: Share): void {
    this.isStandIn = true
    this.segment = segment
    this.count = count
    this.older = older
  }

  /** Notes where the cursor stands once the two pieces are written one behind the other. */
  #placeCursor({ headFrom, headTo, from, cursorFrom, cursorTo }: RecordItem<O>): void {
    const shift = headTo - headFrom - from
    const hasCursor = cursorFrom !== undefined && cursorTo !== undefined && cursorTo > cursorFrom
    this.cursorFrom = hasCursor ? shift + cursorFrom : 0
    this.cursorTo = hasCursor ? shift + cursorTo : 0
  }

  /** Tells the table's watch the cursors of this version and of a newer one, if both have one. */
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

  /** Counts the older versions that it stands for (decisions.md#a-point-counts-its-older-versions). */
  supersededCount(): number {
    let records = this.count - 1
    for (let share = this.older; share; share = share.older) records += share.count
    return records
  }
}

/** Divides a sent body into sent bodies of `size` points each, in order; the last one may have fewer. The points move to the new bodies. */
export function cutBody<O>(body: Body<O>, size: number): Body<O>[] {
  const bodies: Body<O>[] = []
  for (let first = 0; first < body.points.length; first += size) {
    const points = body.points.slice(first, first + size)
    // room for the bracket, and for each point with its comma
    const part = new Body<O>(points.reduce((sum, { from, to }) => sum + to - from + 1, 1))
    for (const point of points) {
      const { from, to } = point
      part.add(point, { head: body.bytes, headFrom: 0, headTo: 0, bytes: body.bytes, from, to })
    }
    part.phase = 'sent'
    bodies.push(part)
  }
  return bodies
}

/** Factor from the length of a body to the capacity of the next: growing takes a copy, but spare room takes memory. */
const SPARE_ROOM = 1.125
/** Capacities are multiples of so many bytes. */
const CAPACITY_STEP = 256

/** Capacity for a table's next body: a little more than the length of the last one. */
export function nextCapacity(body: Body<unknown>): number {
  return Math.ceil((body.length * SPARE_ROOM) / CAPACITY_STEP) * CAPACITY_STEP
}
