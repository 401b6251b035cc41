// Bodies that were let go, to be used again: what the next points are written into lies in the processor's cache then, and
// nothing is left to collect (bench: small-long). What is in flight lives long enough to count as old, so that bytes let go of
// for good stay for seconds (bench: rss-stalled). Knows no table, and not who may still read a body's bytes.

import { Body, NOTHING } from './body.ts'

/** Kept at most: all that can be under way at once, with what is ahead of it. So spare ones and those in use are never
 *  more together than were in use once. */
const SPARE = 256
const SPARE_BYTES = 32 * 1024 * 1024
/** So long a body gives its memory back at once: until garbage is collected the next one might be there beside it. */
const LONG = 8 * 1024 * 1024

/** Every view of its bytes is empty afterwards. */
function free(body: Body<unknown>): void {
  if (body.bytes.buffer instanceof ArrayBuffer) body.bytes.buffer.transfer(0)
  body.bytes = NOTHING
}

/** Makes bodies, of those given back while there are any. */
export class BodyPool<O> {
  readonly #spare: Body<O>[] = []
  #bytes = 0

  /** @returns an open body without points, with room for so many bytes */
  take(capacity: number): Body<O> {
    const spare = this.#spare.pop()
    if (!spare) return new Body<O>(capacity)
    this.#bytes -= spare.bytes.length
    spare.renew(capacity)
    return spare
  }

  /** Nobody may hold on to the body afterwards.
   *  @param isUnread whether its bytes may be written over */
  give(body: Body<O>, isUnread: boolean): void {
    body.clear()
    if (isUnread && body.bytes.length >= LONG) free(body)
    if (this.#spare.length >= SPARE) return
    if (!isUnread || this.#bytes + body.bytes.length > SPARE_BYTES) body.bytes = NOTHING
    this.#bytes += body.bytes.length
    this.#spare.push(body)
  }
}
