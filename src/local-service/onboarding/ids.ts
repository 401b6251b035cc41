// Whole numbers nobody has yet. One sequence for everything, so that no two things can be mistaken for each other.

import type { Records } from './records.ts'

const FIRST = 1001

export class Ids {
  readonly #isTaken: (id: number) => boolean
  #next: number

  /** Goes on behind what `records` hold. `isTaken`: numbers that came from elsewhere. */
  constructor(records: Records, isTaken: (id: number) => boolean) {
    this.#isTaken = isTaken
    this.#next = FIRST
    for (const id of numbersIn(records)) this.#next = Math.max(this.#next, id + 1)
  }

  next(): number {
    while (this.#isTaken(this.#next)) this.#next++
    return this.#next++
  }
}

function* numbersIn(records: Records): Generator<number> {
  for (const kind of ['login', 'token', 'invite', 'job'] as const) for (const { id } of records.all(kind)) yield id
  for (const { clientId } of records.all('signup')) yield clientId
  for (const { id, metaId } of records.all('connection')) yield Math.max(id, metaId)
}
