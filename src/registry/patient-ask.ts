// Asks a registry until it answers: one that is down, overloaded or out of reach is waited for, however long. Knows no schema.

import type { Clock } from '../core/types.ts'
import type { Answered, Ask, Asked } from './ask.ts'

const FIRST_MS = 100
const LONGEST_MS = 5_000
const LONGEST_ASKED_MS = 60_000
/** What is over sooner is not worth a line. */
const TOLD_AFTER_MS = 1_000

export interface PatientAskOptions {
  readonly ask: Ask
  /** For messages: where the registry is, without user and password. */
  readonly address: string
  readonly clock: Clock
  readonly said: (level: 'INFO' | 'WARN', message: string) => void
}

export class PatientAsk {
  readonly #options: PatientAskOptions
  /** Who is waiting, and why. */
  readonly #waiting = new Map<object, string>()
  #since = 0
  #isTold = false
  /** Nobody asks before: the registry said so. */
  #pausedUntil = -Infinity
  #pausedBecause = ''

  constructor(options: PatientAskOptions) {
    this.#options = options
  }

  /** In words; undefined while nobody waits. */
  get waitsBecause(): string | undefined {
    for (const reason of this.#waiting.values()) return reason
    return undefined
  }

  /** @returns an answer that another attempt would not change: neither 408, 429 nor 5xx, except 501
   *  @throws signal.reason when it aborts; what `ask` throws */
  async ask(path: string, signal: AbortSignal): Promise<Answered> {
    const me = {}
    try {
      for (let step = FIRST_MS; ; step = Math.min(LONGEST_MS, 2 * step)) {
        await this.#pause(me, signal)
        const asked = await this.#options.ask(path, signal)
        signal.throwIfAborted()
        const reason = passingReason(asked)
        if (reason === undefined) {
          this.#heard(me)
          return asked as Answered
        }
        this.#failed(me, reason, 'failed' in asked ? asked.remedy : undefined)
        this.#honour(asked, reason)
        await this.rest(step, signal)
      }
    } finally {
      this.#waiting.delete(me)
    }
  }

  /** Before the same is asked again.
   *  @param ms at the most, half of it at the least
   *  @throws signal.reason when it aborts */
  async rest(ms: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options
    await clock.wait(ms * (0.5 + clock.random() / 2), signal)
    signal.throwIfAborted()
  }

  async #pause(me: object, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options
    for (let ms = this.#pausedUntil - clock.now(); ms > 0; ms = this.#pausedUntil - clock.now()) {
      this.#failed(me, this.#pausedBecause)
      await clock.wait(ms, signal)
      signal.throwIfAborted()
    }
    signal.throwIfAborted()
  }

  #honour(asked: Asked, reason: string): void {
    const afterMs = 'failed' in asked ? undefined : asked.retryAfterMs
    if (afterMs === undefined) return
    this.#pausedUntil = this.#options.clock.now() + Math.min(LONGEST_ASKED_MS, afterMs)
    this.#pausedBecause = reason
  }

  #failed(me: object, reason: string, remedy?: string): void {
    const { clock, address, said } = this.#options
    const now = clock.now()
    if (this.#waiting.size === 0) {
      this.#since = now
      this.#isTold = false
    }
    this.#waiting.set(me, `the schema registry ${address} cannot be asked: ${reason}`)
    if (this.#isTold || now - this.#since < TOLD_AFTER_MS) return
    this.#isTold = true
    const hint = remedy === undefined ? '' : ` ${remedy}`
    said(
      'WARN',
      `The schema registry ${address} cannot be asked: ${reason}. What needs its schemas waits for it.${hint}`,
    )
  }

  /** Over when the last one who waited has its answer. */
  #heard(me: object): void {
    if (!this.#waiting.delete(me) || this.#waiting.size > 0 || !this.#isTold) return
    this.#isTold = false
    const { clock, address, said } = this.#options
    const seconds = Math.round((clock.now() - this.#since) / 1_000)
    said('INFO', `The schema registry ${address} answers again, after ${seconds} s.`)
  }
}

/** Why to ask again; undefined: there is no reason to. */
function passingReason(asked: Asked): string | undefined {
  if ('failed' in asked) return asked.failed
  const { status } = asked
  const passes = status === 408 || status === 429 || (status >= 500 && status < 600 && status !== 501)
  return passes ? `it answered ${status}` : undefined
}
