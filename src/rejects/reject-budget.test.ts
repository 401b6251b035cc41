import { array, assert, boolean, constantFrom, integer, option, property, record, tuple } from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { RejectBudgets, type Exceeded, type RejectLimits } from './reject-budget.ts'

const LIMITS: RejectLimits = { maxRejected: undefined, maxRejectedShare: 0.5 }

/** A stream: so many records come, and of each it is said whether it is rejected at once. */
class Stream {
  kept = 0
  received = 0
  exceeded: Exceeded | undefined
  readonly #budgets: RejectBudgets<Stream>

  constructor(limits: Partial<RejectLimits> = {}) {
    this.#budgets = new RejectBudgets(
      { ...LIMITS, ...limits },
      () => undefined,
      () => this.received,
    )
  }

  read(records: number, isRejected: (index: number) => boolean): this {
    for (let index = 0; index < records; index++) {
      this.received++
      if (isRejected(index)) this.reject()
    }
    return this
  }

  reject(): Exceeded | undefined {
    const exceeded = this.#budgets.take(this)
    if (exceeded === undefined) this.kept++
    return (this.exceeded ??= exceeded)
  }
}

const all = (): boolean => true
const none = (): boolean => false

describe('the share', () => {
  it('is looked at from 10,000 received records on, and then of all that were rejected before', () => {
    expect(new Stream().read(9_999, all)).toMatchObject({ kept: 9_999, exceeded: undefined })
    const { kept, exceeded } = new Stream().read(1_000_000, all)
    expect(kept).toBe(9_999)
    expect(exceeded).toEqual({ option: 'max_rejected_share', limit: 0.5, rejected: 10_000, received: 10_000 })
  })

  it('may be reached, but not exceeded', () => {
    expect(new Stream().read(100_000, (index) => index % 2 === 1)).toMatchObject({ kept: 50_000, exceeded: undefined })
    expect(new Stream().read(100_000, (index) => index % 100 < 51).exceeded).toMatchObject({ received: 10_001 })
  })

  it('ends nothing for a wave of refusals late in a long run, but for one that goes on', () => {
    const long = new Stream().read(50_000, none).read(49_000, all)
    expect([long.exceeded, long.kept]).toEqual([undefined, 49_000])
    expect(long.read(2_000, all).exceeded).toMatchObject({ rejected: 50_001, received: 100_001 })
  })

  it('ends nothing for a bad beginning, once the last records are good', () => {
    const half = new Stream().read(9_999, all).read(10_000, none)
    expect(half.reject()).toBeUndefined()
    const bad = new Stream().read(9_999, all).read(5_000, none)
    expect(bad.reject()).toMatchObject({ option: 'max_rejected_share', rejected: 10_000, received: 14_999 })
  })

  it('of 1 is none, however many are rejected after they were received', () => {
    const stream = new Stream({ maxRejectedShare: 1 }).read(50_000, all)
    for (let index = 0; index < 50_000; index++) stream.reject()
    expect(stream).toMatchObject({ kept: 100_000, exceeded: undefined })
  })

  it('of 0 lets the first 10,000 records be rejected, and none of the 10,000 before it', () => {
    const stream = new Stream({ maxRejectedShare: 0 }).read(9_999, all)
    expect([stream.kept, stream.exceeded]).toEqual([9_999, undefined])
    expect(new Stream({ maxRejectedShare: 0 }).read(10_000, none).reject()).toMatchObject({ rejected: 1 })
  })
})

test('of max_rejected one more is exceeding, from the first record on; nothing of the stream is kept then', () => {
  const { kept, exceeded } = new Stream({ maxRejected: 3 }).read(10, all)
  expect([kept, exceeded]).toEqual([3, { option: 'max_rejected', limit: 3, rejected: 4, received: 4 }])
  expect(new Stream({ maxRejected: 0 }).read(1, all).exceeded).toMatchObject({ rejected: 1 })
})

test('each stream has counts of its own, and may have limits of its own, in place of each of all', () => {
  const own = new Map([
    ['b', { maxRejected: 2, maxRejectedShare: undefined }],
    ['c', { maxRejected: undefined, maxRejectedShare: 0 }],
  ])
  const budgets = new RejectBudgets<string>(
    { maxRejected: 1, maxRejectedShare: 1 },
    (name) => own.get(name),
    (name) => (name === 'd' ? 9_999 : 10_000),
  )
  const taken = ['a', 'a', 'b', 'b', 'b', 'c', 'd'].map((name) => budgets.take(name)?.limit)
  expect(taken).toEqual([undefined, 1, undefined, undefined, 2, 0, undefined])
})

test('the rule is the one of its words, whenever records are rejected', () => {
  const step = tuple(integer({ min: 0, max: 12_500 }), integer({ min: 0, max: 6_000 }), boolean())
  const limits = record({
    maxRejected: option(integer({ min: 0, max: 40_000 }), { nil: undefined }),
    maxRejectedShare: constantFrom(0, 0.1, 0.5, 0.9, 1),
  })
  assert(
    property(limits, array(step, { maxLength: 12 }), (limits, steps) => {
      const budgets = new RejectBudgets<string>(
        limits,
        () => undefined,
        () => received,
      )
      /** What had been received at each reject. */
      const at: number[] = []
      let [received, isOver] = [0, false]
      for (const [good, bad, isLate] of steps) {
        received += good
        for (let index = 0; index < bad; index++) {
          // others were received long before they are refused
          if (!isLate) received++
          at.push(received)
          isOver ||= expected(limits, at, received)
          if ((budgets.take('') !== undefined) !== isOver) return false
        }
      }
      return true
    }),
    { numRuns: 50 },
  )
})

function expected({ maxRejected, maxRejectedShare: share }: RejectLimits, at: readonly number[], now: number): boolean {
  if (maxRejected !== undefined && at.length > maxRejected) return true
  if (share === 1 || now < 10_000 || at.length <= share * now) return false
  const since = Math.floor((now - 10_000) / 1000) * 1000
  // `at` ascends
  let first = at.length
  while (first > 0 && at[first - 1]! >= since) first--
  const late = since === 0 ? at.length : at.length - first
  return late > share * (now - since)
}
