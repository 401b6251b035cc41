// Remembers what was asked and how it ended, in bounded memory. Never sees a query, so never a key.

/** One finished request. `status`: the answer's, or how the exchange ended without one. */
export interface LoggedRequest {
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly status: number | 'reset' | 'aborted'
  /** Points of an accepted upsert, else 0. */
  readonly points: number
}

export class RequestLog {
  readonly #capacity: number
  #recent: LoggedRequest[] = []
  #next = 0
  #total = 0
  #points = 0
  readonly #byStatus = new Map<LoggedRequest['status'], number>()

  /** `capacity`: how many requests `recent` gives back. */
  constructor(capacity: number) {
    this.#capacity = capacity
  }

  add(request: LoggedRequest): void {
    this.#total++
    this.#points += request.points
    this.#byStatus.set(request.status, (this.#byStatus.get(request.status) ?? 0) + 1)
    if (this.#capacity === 0) return
    this.#recent[this.#next] = request
    this.#next = (this.#next + 1) % this.#capacity
  }

  get total(): number {
    return this.#total
  }

  /** Points of all accepted upserts, sandbox included. */
  get points(): number {
    return this.#points
  }

  byStatus(status: LoggedRequest['status']): number {
    return this.#byStatus.get(status) ?? 0
  }

  /** The last requests, oldest first. */
  recent(): readonly LoggedRequest[] {
    return this.#recent.length < this.#capacity
      ? [...this.#recent]
      : [...this.#recent.slice(this.#next), ...this.#recent.slice(0, this.#next)]
  }
}
