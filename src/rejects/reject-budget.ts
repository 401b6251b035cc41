// How many records of a stream or topic may be rejected in one run, where rejected records are kept: more, and something is wrong that
// no list of them tells (decisions.md#a-budget-for-rejected-records).

export interface RejectLimits {
  /** `undefined` when any number may be rejected. */
  readonly maxRejected: number | undefined
  /** Share of those received; 1: all of them. */
  readonly maxRejectedShare: number
}

/** Limits of one stream or topic; those of all when `undefined`. */
type OwnLimits = { readonly [Name in keyof RejectLimits]: RejectLimits[Name] | undefined }

/** A limit that was exceeded, and by how many of how many. */
export interface Exceeded {
  readonly option: 'max_rejected' | 'max_rejected_share'
  readonly limit: number
  readonly rejected: number
  readonly received: number
  /** A table of a topic that has several. `undefined` when the limit is that of the whole stream or topic. */
  readonly table: string | undefined
}

/** The share is looked at from so many received records on, and over so many: the last ones, in whole steps. */
const WINDOW = 10_000
const STEP = 1_000
const STEPS = WINDOW / STEP

/** Budgets of a run, one for each stream or topic, made at its first rejected record. */
export class RejectBudgets<Of> {
  readonly #limits: RejectLimits
  readonly #ownOf: (of: Of) => OwnLimits | undefined
  readonly #receivedOf: (of: Of) => number
  readonly #budgets = new Map<Of, RejectBudget>()

  /** @param receivedOf how many records of it this run has received up to now */
  constructor(limits: RejectLimits, ownOf: (of: Of) => OwnLimits | undefined, receivedOf: (of: Of) => number) {
    this.#limits = limits
    this.#ownOf = ownOf
    this.#receivedOf = receivedOf
  }

  /** Counts a record that is to be kept.
   *  @param table for which it counts, if not for all of the stream or topic
   *  @returns why it must not be; from then on the same for each of the same stream or topic */
  take(of: Of, table?: string): Exceeded | undefined {
    let budget = this.#budgets.get(of)
    if (!budget) this.#budgets.set(of, (budget = new RejectBudget(this.#limitsOf(of), table)))
    return budget.take(this.#receivedOf(of))
  }

  #limitsOf(of: Of): RejectLimits {
    const { maxRejected, maxRejectedShare } = this.#ownOf(of) ?? this.#limits
    return {
      maxRejected: maxRejected ?? this.#limits.maxRejected,
      maxRejectedShare: maxRejectedShare ?? this.#limits.maxRejectedShare,
    }
  }
}

class RejectBudget {
  readonly #limits: RejectLimits
  readonly #table: string | undefined
  #rejected = 0
  /** How many were rejected when the count of received ones reached a step; step n stands at n modulo the length. */
  readonly #marks = new Float64Array(STEPS + 1)
  #step = 0
  #exceeded: Exceeded | undefined

  constructor(limits: RejectLimits, table: string | undefined) {
    this.#limits = limits
    this.#table = table
  }

  take(received: number): Exceeded | undefined {
    this.#mark(Math.floor(received / STEP))
    this.#rejected++
    return (this.#exceeded ??= this.#judged(received))
  }

  /** Nothing was rejected between the last call and this one, so all steps in between have the same count. */
  #mark(step: number): void {
    for (let at = Math.max(this.#step + 1, step - STEPS); at <= step; at++)
      this.#marks[at % this.#marks.length] = this.#rejected
    this.#step = Math.max(this.#step, step)
  }

  #judged(received: number): Exceeded | undefined {
    const { maxRejected = Infinity, maxRejectedShare: share } = this.#limits
    const rejected = this.#rejected
    const found = { rejected, received, table: this.#table }
    if (rejected > maxRejected) return { option: 'max_rejected', limit: maxRejected, ...found }
    if (share >= 1 || received < WINDOW) return undefined
    const since = this.#step - STEPS
    const late = rejected - this.#marks[since % this.#marks.length]!
    // of all too: a wave of refusals late in a long run is no wrong setup
    const isOver = late > share * (received - since * STEP) && rejected > share * received
    return isOver ? { option: 'max_rejected_share', limit: share, ...found } : undefined
  }
}
