// A rejects file that is slow to be durable, a table of rejects, or a policy that fails the run.

import type { RecordItem, Rejected, Rejects } from '../../src/core/types.ts'
import type { History } from './history.ts'
import type { Laws } from './laws.ts'
import { standIns, type Fact, type Script } from './script.ts'
import type { VirtualClock } from './virtual-clock.ts'

export class ModelRejects implements Rejects<Fact> {
  readonly overlaps: boolean
  readonly #history: History
  readonly #script: Script
  readonly #clock: VirtualClock
  readonly #laws: Laws

  constructor(history: History, script: Script, clock: VirtualClock, laws: Laws) {
    this.overlaps = history.rejects.policy !== 'fail'
    this.#history = history
    this.#script = script
    this.#clock = clock
    this.#laws = laws
  }

  placeOf(origin: Fact): Fact {
    return origin
  }

  async put(rejected: Rejected<Fact>, signal: AbortSignal): Promise<RecordItem<Fact>[] | undefined> {
    this.#laws.rejecting(rejected.origin)
    this.#laws.rejects.add(rejected.origin)
    try {
      return await this.#put(rejected, signal)
    } finally {
      this.#laws.rejects.delete(rejected.origin)
    }
  }

  async #put(rejected: Rejected<Fact>, signal: AbortSignal): Promise<RecordItem<Fact>[] | undefined> {
    const { origin, superseded } = rejected
    const { policy, ms } = this.#history.rejects
    if (origin.standsFor) {
      this.#laws.cause('the table of rejects refuses', true, 'system')
      throw new Error('the table of rejects refuses')
    }
    this.#laws.naming(rejected)
    if (policy === 'fail') {
      this.#laws.failing(origin, superseded)
      throw new Error('a record is rejected')
    }
    if (origin.table < 0) this.#laws.book.passRejected()
    if (ms > 0) await this.#clock.wait(ms, signal)
    if (signal.aborted) {
      this.#laws.allowFailure('a reject was cut off', 'system')
      throw new Error('a reject was cut off')
    }
    if (policy === 'accept') {
      this.#laws.rejected(origin, superseded)
      return undefined
    }
    const versions = this.#laws.book.standsFor(origin, superseded)
    const facts = standIns(this.#script, origin, versions, this.#history.seed)
    this.#laws.diverted(origin, versions, facts)
    return facts.map((fact) => this.#item(fact))
  }

  #item(fact: Fact): RecordItem<Fact> {
    const bytes = Buffer.from(fact.text)
    return {
      kind: 'record',
      track: this.#script.tracks[fact.track]!,
      table: this.#script.tables[fact.table]!,
      key: fact.key,
      head: bytes,
      headFrom: 0,
      headTo: 0,
      bytes,
      from: 0,
      to: bytes.length,
      origin: fact,
      held: 5,
    }
  }
}
