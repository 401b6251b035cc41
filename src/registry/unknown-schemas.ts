// Ids of schemas that the registry says it does not know. A registry may have several nodes, and the one that was asked may be behind. So
// the answer is doubted at first: the caller (schema-store.ts) asks again a few times within seconds, after the pauses that `pauseBefore`
// returns, and the records wait. Then it calls `believe`, and the records are rejected with the problem that `get` returns. As long as
// records name the id, it is asked for again in the background (`ask`). When the schema is found after all, the caller calls `forget`.

import { ANY_CHANCE, backoffMs, SCHEMA_AGAIN, SCHEMA_DOUBTED } from '../core/backoff.ts'
import type { Clock } from '../core/types.ts'
import { Recent } from './recent.ts'
import type { SchemaId, SchemaProblem } from './types.ts'

/** The most ids that are believed to be unknown; of more, those that records named last. */
const MOST_BELIEVED = 10_000
/** How long an id is believed to be unknown after a record named it last. Then it is as if it had never been asked for. */
const NAMED_MS = 60_000
/** How many answers it takes until an id is believed to be unknown. */
const MOST_TRIES = 4
/** The most ids that are doubted in a minute, because records wait for each, and garbage may name any number. Others are not doubted. */
const MOST_DOUBTED = 100
const DOUBTED_MS = 60_000
/** The pause between two looks for an id that is due to be asked for in the background. */
const LOOK_MS = 200

/** An id that is believed to be unknown. Its times are those of `Clock.now`. */
interface Unknown extends SchemaProblem {
  /** When it is no longer believed, unless a record names it before. */
  until: number
  /** When it is due to be asked for in the background. */
  askAt: number
  /** How many answers said that it is unknown: the one that was believed, and those in the background. */
  tries: number
}

type AskAgain = (id: SchemaId, signal: AbortSignal) => Promise<void>

/** Disposing of it ends the requests in the background. */
export class UnknownSchemas implements Disposable {
  readonly #clock: Clock
  readonly #ask: AskAgain
  readonly #believed = new Recent<SchemaId, Unknown>(MOST_BELIEVED)
  /** The ids that were doubted of late, and until when each takes one of the MOST_DOUBTED places; in the order of these times. */
  readonly #doubted = new Map<SchemaId, number>()
  readonly #disposed = new AbortController()
  #isAsking = false

  /** @param ask asks for an id once more, and calls `forget` if its schema is found */
  constructor(clock: Clock, ask: AskAgain) {
    this.#clock = clock
    this.#ask = ask
  }

  /** Why records of an id are rejected. To be called for each of them, because that keeps it believed. `undefined` when it is not. */
  get(id: SchemaId): SchemaProblem | undefined {
    const now = this.#clock.now()
    const unknown = this.#believed.get(id)
    if (unknown === undefined || unknown.until <= now) return undefined
    unknown.until = now + NAMED_MS
    return unknown
  }

  /** Judges an answer that the registry does not know an id.
   *  @param tries how many such answers came so far, this one included
   *  @returns milliseconds after which to ask once more; `undefined` when the answer is to be believed */
  pauseBefore(id: SchemaId, tries: number): number | undefined {
    const isDoubted = tries === 1 ? this.#doubt(id) : tries < MOST_TRIES
    return isDoubted ? backoffMs(SCHEMA_DOUBTED, tries, ANY_CHANCE) : undefined
  }

  /** Takes one of the MOST_DOUBTED places for an id.
   *  @returns false when none is free, or the id was doubted within the last minute */
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

  /** Notes an id that is believed to be unknown, because `pauseBefore` returned `undefined`. */
  believe(id: SchemaId, problem: string): void {
    const now = this.#clock.now()
    const askAt = now + backoffMs(SCHEMA_AGAIN, 1, ANY_CHANCE)
    this.#believed.set(id, { problem, until: now + NAMED_MS, askAt, tries: 1 })
    if (!this.#isAsking && !this.#disposed.signal.aborted) void this.#askAgain()
  }

  forget(id: SchemaId): void {
    this.#believed.delete(id)
    this.#doubted.delete(id)
  }

  [Symbol.dispose](): void {
    this.#disposed.abort()
  }

  /** Asks in the background, for one id after another, as long as records name any. */
  async #askAgain(): Promise<void> {
    const clock = this.#clock
    const { signal } = this.#disposed
    this.#isAsking = true
    for (let named = this.#named(); named.length > 0 && !signal.aborted; named = this.#named()) {
      // of several that are due, the one that a record named last: garbage hardly names the same id again
      const due = named.findLast(([, { askAt }]) => askAt <= clock.now())
      if (due === undefined) await clock.wait(LOOK_MS, signal)
      else {
        const [id, unknown] = due
        // a refusal by the registry shows when records wait for a schema; for this one none waits
        await this.#ask(id, signal).catch(() => {})
        unknown.askAt = clock.now() + backoffMs(SCHEMA_AGAIN, ++unknown.tries, ANY_CHANCE)
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
