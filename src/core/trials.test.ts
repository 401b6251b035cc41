import { expect, test } from 'vitest'
import { Batch } from './batch.ts'
import { bodyOf, cut, numbersOf } from './test-bodies.ts'
import { Trials } from './trials.ts'

const table = { name: 'orders', keepLast: true }
const other = { name: 'clients', keepLast: true }
const upTo = (count: number, from = 0): number[] => Array.from({ length: count }, (_, index) => from + index)

function batchOf(numbers: readonly number[], to = table): Batch<number> {
  const body = bodyOf(numbers, to)
  return new Batch(body, body.finish(), 0)
}

/** Answers whatever is to be sent, until nothing is; `bad`: what is refused.
 *  @returns requests, what came out as rejected, whether the table was found refused */
function play(trials: Trials<number>, bad: (number: number) => boolean) {
  const played = { requests: 0, most: 0, rejected: [] as number[], table: false }
  const underWay: Batch<number>[] = []
  while (!played.table) {
    for (let batch = trials.next(5); batch; batch = trials.next(5)) underWay.push(batch)
    played.most = Math.max(played.most, underWay.length)
    const batch = underWay.shift()
    if (!batch) break
    played.requests++
    if (numbersOf(batch.body).some(bad)) played.table = trials.refused(batch, 'no') === 'table'
    else trials.delivered(batch)
    for (let it = trials.nextRefused(); it; it = trials.nextRefused())
      played.rejected.push(it.batch.body.points[0]!.origin)
  }
  return played
}

test('a table that refuses everything is known after three points, within 17 requests', () => {
  for (let points = 3; points <= 100; points++) {
    const trials = new Trials<number>(cut)
    trials.refused(batchOf(upTo(points)), 'no')
    // three more requests were in flight, and more is due
    for (const from of [100, 200, 300]) trials.refused(batchOf(upTo(points, from)), 'no')
    trials.wait(bodyOf(upTo(points, 400), table))
    const { requests, table: isTable, rejected, most } = play(trials, () => true)
    expect([isTable, rejected]).toEqual([true, []])
    expect(requests).toBeLessThanOrEqual(17)
    expect(most).toBeLessThanOrEqual(2)
  }
})

test('a table of which a point was accepted is never the one refused, nor suspected', () => {
  const trials = new Trials<number>(cut)
  trials.delivered(batchOf([1]))
  expect(trials.refused(batchOf(upTo(100)), 'no')).toBe('points')
  expect(trials.isSuspect(table)).toBe(false)
  const { table: isTable, rejected } = play(trials, () => true)
  expect([isTable, rejected.length]).toEqual([false, 100])
  expect(trials.isIdle).toBe(true)
})

test('one or two points refused alone are the points, once nothing else of the table is left to try', () => {
  const trials = new Trials<number>(cut)
  trials.refused(batchOf([1, 2]), 'no')
  trials.wait(bodyOf([3], table))
  expect(trials.isSuspect(other)).toBe(false)
  const { table: isTable, rejected } = play(trials, (number) => number < 3)
  expect([isTable, rejected]).toEqual([false, [1, 2]])
  expect(trials.isIdle).toBe(true)
})

test('what waited for a suspect table goes on as soon as a point of it is accepted', () => {
  const trials = new Trials<number>(cut)
  trials.refused(batchOf(upTo(8)), 'no')
  trials.refused(batchOf(upTo(8, 8)), 'no')
  trials.wait(bodyOf(upTo(8, 16), table))
  expect(trials.isSuspect(table)).toBe(true)
  const { rejected, requests } = play(trials, (number) => number % 8 === 7)
  expect(rejected.toSorted((a, b) => a - b)).toEqual([7, 15, 23])
  expect(requests).toBeLessThanOrEqual(3 * 7)
  expect(trials.isSuspect(table)).toBe(false)
})

test('versions of one row are one point', () => {
  const trials = new Trials<number>(cut)
  const answers = [1, 1, 1, 2].map((number) => trials.refused(batchOf([number]), 'no'))
  expect(answers).toEqual(['points', 'points', 'points', 'points'])
  expect(trials.refused(batchOf([3]), 'no')).toBe('table')
})

test('a part that is too large is halved inside the trial, alone it leaves it', () => {
  const trials = new Trials<number>(cut)
  trials.refused(batchOf(upTo(4)), 'no')
  const half = trials.next(5)!
  expect(trials.tooLarge(half)).toBe(true)
  expect(trials.tooLarge(batchOf([9, 10]))).toBe(false)
  const played = play(trials, (number) => number === 3)
  expect(played.rejected).toEqual([3])
})
