// Keeps the last requests for the page, and counts all requests, in bounded memory. Never sees a query or a header; payloads.ts has bodies.

import type { Mask } from './clients.ts'

/** One finished request. */
export interface LiveRequest {
  /** 1 for the first. */
  readonly n: number
  /** The time of its ending, milliseconds since 1970. */
  readonly at: number
  readonly method: string
  /** Without the query and secrets; long ones are cut. */
  readonly path: string
  /** The answer's, or how it ended without one. */
  readonly status: number | 'reset' | 'aborted'
  /** Milliseconds from its first line to its ending. */
  readonly ms: number
  /** How many points an accepted upsert had, else 0. */
  readonly points: number
  /** Bytes of its body. */
  readonly bytes: number
  /** Why it was refused, as the answer says it. */
  readonly reason?: string | undefined
}

/** Counts of what ended in one second. `failed` counts requests that got no answer or one from 400 on. The page gets it as this array. */
export type Second = Readonly<Counts>
type Counts = [requests: number, points: number, failed: number]

const KEPT_REQUESTS = 200
const KEPT_SECONDS = 120
/** Most characters that are shown. */
const LONGEST_PATH = 200
const LONGEST_REASON = 300

export class LiveRequests {
  /** How many requests there were; also the `n` of the last. */
  total = 0
  /** How many points all accepted upserts had, those to the sandbox too. */
  points = 0
  /** Requests without an answer or with one from 400 on. */
  failed = 0
  /** Upserts to the sandbox, and the points it took and did not store. */
  readonly sandbox = { requests: 0, points: 0 }
  /** The last 200, oldest first. */
  readonly #recent: LiveRequest[] = []
  /** The counts of the present second and the last ones in which something ended, by their numbers since 1970, in the order of adding. */
  readonly #seconds = new Map<number, Counts>()
  readonly #mask: Mask

  /** @param mask takes secrets out of paths and reasons, when they are shown */
  constructor(mask: Mask = (text) => text) {
    this.#mask = mask
  }

  /** Adds a request that has ended. @param isSandbox whether it was an upsert to the sandbox, which stores nothing
   *  @returns its number */
  add({ path, reason, ...request }: Omit<LiveRequest, 'n'>, isSandbox: boolean): number {
    // one character more than is shown: `shown` tells by it that the text was cut
    const cut = { path: path.slice(0, LONGEST_PATH + 1), reason: reason?.slice(0, LONGEST_REASON + 1) }
    this.#recent.push({ n: ++this.total, ...cut, ...request })
    if (this.#recent.length > KEPT_REQUESTS) this.#recent.shift()
    const failed = typeof request.status === 'number' && request.status < 400 ? 0 : 1
    this.points += request.points
    this.failed += failed
    // requests, points and failed ones, in this order
    const second = this.#secondAt(Math.floor(request.at / 1000))
    second[0]++
    second[1] += request.points
    second[2] += failed
    if (isSandbox) {
      this.sandbox.requests++
      this.sandbox.points += request.points
    }
    return this.total
  }

  /** Requests with numbers above `after`, of the last 200, oldest first. */
  recent(after = 0): readonly LiveRequest[] {
    const mask = this.#mask
    const newer = this.#recent.filter(({ n }) => n > after)
    return newer.map((request) =>
      Object.assign({}, request, {
        path: shown(withoutMisplacedKey(request.path), LONGEST_PATH, mask),
        reason: request.reason && shown(request.reason, LONGEST_REASON, mask),
      }),
    )
  }

  /** The last 120 whole seconds before `now` (milliseconds since 1970), oldest first. */
  seconds(now: number): readonly Second[] {
    const first = Math.floor(now / 1000) - KEPT_SECONDS
    return Array.from({ length: KEPT_SECONDS }, (_, index): Second => this.#seconds.get(first + index) ?? [0, 0, 0])
  }

  #secondAt(second: number): Counts {
    const known = this.#seconds.get(second)
    if (known) return known
    const fresh: Counts = [0, 0, 0]
    this.#seconds.set(second, fresh)
    if (this.#seconds.size > KEPT_SECONDS + 1) this.#seconds.delete(this.#seconds.keys().next().value!)
    return fresh
  }
}

/** The text behind a name that tells a secret, and `=`. */
const SECRET = /(?<=(?:api.?key|password|token|secret)=).+/is
/** That text, or all from the first percent-encoding on, as the name may be encoded. */
const SECRET_OR_ENCODED = new RegExp(`${SECRET.source}|%.*`, 'is')

/** Masks a key that was put into a path by mistake, such as /data/apikey=…. Where such a key ends cannot be known: the rest is masked. */
function withoutMisplacedKey(path: string): string {
  // `%25` is an encoded `%`: what was encoded several times is decoded in one go
  const decoded = path.replaceAll(/%(?:25)*([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
  return SECRET.test(decoded) ? path.replace(SECRET_OR_ENCODED, '******') : path
}

/** Masks a text and cuts it to `longest` characters.
 *  @param text one character longer than that where it was cut before */
function shown(text: string, longest: number, mask: Mask): string {
  const isCut = text.length > longest
  const masked = mask(text, isCut)
  return isCut ? `${masked.slice(0, longest).toWellFormed()}…` : masked
}
