// Ids that the registry says it does not know. A registry of several nodes may be asked at one that is behind, so an id is doubted
// for a moment before its records are rejected, and asked for again in the background while records name it.

import { backoffMs, SCHEMA_AGAIN, SCHEMA_DOUBTED } from '../core/backoff.ts'
import type { Clock } from '../core/types.ts'
import { Recent } from './recent.ts'
import type { SchemaId, SchemaProblem } from './types.ts'

/** Ids that are believed to be unknown. */
const KEPT = 10_000
/** How long after the last record that names it an id is kept; then it is as if it had never been asked for. */
const NAMED_MS = 60_000
/** Requests before an id is believed to be unknown. */
const MOST_TRIES = 4
/** Garbage may name any number of ids, and records wait for each that is doubted: so many in a minute, each of them once. */
const MOST_DOUBTED = 100
const DOUBTED_MS = 60_000
/** Between the requests in the background, of all ids together. */
const PAUSE_MS = 200

interface Unknown extends SchemaProblem {
  /** Moves on with each record that names it. */
  until: number
  askAt: number
  tries: number
}

interface UnknownSchemasParts {
  readonly clock: Clock
  /** Asks for it once more in the background; to tell `forget` if it is found. */
  readonly ask: (id: SchemaId, signal: AbortSignal) => Promise<void>
}

/** Disposing of it ends the questions in the background. */
export class UnknownSchemas implements Disposable {
  readonly #parts: UnknownSchemasParts
  readonly #believed = new Recent<SchemaId, Unknown>(KEPT)
  /** Until when each takes its place, the earliest first. */
  readonly #doubted = new Map<SchemaId, number>()
  readonly #over = new AbortController()
  #isAsking = false

  constructor(parts: UnknownSchemasParts) {
    this.#parts = parts
  }

  /** Requests of the background wait for this before each.
   *  @throws the signal's reason */
  async pause(signal: AbortSignal): Promise<void> {
    await this.#parts.clock.wait(PAUSE_MS, signal)
    signal.throwIfAborted()
  }

  /** Whether it was believed, and no record named it for a while. */
  isPast(id: SchemaId): boolean {
    return this.#believed.get(id) !== undefined && this.get(id) === undefined
  }

  get(id: SchemaId): SchemaProblem | undefined {
    const now = this.#parts.clock.now()
    const unknown = this.#believed.get(id)
    if (unknown === undefined || unknown.until <= now) return undefined
    unknown.until = now + NAMED_MS
    return unknown
  }

  /** @param tries made, from 1
   *  @returns milliseconds after which to ask once more; `undefined` when it is to be believed */
  pauseBefore(id: SchemaId, tries: number): number | undefined {
    const isDoubted = tries === 1 ? this.#doubt(id) : tries < MOST_TRIES
    return isDoubted ? backoffMs(SCHEMA_DOUBTED, tries, 0) : undefined
  }

  #doubt(id: SchemaId): boolean {
    const now = this.#parts.clock.now()
    for (const [other, until] of this.#doubted) {
      if (until > now) break
      this.#doubted.delete(other)
    }
    if (this.#doubted.has(id) || this.#doubted.size === MOST_DOUBTED) return false
    this.#doubted.set(id, now + DOUBTED_MS)
    return true
  }

  believe(id: SchemaId, problem: string): void {
    const now = this.#parts.clock.now()
    this.#believed.set(id, { problem, until: now + NAMED_MS, askAt: now + backoffMs(SCHEMA_AGAIN, 1, 0), tries: 1 })
    if (!this.#isAsking && !this.#over.signal.aborted) void this.#askAgain()
  }

  /** It is known now. */
  forget(id: SchemaId): void {
    this.#believed.delete(id)
    this.#doubted.delete(id)
  }

  [Symbol.dispose](): void {
    this.#over.abort()
  }

  async #askAgain(): Promise<void> {
    const { clock, ask } = this.#parts
    const { signal } = this.#over
    this.#isAsking = true
    for (let next = this.#next(); next !== undefined && !signal.aborted; next = this.#next()) {
      if (next === 'later') await clock.wait(PAUSE_MS, signal)
      else {
        const [id, unknown] = next
        // a refusal is told to those who wait for a schema: nothing waits for this one
        await ask(id, signal).catch(() => {})
        unknown.askAt = clock.now() + backoffMs(SCHEMA_AGAIN, ++unknown.tries, 0)
      }
    }
    this.#isAsking = false
  }

  /** The id that was named last of those that are due: an id of garbage is hardly named again.
   *  @returns `undefined` when none is named any more */
  #next(): readonly [SchemaId, Unknown] | 'later' | undefined {
    const now = this.#parts.clock.now()
    const named = [...this.#believed.entries()].filter(([, { until }]) => until > now)
    if (named.length === 0) return undefined
    const due = named.filter(([, { askAt }]) => askAt <= now)
    return due.reduce<(typeof due)[number] | 'later'>((best, one) => {
      if (best === 'later') return one
      return (one[1].until - best[1].until || best[1].askAt - one[1].askAt) > 0 ? one : best
    }, 'later')
  }
}
