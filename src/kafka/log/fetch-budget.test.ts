import { expect, test } from 'vitest'
import { FetchBudget, LARGE } from './fetch-budget.ts'

const MIB = 1024 * 1024

test('it is full when much is held, until it is less again, and says so each time', () => {
  const budget = new FetchBudget()
  const told: boolean[] = []
  const watch = budget.watch(() => told.push(budget.isFull))
  const reads = Array.from({ length: 8 }, () => budget.holdAnswer(8 * MIB))
  expect([budget.isFull, budget.held]).toEqual([false, 64 * MIB])
  for (const hold of reads) {
    hold.release()
    hold.release()
    budget.addBatch(8 * MIB)
  }
  expect([budget.isFull, budget.held]).toEqual([true, 64 * MIB])
  budget.dropBatch(8 * MIB)
  budget.dropBatch(8 * MIB)
  expect(budget.isFull).toBe(true)
  for (let left = 6; left > 0; left--) budget.dropBatch(8 * MIB)
  expect([budget.isFull, budget.held, told]).toEqual([false, 0, [true, false]])
  watch[Symbol.dispose]()
  budget.add(100 * MIB)
  expect(told).toHaveLength(2)
})

test('brokers are asked for what there is room for together, each for something', () => {
  const budget = new FetchBudget()
  const asked = Array.from({ length: 8 }, () => budget.takeRoom(10 * MIB))
  expect(asked.map(({ bytes }) => bytes / MIB)).toEqual([10, 10, 10, 10, 10, 10, 4, 1])
  asked[0]!.release()
  asked[0]!.release()
  expect(budget.takeRoom(10 * MIB).bytes).toBe(9 * MIB)
  expect(budget.takeRoom(1000).bytes).toBe(1000)
})

test('one large answer is read at a time', () => {
  const budget = new FetchBudget()
  expect(budget.admits(100 * MIB)).toBe(true)
  const large = budget.holdAnswer(100 * MIB)
  expect([budget.admits(LARGE + 1), budget.admits(LARGE)]).toEqual([false, true])
  budget.addBatch(100 * MIB)
  large.release()
  expect(budget.admits(100 * MIB)).toBe(false)
  budget.dropBatch(100 * MIB)
  expect(budget.admits(100 * MIB)).toBe(true)
})
