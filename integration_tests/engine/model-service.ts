// The service as the engine may find it: slow, throttling, failing before or after it stored, answering nothing and
// storing later. What it stores, and when, it tells the laws. Knows nothing of what the engine should do about it.

import type { Outcome, Request, Transport } from '../../src/core/types.ts'
import type { Engine } from './engine.ts'
import type { History } from './history.ts'
import type { Laws } from './laws.ts'
import type { Random } from './random.ts'
import { readRequest } from './read-request.ts'
import type { Fact, Script } from './script.ts'
import type { VirtualClock } from './virtual-clock.ts'

const RETRY = {
  status: 'retry',
  cause: 'server',
  ambiguous: false,
  congestion: false,
  reason: 'the service said 500',
} as const

export class ModelService implements Transport {
  readonly #history: History
  readonly #script: Script
  readonly #clock: VirtualClock
  readonly #laws: Laws
  readonly #random: Random
  readonly #engine: Engine
  readonly #begin: number

  constructor(history: History, script: Script, clock: VirtualClock, laws: Laws, random: Random, engine: Engine) {
    this.#history = history
    this.#script = script
    this.#clock = clock
    this.#laws = laws
    this.#random = random
    this.#engine = engine
    this.#begin = clock.now()
  }

  async send(request: Request, signal: AbortSignal): Promise<Outcome> {
    const facts = readRequest(request, this.#script)
    if (typeof facts === 'string') {
      this.#laws.book.break('a request is a valid JSON array of the points as given', facts)
      return { status: 'delivered' }
    }
    this.#laws.sent(facts, request)
    const outcome = await this.#answer(facts, request, signal)
    this.#laws.answered(facts, outcome)
    return outcome
  }

  async #answer(facts: readonly Fact[], request: Request, signal: AbortSignal): Promise<Outcome> {
    const { latencyMs, weights } = this.#history.service
    const way = this.#isDown()
      ? this.#random.pick({ throttledBare: 1, errorBefore: 1, lostNever: 1 })
      : this.#random.pick(weights)
    if (way === 'throws') {
      this.#laws.answered(facts, RETRY)
      this.#laws.cause('the transport broke', true)
      throw new Error('the transport broke')
    }
    await this.#clock.wait(this.#random.between(0, latencyMs / 2), signal)
    const refusal = signal.aborted ? undefined : this.#refusal(facts, request)
    const stores = way === 'ok' || way === 'errorAfter' || way === 'lostNow'
    if (!signal.aborted && !refusal && stores) this.#laws.stored(facts)
    await this.#clock.wait(this.#random.between(0, latencyMs / 2), signal)
    const lost = signal.aborted || way === 'lostNow' || way === 'lostLater' || way === 'lostNever'
    if (lost) return this.#lose(facts, way === 'lostLater' && !refusal)
    if (refusal && stores) return refusal
    if (way === 'ok') return { status: 'delivered' }
    if (way === 'stop')
      return { status: 'stop', error: new this.#engine.ConnectorError('config', 'the service wants no more') }
    if (way === 'throttled')
      return { ...RETRY, cause: 'throttled', congestion: true, afterMs: Math.round(this.#random.between(0, 4000)) }
    if (way === 'throttledBare') return { ...RETRY, cause: 'throttled', congestion: true }
    return RETRY
  }

  #refusal(facts: readonly Fact[], request: Request): Outcome | undefined {
    if (request.body.length > this.#history.service.maxBody) return { status: 'too-large' }
    return facts.some(({ poison }) => poison) ? { status: 'refused', reason: 'a point is poisoned' } : undefined
  }

  /** No answer; the body may still arrive, inside the guard. */
  #lose(facts: readonly Fact[], later: boolean): Outcome {
    const { guardMs } = this.#history.limits
    if (later && guardMs > 0) this.#clock.at(this.#random.between(0, guardMs * 0.999), () => this.#laws.stored(facts))
    const cause = this.#random.pick({ network: 1, timeout: 1 })
    return { ...RETRY, cause, ambiguous: true, congestion: cause === 'timeout', reason: 'no answer came' }
  }

  #isDown(): boolean {
    const { outage } = this.#history.service
    const now = this.#clock.now() - this.#begin
    return outage !== undefined && now >= outage.from && now < outage.from + outage.ms
  }
}
