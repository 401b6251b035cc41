// The faults of the service over time: what becomes of an attempt that begins now, how long it takes, how many the service can
// take. By chance.

import type { Way } from './service-outcomes.ts'
import type { Capacity, History, SpellKind, Weights } from './history.ts'
import type { Random } from './random.ts'

const SPELLS: Record<SpellKind, Weights> = {
  throttling: { throttled: 4, throttledUntil: 2, throttledBare: 4, throttledCut: 1 },
  unavailable: { unavailable: 3, unavailableUntil: 1, unavailableBare: 3, gatewayNever: 1 },
  failing: { errorBefore: 4, errorAfter: 4, gatewayNow: 1, gatewayLater: 1, tooSlow: 1 },
  resetting: { lostNow: 2, lostLater: 2, lostNever: 2, refused: 1 },
  stale: { staleLater: 1, staleNever: 6 },
  stalling: { silentNow: 1, silentLater: 1, silentNever: 1 },
  halving: { half: 4, halfLater: 2, halfSilent: 1, throttledCut: 1 },
  down: { refused: 3, unreachable: 1, unavailableBare: 1 },
  restarting: { refused: 1 },
}

export class FaultSchedule {
  readonly #service: History['service']
  readonly #random: Random
  /** Tokens of the rate, refilled as time passes. */
  #tokens = 1
  #refilledAt = 0

  constructor(service: History['service'], random: Random) {
    this.#service = service
    this.#random = random
  }

  /** @param now since the beginning */
  isCalm(now: number): boolean {
    const { calmFrom } = this.#service
    return calmFrom !== undefined && now >= calmFrom
  }

  /** What becomes of an attempt that begins now. */
  way(now: number): Way {
    if (this.isCalm(now)) return 'ok'
    const spell = this.#service.spells.find(({ from, ms }) => now >= from && now < from + ms)
    return this.#random.pick(spell ? SPELLS[spell.kind] : this.#service.weights)
  }

  /** How the service finds an attempt that arrives now beyond its rate; undefined: within. */
  turnedAway(now: number): Way | undefined {
    const { capacity } = this.#service
    if (!capacity?.perSecond || this.isCalm(now)) return undefined
    const rate = (capacity.perSecond * share(capacity, now)) / 1000
    this.#tokens = Math.min(Math.max(1, rate * 100), this.#tokens + rate * (now - this.#refilledAt))
    this.#refilledAt = now
    if (this.#tokens >= 1) {
      this.#tokens--
      return undefined
    }
    return { seconds: 'throttled', date: 'throttledUntil', none: 'throttledBare' }[capacity.hint ?? 'none'] as Way
  }

  /** How long work takes that begins now, beside so many others. */
  workMs(now: number, others: number): number {
    const { capacity } = this.#service
    const alone = this.#random.between(0, this.#latencyMs(now) / 2)
    if (!capacity || this.isCalm(now)) return alone
    return alone * Math.max(1, (others + 1) / (capacity.slots * share(capacity, now)))
  }

  wayMs(now: number): number {
    return this.#random.between(0, this.#latencyMs(now) / 4)
  }

  /** In a calm no attempt takes longer than the client waits. */
  #latencyMs(now: number): number {
    const { latencyMs, timeoutMs } = this.#service
    return this.isCalm(now) ? Math.min(latencyMs, timeoutMs / 2) : latencyMs
  }
}

/** Of its capacity: all at the beginning, the least in the middle of a period. */
function share({ least, periodMs }: Capacity, now: number): number {
  return least + (1 - least) * Math.abs(1 - (2 * (now % periodMs)) / periodMs)
}
