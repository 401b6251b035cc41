// Parts of a text, apart and in order, as they are found: a part that overlaps earlier ones becomes one with them.

export interface Span {
  readonly start: number
  readonly end: number
}

export class Spans {
  #all: Span[] = []
  #last: Span | undefined

  /** The latest, also when it has been taken. */
  get last(): Span | undefined {
    return this.#last
  }

  /** No earlier one may end behind `end`, unless it overlaps this one. */
  add(start: number, end: number): void {
    let span = { start, end }
    for (let last = this.#all.at(-1); last && start < last.end && end > last.start; last = this.#all.at(-1)) {
      span = { start: Math.min(span.start, last.start), end: Math.max(span.end, last.end) }
      this.#all.pop()
    }
    this.#all.push(span)
    this.#last = span
  }

  /** Where the one begins that `place` is inside of; else `place`. */
  before(place: number): number {
    const last = this.#all.at(-1)
    return last && last.start < place && last.end > place ? last.start : place
  }

  /** Takes out those that end at `place` or before. */
  take(place: number): Span[] {
    const taken = this.#all.filter(({ end }) => end <= place)
    this.#all = this.#all.slice(taken.length)
    return taken
  }
}
