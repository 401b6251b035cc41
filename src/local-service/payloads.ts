// Keeps the bodies of the last requests and of their answers, for the page. Their memory is bounded, and they hold no secrets: what is
// no data of an upsert is masked before it is kept.

import type { Mask } from './clients.ts'
import { maskedBody } from './mask-body.ts'
import type { Answer } from './types.ts'

/** Requests whose bodies are kept. */
const MAX_REQUESTS = 200
/** Bytes of one body that are kept. */
const MAX_BODY = 64 * 1024
/** Bytes of all that is kept. The oldest go first. */
const MAX_ALL = 8 * 1024 * 1024

/** The first `kept` of a body's `bytes`. They begin at `from`, counted from the first byte that was ever kept. */
type KeptBody = Readonly<Record<'from' | 'kept' | 'bytes', number>>

/** One buffer, filled from its beginning again and again: bodies that live long cost the garbage collector more than a copy. */
export class Payloads {
  readonly #ring = Buffer.allocUnsafeSlow(MAX_ALL)
  #end = 0
  /** Bodies by the numbers of the requests, the oldest first. */
  readonly #all = new Map<number, readonly [request: KeptBody | undefined, answer: KeptBody | undefined]>()

  /** @param n number of the request; each is larger than the one before
   *  @param isData whether it is an upsert, whose bodies are kept as they are */
  add(n: number, request: Buffer | undefined, answer: Answer['body'] | undefined, isData: boolean): void {
    const text = typeof answer === 'string' ? Buffer.from(answer) : undefined
    this.#all.set(n, [this.#keep(request, isData), this.#keep(text, isData)])
    if (this.#all.size > MAX_REQUESTS) this.#all.delete(this.#all.keys().next().value!)
  }

  /** Bodies of request `n`. `undefined` when they are kept no more. A byte that is no UTF-8 becomes U+FFFD.
   *  @param mask takes out what may not be shown even of data */
  get(n: number, mask: Mask) {
    const kept = this.#all.get(n)
    if (kept === undefined || kept.some((body) => body && body.from < this.#end - MAX_ALL)) return undefined
    const [request, answer] = kept.map((body) => body && this.#shown(body, mask))
    return { request, answer }
  }

  #keep(body: Buffer | undefined, isData: boolean): KeptBody | undefined {
    if (body === undefined || body.length === 0) return undefined
    const bytes = isData ? body : Buffer.from(maskedBody(body))
    const kept = Math.min(bytes.length, MAX_BODY)
    const room = MAX_ALL - (this.#end % MAX_ALL)
    const from = kept <= room ? this.#end : this.#end + room
    this.#end = from + kept
    bytes.copy(this.#ring, from % MAX_ALL, 0, kept)
    return { from, kept, bytes: bytes.length }
  }

  #shown({ from, kept, bytes }: KeptBody, mask: Mask) {
    const start = from % MAX_ALL
    // `stream`: of a character that was cut in two nothing is shown
    const text = new TextDecoder().decode(this.#ring.subarray(start, start + kept), { stream: kept < bytes })
    return { text: mask(text, kept < bytes), kept, bytes }
  }
}
