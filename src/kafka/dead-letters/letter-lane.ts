// Sends dead letters to one partition, in order. Letters that come while others are being sent then go together. The caller says what a
// failure means (`judge`); when an outage has lasted too long is decided here.

import { backoffMs, DEAD_LETTERS as PAUSES } from '../../core/backoff.ts'
import type { ConnectorError } from '../../core/errors.ts'
import type { Clock } from '../../core/types.ts'

/** The step to take after an attempt that failed. again: send the same letters again, unless the outage has lasted too long. too-large:
 *  send fewer letters at once; one that was alone fails with `error`. stop: all letters of the attempt fail with `error`. */
export type AttemptFailure =
  | { readonly kind: 'again' }
  | { readonly kind: 'too-large' | 'stop'; readonly error: ConnectorError }

/** The topic, as a lane needs it. L: a letter that is ready to be sent. */
interface LaneParts<L> {
  readonly clock: Clock
  readonly outage: Outage
  /** Sends these letters once. Resolves when all of them are confirmed. */
  attempt(letters: readonly L[]): Promise<void>
  /** Says what is to be done after an attempt that threw `error`. */
  judge(error: unknown, letters: readonly L[]): AttemptFailure
  /** Makes the error of an outage that has lasted too long, from what the last attempt threw. */
  givenUp(error: unknown): ConnectorError
  /** Counts an attempt that failed, unless there were only too many letters in it. */
  failed(): void
}

interface WaitingLetter<L> {
  readonly letter: L
  readonly done: PromiseWithResolvers<void>
}

/** Most bytes of letters that are sent at once: far below what a topic takes by default (1 MiB), as sizes are only estimated. */
const MOST_BYTES = 512 * 1024

export class LetterLane<L extends { readonly bytes: number }> {
  readonly #parts: LaneParts<L>
  readonly #signal: AbortSignal
  #waiting: WaitingLetter<L>[] = []
  #sending: readonly WaitingLetter<L>[] = []
  /** MOST_BYTES, or less once letters were too large together. */
  #mostBytes = MOST_BYTES
  #running: Promise<void> | undefined

  /** @param signal aborts to reject every `send` that is not confirmed by then, with its reason */
  constructor(parts: LaneParts<L>, signal: AbortSignal) {
    this.#parts = parts
    this.#signal = signal
    signal.addEventListener('abort', () => this.#end(), { once: true })
  }

  /** Sends a letter behind those before it. Resolves when it is confirmed.
   *  @throws ConnectorError when it could not be; letters that are sent later are tried all the same */
  send(letter: L): Promise<void> {
    const done = Promise.withResolvers<void>()
    if (this.#signal.aborted) done.reject(this.#signal.reason as Error)
    else {
      this.#waiting.push({ letter, done })
      this.#running ??= this.#sendAll()
    }
    return done.promise
  }

  /** Resolves when no letter is being sent any more. */
  async idle(): Promise<void> {
    await this.#running
  }

  async #sendAll(): Promise<void> {
    // letters that the caller gives without waiting in between go together
    await Promise.resolve()
    while (this.#waiting.length > 0) {
      this.#sending = this.#takeGroup()
      await this.#sendGroup(this.#sending)
    }
    this.#sending = []
    this.#running = undefined
  }

  /** Takes the first letters that wait: as many as may be sent at once, and at least one. */
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
        const pauseMs = failure.kind === 'again' ? parts.outage.failed() : undefined
        if (pauseMs === undefined) {
          const reason = failure.kind === 'again' ? parts.givenUp(error) : failure.error
          for (const { done } of group) done.reject(reason)
          return
        }
        await parts.clock.wait(pauseMs, this.#signal)
      }
    }
  }

  /** Puts back a group that was too large for the topic. From now on at most half as many bytes are sent at once. */
  #putBack(group: readonly WaitingLetter<L>[], letters: readonly L[]): void {
    this.#mostBytes = Math.max(1, Math.floor(letters.reduce((sum, { bytes }) => sum + bytes, 0) / 2))
    this.#waiting.unshift(...group)
  }

  #end(): void {
    for (const { done } of [...this.#sending, ...this.#waiting.splice(0)]) done.reject(this.#signal.reason as Error)
  }
}

/** Measures outages: each begins with an attempt that failed, and ends with the next that did not. Tell every attempt by `failed` or `ended`. */
export class Outage {
  readonly #clock: Clock
  readonly #deadlineMs: number
  /** When the outage began. `undefined` when there is none now. */
  #since: number | undefined
  #failures = 0

  /** @param deadlineMs how long an outage may last */
  constructor(clock: Clock, deadlineMs: number) {
    this.#clock = clock
    this.#deadlineMs = deadlineMs
  }

  ended(): void {
    this.#since = undefined
    this.#failures = 0
  }

  /** @returns how long to wait before trying again, in milliseconds. `undefined` when the outage has lasted too long */
  failed(): number | undefined {
    const now = this.#clock.now()
    this.#since ??= now
    if (now - this.#since >= this.#deadlineMs) return undefined
    return backoffMs(PAUSES, ++this.#failures, this.#clock.random())
  }
}
