// Sends dead letters to one partition, in order; those that wait while others are sent go together. The caller says what a
// failure means; how long an outage may last is decided here. L: a letter ready to be sent.

import { backoffMs, DEAD_LETTERS } from '../../core/backoff.ts'
import type { ConnectorError } from '../../core/errors.ts'
import type { Clock } from '../../core/types.ts'

/** The step that a failed attempt asks for. */
export type AttemptFailure =
  | { readonly kind: 'again' }
  /** Send fewer at once; a letter that was alone fails with `error`. */
  | { readonly kind: 'too-large'; readonly error: ConnectorError }
  | { readonly kind: 'stop'; readonly error: ConnectorError }

interface LaneParts<L> {
  readonly clock: Clock
  readonly outage: Outage
  /** Resolves when all of them are confirmed. */
  attempt(letters: readonly L[]): Promise<void>
  /** Says what to do after an attempt that failed. */
  judge(error: unknown, letters: readonly L[]): AttemptFailure
  /** Makes the error of an outage that lasts too long. */
  givenUp(error: unknown): ConnectorError
  /** An attempt failed, and not only because there were too many letters in it. */
  failed(): void
}

interface WaitingLetter<L> {
  readonly letter: L
  readonly done: PromiseWithResolvers<void>
}

/** Far below what a topic takes at once by default (1 MiB): headers count too. */
const MOST_BYTES = 512 * 1024

export class LetterLane<L extends { readonly bytes: number }> {
  readonly #parts: LaneParts<L>
  readonly #signal: AbortSignal
  #waiting: WaitingLetter<L>[] = []
  #sending: readonly WaitingLetter<L>[] = []
  #mostBytes = MOST_BYTES
  #running: Promise<void> | undefined

  /** @param signal ends every `send` that is not confirmed by then, with its reason */
  constructor(parts: LaneParts<L>, signal: AbortSignal) {
    this.#parts = parts
    this.#signal = signal
    signal.addEventListener('abort', () => this.#end(), { once: true })
  }

  /** Resolves when the letter is confirmed.
   *  @throws ConnectorError when it cannot be, now; a later one is tried again */
  send(letter: L): Promise<void> {
    const done = Promise.withResolvers<void>()
    if (this.#signal.aborted) done.reject(this.#signal.reason as Error)
    else {
      this.#waiting.push({ letter, done })
      this.#running ??= this.#sendAll()
    }
    return done.promise
  }

  /** Resolves when nothing is under way any more. */
  async idle(): Promise<void> {
    await this.#running
  }

  async #sendAll(): Promise<void> {
    // what comes in this turn goes along
    await Promise.resolve()
    while (this.#waiting.length > 0) {
      this.#sending = this.#takeGroup()
      await this.#sendGroup(this.#sending)
    }
    this.#sending = []
    this.#running = undefined
  }

  /** Takes the first of those that wait, at least one. */
  #takeGroup(): WaitingLetter<L>[] {
    let [count, bytes] = [0, 0]
    for (const { letter } of this.#waiting) {
      bytes += letter.bytes
      if (count > 0 && bytes > this.#mostBytes) break
      count++
    }
    return this.#waiting.splice(0, count)
  }

  async #sendGroup(group: readonly WaitingLetter<L>[]): Promise<void> {
    const parts = this.#parts
    const letters = group.map(({ letter }) => letter)
    while (!this.#signal.aborted) {
      try {
        await parts.attempt(letters)
        parts.outage.ended()
        for (const { done } of group) done.resolve()
        return
      } catch (error) {
        const failure = parts.judge(error, letters)
        if (failure.kind === 'too-large' && group.length > 1) {
          this.#putBack(group, letters)
          return
        }
        parts.failed()
        const pause = failure.kind === 'again' ? parts.outage.failed() : undefined
        if (pause === undefined) {
          const reason = failure.kind === 'again' ? parts.givenUp(error) : failure.error
          for (const { done } of group) done.reject(reason)
          return
        }
        await parts.clock.wait(pause, this.#signal)
      }
    }
  }

  /** Puts a group back that is too large for the topic, to be sent in smaller ones: so is everything from here on. */
  #putBack(group: readonly WaitingLetter<L>[], letters: readonly L[]): void {
    this.#mostBytes = Math.max(1, Math.floor(letters.reduce((sum, { bytes }) => sum + bytes, 0) / 2))
    this.#waiting.unshift(...group)
  }

  #end(): void {
    for (const { done } of [...this.#sending, ...this.#waiting.splice(0)]) done.reject(this.#signal.reason as Error)
  }
}

/** Counts the failures of an outage, and then of the next one: every attempt tells `failed` or `ended`. */
export class Outage {
  readonly #clock: Clock
  readonly #deadlineMs: number
  #since: number | undefined
  #tries = 0

  /** @param deadlineMs an outage that lasts longer is not borne */
  constructor(clock: Clock, deadlineMs: number) {
    this.#clock = clock
    this.#deadlineMs = deadlineMs
  }

  ended(): void {
    this.#since = undefined
    this.#tries = 0
  }

  /** Counts a failure.
   *  @returns how long to wait before trying again, from 0.1 to 2 s. `undefined` when it has lasted too long */
  failed(): number | undefined {
    const now = this.#clock.now()
    this.#since ??= now
    if (now - this.#since >= this.#deadlineMs) return undefined
    return backoffMs(DEAD_LETTERS, ++this.#tries, this.#clock.random())
  }
}
