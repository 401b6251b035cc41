// How many records of a stream or topic may be rejected in one run, where rejected records are kept. When there are more, something is
// wrong that a list of them does not show (decisions.md#a-budget-for-rejected-records).

export interface RejectLimits {
  /** `undefined` when any number may be rejected. */
  readonly maxRejected: number | undefined
  /** Share of the received records, from 0 to 1; any number may be rejected when it is 1. */
  readonly maxRejectedShare: number
}

/** Limits of one stream or topic. A member is `undefined` when the limit for all is meant. */
type OwnLimits = { readonly [Name in keyof RejectLimits]: number | undefined }

/** A limit that was exceeded: `rejected` of `received` records. */
export interface Exceeded {
  readonly option: 'max_rejected' | 'max_rejected_share'
  readonly limit: number
  readonly rejected: number
  readonly received: number
  /** The table that the limit is for, where the tables of a topic have budgets of their own. `undefined` when it is for all records. */
  readonly table: string | undefined
}

/** The share is judged once WINDOW records were received, over about the last WINDOW, as rejected ones are noted only every STEP. */
const WINDOW = 10_000
const STEP = 1_000
const STEPS = WINDOW / STEP

/** Budgets of a run, one for each owner, made at its first rejected record. Owner: a stream or topic, or one table of a topic. */
export class RejectBudgets<Owner> {
  readonly #limits: RejectLimits
  readonly #ownLimits: (owner: Owner) => OwnLimits | undefined
  readonly #received: (owner: Owner) => number
  readonly #budgets = new Map<Owner, RejectBudget>()

  /** `ownLimits` gives an owner's own limits, `undefined` when it has none; `received`, how many of its records were received so far. */
  constructor(
    limits: RejectLimits,
    ownLimits: (owner: Owner) => OwnLimits | undefined,
    received: (owner: Owner) => number,
  ) {
    this.#limits = limits
    this.#ownLimits = ownLimits
    this.#received = received
  }

  /** Counts a record that is to be kept.
   *  @param table the name of the owner if it is a table
   *  @returns the limit because of which the record must not be kept: once exceeded, the same object for each record of this owner */
  take(owner: Owner, table?: string): Exceeded | undefined {
    let budget = this.#budgets.get(owner)
    if (!budget) this.#budgets.set(owner, (budget = new RejectBudget(this.#limitsOf(owner), table)))
    return budget.take(this.#received(owner))
  }

  #limitsOf(owner: Owner): RejectLimits {
    const { maxRejected, maxRejectedShare } = this.#ownLimits(owner) ?? this.#limits
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
  /** How many were rejected by the time that n × STEP were received, at the index n modulo the length; and the last n so far. */
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

  /** Notes the count of rejected records for each step that was reached since the last call: none was rejected in between. */
  #mark(step: number): void {
    for (let at = Math.max(this.#step + 1, step - STEPS); at <= step; at++)
      this.#marks[at % this.#marks.length] = this.#rejected
    this.#step = Math.max(this.#step, step)
  }

  #judged(received: number): Exceeded | undefined {
    const { maxRejected = Infinity, maxRejectedShare: share } = this.#limits
    const rejected = this.#rejected
    const exceeded = { rejected, received, table: this.#table }
    if (rejected > maxRejected) return { option: 'max_rejected', limit: maxRejected, ...exceeded }
    if (share >= 1 || received < WINDOW) return undefined
    const windowStep = this.#step - STEPS
    const receivedInWindow = received - windowStep * STEP
    const rejectedInWindow = rejected - this.#marks[windowStep % this.#marks.length]!
    // the share of all records must be too high as well, because a wave of refusals late in a long run is no wrong setup
    const isOver = rejectedInWindow > share * receivedInWindow && rejected > share * received
    return isOver ? { option: 'max_rejected_share', limit: share, ...exceeded } : undefined
  }
}
