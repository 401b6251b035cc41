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

/** The place of the first bytes of a body, counted from the first that was ever kept, and how many bytes it had. */
interface KeptBody {
  readonly from: number
  readonly length: number
  readonly size: number
}

/** A body as the page gets it. `text`: of its first `kept` bytes; a byte that is no UTF-8 becomes U+FFFD. */
export interface ShownBody {
  readonly text: string
  readonly kept: number
  readonly bytes: number
}

/** One buffer, filled from its beginning again and again: bodies that live long cost the garbage collector more than a copy. */
export class Payloads {
  readonly #bytes = Buffer.allocUnsafeSlow(MAX_ALL)
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

  /** Bodies of request `n`. `undefined` when they are kept no more.
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
    const length = Math.min(bytes.length, MAX_BODY)
    const room = MAX_ALL - (this.#end % MAX_ALL)
    const from = length <= room ? this.#end : this.#end + room
    this.#end = from + length
    bytes.copy(this.#bytes, from % MAX_ALL, 0, length)
    return { from, length, size: bytes.length }
  }

  #shown({ from, length, size }: KeptBody, mask: Mask): ShownBody {
    const start = from % MAX_ALL
    // of a character that was cut in two nothing is shown
    const text = new TextDecoder().decode(this.#bytes.subarray(start, start + length), { stream: length < size })
    return { text: mask(text, length < size), kept: length, bytes: size }
  }
}
