// Keeps the bodies of the last requests and of their answers, for the page, in bounded memory. Bodies of upserts are kept as they are; in
// others, values that may be secret are masked first (mask-body.ts).

import type { Mask } from './clients.ts'
import { maskedBody } from './mask-body.ts'
import type { Answer } from './types.ts'

/** Most requests whose bodies are kept. */
const MAX_REQUESTS = 200
/** Most bytes of one body that are kept. */
const MAX_BODY = 64 * 1024
/** Bytes of all that is kept. The oldest are written over. */
const RING_BYTES = 8 * 1024 * 1024

/** The first `kept` bytes of a body of `bytes`. They begin at position `from`: positions count from the first byte that was ever kept, and
 *  modulo RING_BYTES they are places in the ring. */
type KeptBody = Readonly<Record<'from' | 'kept' | 'bytes', number>>

/** Keeps bodies in a ring (one buffer, filled again and again; none goes over its end): many buffers would cost more garbage collection. */
export class Payloads {
  readonly #ring = Buffer.allocUnsafeSlow(RING_BYTES)
  /** The position behind the body that was kept last. */
  #end = 0
  /** Bodies by the numbers of their requests, the oldest first. */
  readonly #byRequest = new Map<number, readonly [request: KeptBody | undefined, answer: KeptBody | undefined]>()

  /** @param n number of the request; each is larger than the one before
   *  @param answer its body; one sent in pieces is not kept @param isData whether it is an upsert, whose bodies are kept as they are */
  add(n: number, request: Buffer | undefined, answer: Answer['body'] | undefined, isData: boolean): void {
    const text = typeof answer === 'string' ? Buffer.from(answer) : undefined
    this.#byRequest.set(n, [this.#keep(request, isData), this.#keep(text, isData)])
    if (this.#byRequest.size > MAX_REQUESTS) this.#byRequest.delete(this.#byRequest.keys().next().value!)
  }

  /** The bodies of request `n`; an empty one is `undefined`. `undefined` when they are kept no more. What is no UTF-8 becomes U+FFFD.
   *  @param mask replaces known secrets, in bodies of upserts too */
  get(n: number, mask: Mask) {
    const bodies = this.#byRequest.get(n)
    const oldestPosition = this.#end - RING_BYTES
    if (bodies === undefined || bodies.some((body) => body && body.from < oldestPosition)) return undefined
    const [request, answer] = bodies.map((body) => body && this.#shown(body, mask))
    return { request, answer }
  }

  #keep(body: Buffer | undefined, isData: boolean): KeptBody | undefined {
    if (body === undefined || body.length === 0) return undefined
    const bytes = isData ? body : Buffer.from(maskedBody(body))
    const kept = Math.min(bytes.length, MAX_BODY)
    const roomAtEnd = RING_BYTES - (this.#end % RING_BYTES)
    const from = kept <= roomAtEnd ? this.#end : this.#end + roomAtEnd
    this.#end = from + kept
    bytes.copy(this.#ring, from % RING_BYTES, 0, kept)
    return { from, kept, bytes: bytes.length }
  }

  #shown({ from, kept, bytes }: KeptBody, mask: Mask) {
    const start = from % RING_BYTES
    // `stream` leaves out a character that was cut in two at the end
    const text = new TextDecoder().decode(this.#ring.subarray(start, start + kept), { stream: kept < bytes })
    return { text: mask(text, kept < bytes), kept, bytes }
  }
}
