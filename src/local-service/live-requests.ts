// The requests of both interfaces: the last ones, how many there were in all, and in each second. In bounded memory. Never sees a query or a header; bodies are in payloads.ts.

import type { Mask } from './clients.ts'

/** One finished request. `n`: 1 for the first. `status`: the answer's, or how it ended without one. `points`: of an accepted
 *  upsert, else 0. `ms`: from its first line to its ending. `bytes`: of its body. */
export interface LiveRequest {
  readonly n: number
  /** Milliseconds since 1970. */
  readonly at: number
  readonly method: string
  /** Without the query and secrets; long ones are cut. */
  readonly path: string
  readonly status: number | 'reset' | 'aborted'
  readonly ms: number
  readonly points: number
  readonly bytes: number
  /** Why it was refused, as the answer says it. */
  readonly reason?: string | undefined
}

/** What ended in one second. `failed`: requests without an answer or with one from 400 on. */
export type Second = readonly [requests: number, points: number, failed: number]

const KEPT = 200
const SECONDS = 120
const LONGEST_PATH = 200

export class LiveRequests {
  readonly #recent: LiveRequest[] = []
  /** Of the last seconds, the one now under way included: which it is, requests, points, failed. */
  readonly #seconds = new Float64Array((SECONDS + 1) * 4).fill(Number.NaN)
  #last = 0
  #points = 0
  #failed = 0
  #sandbox = { requests: 0, points: 0 }
  readonly #mask: Mask

  /** @param mask of paths, when they are shown */
  constructor(mask: Mask = (text) => text) {
    this.#mask = mask
  }

  /** Answers its number. */
  add({ path, ...request }: Omit<LiveRequest, 'n'>, sandbox: boolean): number {
    this.#last++
    this.#points += request.points
    this.#recent[(this.#last - 1) % KEPT] = { n: this.#last, path: path.slice(0, LONGEST_PATH + 1), ...request }
    const second = Math.floor(request.at / 1000)
    const slot = slotOf(second)
    if (this.#seconds[slot] !== second) this.#seconds.set([second, 0, 0, 0], slot)
    this.#seconds[slot + 1]!++
    this.#seconds[slot + 2]! += request.points
    if (!(typeof request.status === 'number' && request.status < 400)) {
      this.#failed++
      this.#seconds[slot + 3]!++
    }
    if (sandbox) {
      this.#sandbox.requests++
      this.#sandbox.points += request.points
    }
    return this.#last
  }

  /** How many there were; also the `n` of the last. */
  get total(): number {
    return this.#last
  }

  /** Points of all accepted upserts, sandbox included. */
  get points(): number {
    return this.#points
  }

  /** Requests without an answer or with one from 400 on. */
  get failed(): number {
    return this.#failed
  }

  /** Upserts to the sandbox, and the points it took and did not store. */
  get sandbox(): { readonly requests: number; readonly points: number } {
    return { ...this.#sandbox }
  }

  /** The last 200 of those behind number `after`, oldest first. */
  recent(after = 0): readonly LiveRequest[] {
    const first = Math.max(after, this.#last - KEPT, 0)
    const found: LiveRequest[] = []
    for (let at = first; at < this.#last; at++) {
      const request = this.#recent[at % KEPT]!
      found.push({ ...request, path: shown(request.path, this.#mask) })
    }
    return found
  }

  /** The last 120 whole seconds before `now` (milliseconds since 1970), oldest first. */
  seconds(now: number): readonly Second[] {
    const current = Math.floor(now / 1000)
    return Array.from({ length: SECONDS }, (_, index): Second => {
      const second = current - SECONDS + index
      const slot = slotOf(second)
      const [found, requests, points, failed] = this.#seconds.subarray(slot, slot + 4)
      return found === second ? [requests!, points!, failed!] : [0, 0, 0]
    })
  }
}

/** A clock may stand before 1970. */
function slotOf(second: number): number {
  return (((second % (SECONDS + 1)) + SECONDS + 1) % (SECONDS + 1)) * 4
}

const NAMED = /(?<=(?:api.?key|password|token|secret)=).+/is
const NAMED_OR_ENCODED = new RegExp(`${NAMED.source}|%.*`, 'is')

/** No key either that was put behind the path by mistake: what it is nobody knows, so nothing is shown behind its name. */
function shown(path: string, mask: Mask): string {
  const isCut = path.length > LONGEST_PATH
  const decoded = path.replaceAll(/%(?:25)*([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
  const unnamed = NAMED.test(decoded) ? path.replace(NAMED_OR_ENCODED, '******') : path
  const masked = mask(unnamed, isCut)
  return isCut ? `${masked.slice(0, LONGEST_PATH).toWellFormed()}…` : masked
}
