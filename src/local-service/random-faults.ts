// Which upsert gets a fault that nobody scripted. Knows neither what a fault does nor what an upsert holds.

import { errorBody } from './answers.ts'
import type { Fault } from './types.ts'

/** Equally likely. With a reset nobody can tell whether the upsert was stored: once it was, once not. */
const KINDS: readonly Fault[] = [
  { answer: { status: 500, body: errorBody(500, ['a random fault; nothing was stored']) } },
  { answer: { status: 503, body: errorBody(503, ['a random fault; nothing was stored']) } },
  { reset: 'before' },
  { reset: 'after' },
]

/** A share of all upserts, decided one by one. */
export class RandomFaults {
  /** From 0, none, to 1, every one. */
  rate: number
  readonly #random: () => number

  /** `random`: numbers from 0 to below 1. */
  constructor(rate: number, random: () => number) {
    this.rate = rate
    this.#random = random
  }

  /** The fault of the upsert that has just arrived. */
  take(): Fault | undefined {
    if (this.rate === 0 || this.#random() >= this.rate) return undefined
    return KINDS[Math.floor(this.#random() * KINDS.length)]
  }
}
