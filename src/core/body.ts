// The body of one request, a JSON array that points are written into; each point's bytes are copied once. Also what is settled
// when a body is delivered or rejected, and the pool that bodies are reused from.

import type { Ledger, Segment } from './ledger.ts'
import type { Point, Share } from './point.ts'
import type { Pieces } from './types.ts'

const OPEN = 0x5b
const CLOSE = 0x5d
const COMMA = 0x2c
const SPACE = 0x20
/** A head up to this length is copied byte by byte, which is faster than calling `copy`. */
const SHORT = 32
/** A buffer that is larger than needed by more than this factor is not reused, because its whole size counts in the budget. */
const ROOMY = 2
/** The buffer of a body without one. */
export const NOTHING = Buffer.alloc(0)

/** Bytes of both pieces, without the comma. */
export function sizeOf(pieces: Pieces): number {
  return pieces.headTo - pieces.headFrom + pieces.to - pieces.from
}

/** Copies both pieces to `target` at `at`.
 *  @returns the position behind them */
export function writePieces(pieces: Pieces, target: Buffer, at: number): number {
  const behind = at + pieces.headTo - pieces.headFrom
  if (behind - at > SHORT) pieces.head.copy(target, at, pieces.headFrom, pieces.headTo)
  else {
    const { head, headFrom } = pieces
    for (let byte = at; byte < behind; byte++) target[byte] = head[headFrom + byte - at]!
  }
  // `copy` needs no view, unlike `set` (40 ns at any of these sizes)
  return behind + pieces.bytes.copy(target, behind, pieces.from, pieces.to)
}

/** `[p,p,p,` while it grows. Superseded points are overwritten with spaces, comma included, so the array stays valid JSON. The
 *  newest point always stands last, so the last byte is its comma. */
export class Body<O> {
  readonly points: Point<O>[] = []
  bytes = NOTHING
  length = 1
  blanks = 0
  /** When its oldest point arrived; -Infinity: it is due at once. */
  age = Infinity
  /** Bytes of memory that its origins take. */
  held = 0
  /** Whether each of its points stands for one record of `segment`, and for nothing else. */
  isPlain = true
  segment: Segment | undefined = undefined
  /** open: takes points · full: waits for a permit · sent: in flight, waiting for its retry, or held by the guard */
  phase: 'open' | 'full' | 'sent' = 'open'

  constructor(capacity: number) {
    this.renew(capacity)
  }

  /** Drops all references except its buffer. */
  clear(): void {
    this.points.length = 0
    this.segment = undefined
  }

  /** Makes a cleared body open, with room for `capacity` bytes. Its buffer is reused if it suits. */
  renew(capacity: number): void {
    const has = this.bytes.length
    if (has < capacity || has > ROOMY * capacity) this.bytes = Buffer.allocUnsafeSlow(capacity)
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

  /** Adds a point that is not in it. */
  add(point: Point<O>, pieces: Pieces): void {
    point.body = this
    this.points.push(point)
    this.held += point.held
    if (point.age < this.age) this.age = point.age
    this.segment ??= point.segment
    if (point.segment !== this.segment || !point.isPlain) this.isPlain = false
    this.#append(point, pieces)
  }

  /** Appends a newer version of a point and blanks the old one. */
  replace(point: Point<O>, pieces: Pieces): void {
    this.isPlain = false
    this.#blank(point)
    this.#append(point, pieces)
    if (this.blanks * 2 > this.length) this.compact()
  }

  /** Removes a point. The body may become empty. */
  remove(point: Point<O>): void {
    this.points.splice(this.points.indexOf(point), 1)
    this.held -= point.held
    point.body = undefined
    this.#blank(point)
    this.compact()
  }

  /** Moves some points of a sent body, not all, to a body without bytes. Call `finish` again afterwards. */
  detach(gone: ReadonlySet<Point<O>>): Body<O> {
    const detached = new Body<O>(1)
    detached.bytes = NOTHING
    detached.phase = 'sent'
    detached.isPlain = false
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

  /** Removes the blanks. Uses a new buffer, because the old one may still be being sent. */
  compact(): void {
    const target = Buffer.allocUnsafeSlow(this.bytes.length)
    target[0] = OPEN
    let at = 1
    for (const point of this.points) {
      const to = at + this.bytes.copy(target, at, point.from, point.to)
      // in a finished array, one comma has become its bracket
      target[to] = COMMA
      point.from = at
      point.to = to
      at = to + 1
    }
    this.bytes = target
    this.length = at
    this.blanks = 0
  }

  /** Ends the array. Nothing may be added afterwards. A single point is sent without blanks: the service might find the body too large
   *  because of them, and unlike a body of several points it cannot be halved, which removes blanks.
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

/** Cuts a sent body into sent bodies of `size` points each, in order; the last one may have fewer. The points move to them. */
export function cutBody<O>(body: Body<O>, size: number): Body<O>[] {
  const bodies: Body<O>[] = []
  for (let first = 0; first < body.points.length; first += size) {
    const points = body.points.slice(first, first + size)
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

/** Capacity for a table's next body, a little more than the last one used: growing takes a copy, and spare room takes memory. */
export function nextCapacity(body: Body<unknown>): number {
  return Math.ceil((body.length * 1.125) / 256) * 256
}

/** Bodies kept at most: as many as can be under way and waiting at once. */
const SPARE_BODIES = 256
const SPARE_BYTES = 32 * 1024 * 1024
/** A buffer of this length is freed at once; otherwise it might stay in memory beside the next one until garbage is collected. */
const LONG = 8 * 1024 * 1024

/** Makes every view of its buffer empty. */
function free(body: Body<unknown>): void {
  if (body.bytes.buffer instanceof ArrayBuffer) body.bytes.buffer.transfer(0)
  body.bytes = NOTHING
}

/** Reuses bodies. Their buffers are then still in the processor's cache, and leave no garbage (bench: small-long). Buffers in flight
 *  live long enough to be moved to the old generation, where garbage stays for seconds (bench: rss-stalled). */
export class BodyPool<O> {
  readonly #spare: Body<O>[] = []
  #bytes = 0

  /** @returns an open body without points, with room for `capacity` bytes */
  take(capacity: number): Body<O> {
    const spare = this.#spare.pop()
    if (!spare) return new Body<O>(capacity)
    this.#bytes -= spare.bytes.length
    spare.renew(capacity)
    return spare
  }

  /** The caller must not use the body afterwards.
   *  @param isUnread whether its buffer may be reused */
  give(body: Body<O>, isUnread: boolean): void {
    body.clear()
    if (isUnread && body.bytes.length >= LONG) free(body)
    if (this.#spare.length >= SPARE_BODIES) return
    if (!isUnread || this.#bytes + body.bytes.length > SPARE_BYTES) body.bytes = NOTHING
    this.#bytes += body.bytes.length
    this.#spare.push(body)
  }
}

/** Settles the records of all points, those of one segment together where they are neighbours. A point that was delivered in place
 *  of a rejected record settles that record as rejected. */
export function settlePoints(
  { points, isPlain, segment: one }: Pick<Body<unknown>, 'points' | 'isPlain' | 'segment'>,
  ledger: Ledger<unknown>,
  how: 'written' | 'rejected',
): void {
  // the usual case; reading the points would be slow, as they lie far apart in memory
  if (isPlain) {
    ledger.settle(one!, points.length, how)
    return
  }
  let { segment, isStandIn } = points[0]!
  let count = 0
  let superseded = 0
  for (const point of points) {
    for (let share: Share | undefined = point; share; share = share.older) {
      if (share.segment !== segment || point.isStandIn !== isStandIn) {
        ledger.settle(segment, count, isStandIn ? 'rejected' : how, superseded)
        segment = share.segment
        isStandIn = point.isStandIn
        count = 0
        superseded = 0
      }
      count += share.count
      // all except the version that was sent
      superseded += share === point ? share.count - 1 : share.count
    }
  }
  ledger.settle(segment, count, isStandIn ? 'rejected' : how, superseded)
}
