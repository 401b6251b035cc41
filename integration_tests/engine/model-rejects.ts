// A rejects file that is slow to be durable, or a policy that fails the run.

import type { Rejected, Rejects } from '../../src/core/types.ts'
import type { History } from './history.ts'
import type { Laws } from './laws.ts'
import type { Fact } from './script.ts'
import type { VirtualClock } from './virtual-clock.ts'

export class ModelRejects implements Rejects<Fact> {
  readonly #history: History
  readonly #clock: VirtualClock
  readonly #laws: Laws

  constructor(history: History, clock: VirtualClock, laws: Laws) {
    this.#history = history
    this.#clock = clock
    this.#laws = laws
  }

  async put({ origin, superseded }: Rejected<Fact>, signal: AbortSignal): Promise<void> {
    const { policy, ms } = this.#history.rejects
    this.#laws.rejecting(origin)
    if (policy === 'fail') {
      this.#laws.cause('a record is rejected', origin.table >= 0, 'system')
      throw new Error('a record is rejected')
    }
    if (ms > 0) await this.#clock.wait(ms, signal)
    if (signal.aborted) {
      this.#laws.excuse('a reject was cut off', 'system')
      throw new Error('a reject was cut off')
    }
    this.#laws.rejected(origin, superseded)
  }
}
