import { expect, test } from 'vitest'
import { FetchBudget, LARGE } from './fetch-budget.ts'

const MIB = 1024 * 1024

test('it is full when much is held, until it is less again, and says so each time', () => {
  const budget = new FetchBudget()
  const told: boolean[] = []
  const watch = budget.watch(() => told.push(budget.isFull))
  const holds = Array.from({ length: 8 }, () => budget.read(8 * MIB))
  expect([budget.isFull, budget.held]).toEqual([false, 64 * MIB])
  for (const hold of holds) hold.taken()
  expect([budget.isFull, budget.held]).toEqual([true, 64 * MIB])
  holds.pop()!.release()
  holds.pop()!.release()
  expect(budget.isFull).toBe(true)
  for (const hold of holds.splice(0)) {
    hold.release()
    hold.release()
  }
  expect([budget.isFull, budget.held, told]).toEqual([false, 0, [true, false]])
  watch[Symbol.dispose]()
  budget.add(100 * MIB)
  expect(told).toHaveLength(2)
})

test('brokers are asked for what there is room for together, each for something', () => {
  const budget = new FetchBudget()
  const asked = Array.from({ length: 8 }, () => budget.ask(10 * MIB))
  expect(asked.map(({ bytes }) => bytes / MIB)).toEqual([10, 10, 10, 10, 10, 10, 4, 1])
  asked[0]!.release()
  asked[0]!.release()
  expect(budget.ask(10 * MIB).bytes).toBe(9 * MIB)
  expect(budget.ask(1000).bytes).toBe(1000)
})

test('one large answer is read at a time', () => {
  const budget = new FetchBudget()
  expect(budget.admits(100 * MIB)).toBe(true)
  const large = budget.read(100 * MIB)
  expect([budget.admits(LARGE + 1), budget.admits(LARGE)]).toEqual([false, true])
  large.release()
  expect(budget.admits(100 * MIB)).toBe(true)
})
