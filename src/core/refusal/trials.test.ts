import { expect, test } from 'vitest'
import { Batch } from '../batch.ts'
import type { Body } from '../body.ts'
import { bodyOf, cut, numbersOf } from '../testing/bodies.ts'
import { Trials } from './trials.ts'

const table = { name: 'orders', keepLast: true }
const other = { name: 'clients', keepLast: true }
const upTo = (count: number, from = 0): number[] => Array.from({ length: count }, (_, index) => from + index)

/** A body of points that are delivered in place of rejected records. */
function standInsOf(numbers: readonly number[]): Body<number> {
  const body = bodyOf(numbers, table)
  for (const point of body.points) point.isStandIn = true
  return body
}

/** A batch that is on its way. */
function sent(trials: Trials<number>, numbers: readonly number[], body = bodyOf(numbers, table)): Batch<number> {
  const batch = new Batch(body, body.finish(), 0)
  trials.sent(batch)
  return batch
}

/** Answers whatever is to be sent, until nothing is; `bad`: what is refused.
 *  @returns requests, what came out as rejected, whether the table was found refused */
function play(trials: Trials<number>, bad: (number: number) => boolean) {
  const played = { requests: 0, most: 0, rejected: [] as number[], table: false }
  const underWay: Batch<number>[] = []
  while (!played.table) {
    for (let batch = trials.next(5); batch; batch = trials.next(5)) {
      trials.sent(batch)
      underWay.push(batch)
    }
    played.most = Math.max(played.most, underWay.length)
    const batch = underWay.shift()
    if (!batch) break
    played.requests++
    if (numbersOf(batch.body).some(bad)) trials.refused(batch, 'no')
    else trials.delivered(batch)
    played.table = trials.refusedTable() !== undefined
    for (let it = trials.nextRefused(); it; it = trials.nextRefused())
      played.rejected.push(it.batch.body.points[0]!.origin)
  }
  return played
}

test('a table that refuses everything is known after three points, within 17 requests', () => {
  for (let points = 3; points <= 100; points++) {
    const trials = new Trials<number>(cut)
    trials.refused(sent(trials, upTo(points)), 'no')
    // three more requests were in flight, and more is due
    for (const from of [100, 200, 300]) trials.refused(sent(trials, upTo(points, from)), 'no')
    trials.wait(bodyOf(upTo(points, 400), table))
    const { requests, table: isTable, rejected, most } = play(trials, () => true)
    expect([isTable, rejected]).toEqual([true, []])
    expect(requests).toBeLessThanOrEqual(17)
    expect(most).toBeLessThanOrEqual(2)
  }
})

test('a table of which a point was accepted is never the one refused, nor suspected', () => {
  const trials = new Trials<number>(cut)
  trials.delivered(sent(trials, [1]))
  trials.refused(sent(trials, upTo(100)), 'no')
  expect(trials.isSuspect(table)).toBe(false)
  const { table: isTable, rejected } = play(trials, () => true)
  expect([isTable, rejected.length]).toEqual([false, 100])
  expect(trials.isIdle).toBe(true)
})

test('one or two points refused alone are the points, once nothing else of the table is left to try', () => {
  const trials = new Trials<number>(cut)
  trials.refused(sent(trials, [1, 2]), 'no')
  trials.wait(bodyOf([3], table))
  expect(trials.isSuspect(other)).toBe(false)
  const { table: isTable, rejected } = play(trials, (number) => number < 3)
  expect([isTable, rejected]).toEqual([false, [1, 2]])
  expect(trials.isIdle).toBe(true)
})

test('what waited for a suspect table goes on as soon as a point of it is accepted', () => {
  const trials = new Trials<number>(cut)
  trials.refused(sent(trials, upTo(8)), 'no')
  trials.refused(sent(trials, upTo(8, 8)), 'no')
  trials.wait(bodyOf(upTo(8, 16), table))
  expect(trials.isSuspect(table)).toBe(true)
  const { rejected, requests } = play(trials, (number) => number % 8 === 7)
  expect(rejected.toSorted((a, b) => a - b)).toEqual([7, 15, 23])
  expect(requests).toBeLessThanOrEqual(3 * 7)
  expect(trials.isSuspect(table)).toBe(false)
})

test('no verdict while something of the table is under way, which may be accepted yet', () => {
  const trials = new Trials<number>(cut)
  const slow = sent(trials, upTo(100, 100))
  const late = sent(trials, upTo(100, 200))
  trials.refused(sent(trials, upTo(100)), 'no')
  const { requests, table: isTable } = play(trials, () => true)
  expect([isTable, requests <= 17]).toEqual([false, true])
  trials.refused(late, 'no')
  expect([trials.refusedTable(), trials.next(5)]).toEqual([undefined, undefined])
  trials.delivered(slow)
  const { rejected } = play(trials, (number) => number < 50)
  // with what was refused before anybody knew better
  expect(rejected.toSorted((a, b) => a - b).slice(0, 50)).toEqual(upTo(50))
  expect(rejected.length).toBeLessThanOrEqual(50 + 3)
})

test('versions of one row are one point', () => {
  const trials = new Trials<number>(cut)
  const answers = [1, 1, 1, 2, 3].map((number) => {
    trials.refused(sent(trials, [number]), 'no')
    return trials.refusedTable()?.reason
  })
  expect(answers).toEqual([undefined, undefined, undefined, undefined, 'no'])
})

test('a part that is too large is halved inside the trial, alone it leaves it', () => {
  const trials = new Trials<number>(cut)
  expect(trials.tooLarge(sent(trials, [9, 10]))).toBe(false)
  trials.refused(sent(trials, upTo(4)), 'no')
  const half = trials.next(5)!
  expect(trials.tooLarge(half)).toBe(true)
  expect(trials.tooLarge(sent(trials, [9]))).toBe(false)
  const played = play(trials, (number) => number === 3)
  expect(played.rejected).toEqual([3])
})

test('what of a suspect table is too large is halved in the trial of the table, though sent before it was suspect', () => {
  const trials = new Trials<number>(cut)
  const large = [0, 8, 16].map((from) => sent(trials, upTo(8, from)))
  trials.refused(sent(trials, [30, 31]), 'no')
  expect(large.map((batch) => trials.tooLarge(batch))).toEqual([true, true, true])
  expect(trials.tooLarge(sent(trials, [32]))).toBe(false)
  const { most, requests, table: isTable } = play(trials, () => true)
  expect(isTable).toBe(true)
  expect(most).toBeLessThanOrEqual(2)
  expect(requests).toBeLessThanOrEqual(17)
})

test('a table of rejects is tried two requests at a time too, and its first point refused alone is told at once', () => {
  const trials = new Trials<number>(cut)
  const bodies = [0, 8, 16].map((from) => sent(trials, [], standInsOf(upTo(8, from))))
  for (const batch of bodies) trials.refused(batch, 'no')
  expect(trials.isSuspect(table)).toBe(true)
  trials.wait(standInsOf(upTo(8, 24)))
  const told: Batch<number>[] = []
  for (let requests = 0; told.length === 0; requests++) {
    const underWay: Batch<number>[] = []
    for (let part = trials.next(5); part; part = trials.next(5)) underWay.push(part)
    expect(underWay.length).toBeLessThanOrEqual(2)
    for (const batch of underWay) trials.sent(batch)
    for (const batch of underWay) trials.refused(batch, 'no')
    for (let it = trials.nextRefused(); it; it = trials.nextRefused()) told.push(it.batch)
    expect(requests).toBeLessThan(17)
  }
  expect(told[0]!.body.points).toHaveLength(1)
  expect(trials.refusedTable()).toBeUndefined()
})

test('a table of rejects that took something is not suspected', () => {
  const trials = new Trials<number>(cut)
  trials.refused(sent(trials, [], standInsOf(upTo(4))), 'no')
  trials.wait(standInsOf(upTo(4, 4)))
  const first = trials.next(5)!
  trials.sent(first)
  trials.delivered(first)
  expect(trials.isSuspect(table)).toBe(false)
  const { rejected, table: isTable } = play(trials, (number) => number === 3)
  expect([rejected, isTable]).toEqual([[3], false])
})
