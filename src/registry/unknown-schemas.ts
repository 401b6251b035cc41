// Ids that the registry says it does not know. A registry of several nodes may be asked at one that is behind. So such an answer is
// doubted first: schema-store.ts asks again, a few times within seconds, and the records wait (`pauseBefore`). Then the answer is
// believed, and the records are rejected (`believe`, `get`). While records name the id, it is asked for again in the background
// (`ask`). When it is found, schema-store.ts calls `forget`.

import { backoffMs, SCHEMA_AGAIN, SCHEMA_DOUBTED } from '../core/backoff.ts'
import type { Clock } from '../core/types.ts'
import { Recent } from './recent.ts'
import type { SchemaId, SchemaProblem } from './types.ts'

/** The most ids that are believed to be unknown. */
const KEPT = 10_000
/** How long after the last record that names it an id is kept; then it is as if it had never been asked for. */
const NAMED_MS = 60_000
/** Requests before an id is believed to be unknown. */
const MOST_TRIES = 4
/** The most ids that are doubted in a minute, each once: garbage may name any number of them, and records wait for each. */
const MOST_DOUBTED = 100
const DOUBTED_MS = 60_000
/** Between two looks at whether an id is to be asked for in the background. */
const LOOK_MS = 200

interface Unknown extends SchemaProblem {
  /** When the last record that named it is NAMED_MS past. */
  until: number
  /** When it is asked for again, in the background. */
  askAt: number
  /** Answers since it was believed, that one included. */
  tries: number
}

type AskAgain = (id: SchemaId, signal: AbortSignal) => Promise<void>

/** Disposing of it ends the questions in the background. */
export class UnknownSchemas implements Disposable {
  readonly #clock: Clock
  readonly #ask: AskAgain
  readonly #believed = new Recent<SchemaId, Unknown>(KEPT)
  /** Until when each takes one of the MOST_DOUBTED places, the earliest first. */
  readonly #doubted = new Map<SchemaId, number>()
  readonly #over = new AbortController()
  #isAsking = false

  /** @param ask asks for it once more in the background, and calls `forget` if it is found */
  constructor(clock: Clock, ask: AskAgain) {
    this.#clock = clock
    this.#ask = ask
  }

  /** Why the records of an id are rejected; to be called for each that names it. `undefined` when it is not believed to be unknown,
   *  or no record has named it for a while. */
  get(id: SchemaId): SchemaProblem | undefined {
    const now = this.#clock.now()
    const unknown = this.#believed.get(id)
    if (unknown === undefined || unknown.until <= now) return undefined
    unknown.until = now + NAMED_MS
    return unknown
  }

  /** To be called after each answer that the registry does not know it.
   *  @param tries made, from 1
   *  @returns milliseconds after which to ask once more; `undefined` when the answer is to be believed */
  pauseBefore(id: SchemaId, tries: number): number | undefined {
    const isDoubted = tries === 1 ? this.#doubt(id) : tries < MOST_TRIES
    return isDoubted ? backoffMs(SCHEMA_DOUBTED, tries, 0) : undefined
  }

  /** @returns whether there is a place for it, and it had none yet */
  #doubt(id: SchemaId): boolean {
    const now = this.#clock.now()
    for (const [other, until] of this.#doubted) {
      if (until > now) break
      this.#doubted.delete(other)
    }
    if (this.#doubted.has(id) || this.#doubted.size === MOST_DOUBTED) return false
    this.#doubted.set(id, now + DOUBTED_MS)
    return true
  }

  /** Notes an id whose answer `pauseBefore` does not doubt. */
  believe(id: SchemaId, problem: string): void {
    const now = this.#clock.now()
    this.#believed.set(id, { problem, until: now + NAMED_MS, askAt: now + backoffMs(SCHEMA_AGAIN, 1, 0), tries: 1 })
    if (!this.#isAsking && !this.#over.signal.aborted) void this.#askAgain()
  }

  /** Forgets an id that is known now. */
  forget(id: SchemaId): void {
    this.#believed.delete(id)
    this.#doubted.delete(id)
  }

  [Symbol.dispose](): void {
    this.#over.abort()
  }

  /** Asks in the background, one id after another, as long as records name one. */
  async #askAgain(): Promise<void> {
    const clock = this.#clock
    const { signal } = this.#over
    this.#isAsking = true
    for (let named = this.#named(); named.length > 0 && !signal.aborted; named = this.#named()) {
      // the one that a record named last, for an id of garbage is hardly named again
      const due = named.findLast(([, { askAt }]) => askAt <= clock.now())
      if (due === undefined) await clock.wait(LOOK_MS, signal)
      else {
        const [id, unknown] = due
        // a refusal is told to those who wait for a schema: nothing waits for this one
        await this.#ask(id, signal).catch(() => {})
        unknown.askAt = clock.now() + backoffMs(SCHEMA_AGAIN, ++unknown.tries, 0)
      }
    }
    this.#isAsking = false
  }

  /** The ids that are believed and that records have named of late, the last one last. */
  #named(): (readonly [SchemaId, Unknown])[] {
    const now = this.#clock.now()
    return [...this.#believed.entries()].filter(([, { until }]) => until > now)
  }
}
