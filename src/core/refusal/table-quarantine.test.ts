import { expect, test } from 'vitest'
import { Batch } from '../batch.ts'
import type { Body } from '../body.ts'
import { bodyOf, cut, numbersOf } from '../testing/bodies.ts'
import { TableQuarantine } from './table-quarantine.ts'

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
function sent(
  quarantine: TableQuarantine<number>,
  numbers: readonly number[],
  body = bodyOf(numbers, table),
): Batch<number> {
  const batch = new Batch(body)
  quarantine.sent(batch)
  return batch
}

/** Answers whatever is to be sent, until nothing is; `bad`: what is refused.
 *  @returns requests, what came out as rejected, whether the table was found refused */
function play(quarantine: TableQuarantine<number>, bad: (number: number) => boolean) {
  const played = { requests: 0, most: 0, rejected: [] as number[], table: false }
  const underWay: Batch<number>[] = []
  while (!played.table) {
    for (let batch = quarantine.next(); batch; batch = quarantine.next()) {
      quarantine.sent(batch)
      underWay.push(batch)
    }
    played.most = Math.max(played.most, underWay.length)
    const batch = underWay.shift()
    if (!batch) break
    played.requests++
    if (numbersOf(batch.body).some(bad)) quarantine.refused(batch, 'no')
    else quarantine.delivered(batch)
    played.table = quarantine.refusedTable() !== undefined
    for (let it = quarantine.nextRefused(); it; it = quarantine.nextRefused())
      played.rejected.push(it.batch.body.points[0]!.origin)
  }
  return played
}

test('a table that refuses everything is known after three points, within 17 requests', () => {
  for (let points = 3; points <= 100; points++) {
    const quarantine = new TableQuarantine<number>(cut)
    quarantine.refused(sent(quarantine, upTo(points)), 'no')
    // three more requests were in flight, and more is due
    for (const from of [100, 200, 300]) quarantine.refused(sent(quarantine, upTo(points, from)), 'no')
    quarantine.wait(bodyOf(upTo(points, 400), table))
    const { requests, table: isTable, rejected, most } = play(quarantine, () => true)
    expect([isTable, rejected]).toEqual([true, []])
    expect(requests).toBeLessThanOrEqual(17)
    expect(most).toBeLessThanOrEqual(2)
  }
})

test('a table of which a point was accepted is never the one refused, nor quarantined', () => {
  const quarantine = new TableQuarantine<number>(cut)
  quarantine.delivered(sent(quarantine, [1]))
  quarantine.refused(sent(quarantine, upTo(100)), 'no')
  expect(quarantine.isQuarantined(table)).toBe(false)
  const { table: isTable, rejected } = play(quarantine, () => true)
  expect([isTable, rejected.length]).toEqual([false, 100])
  expect(quarantine.isIdle).toBe(true)
})

test('one or two points refused alone are the points, once nothing else of the table is left to try', () => {
  const quarantine = new TableQuarantine<number>(cut)
  quarantine.refused(sent(quarantine, [1, 2]), 'no')
  quarantine.wait(bodyOf([3], table))
  expect(quarantine.isQuarantined(other)).toBe(false)
  const { table: isTable, rejected } = play(quarantine, (number) => number < 3)
  expect([isTable, rejected]).toEqual([false, [1, 2]])
  expect(quarantine.isIdle).toBe(true)
})

test('what waited for a quarantined table goes on as soon as a point of it is accepted', () => {
  const quarantine = new TableQuarantine<number>(cut)
  quarantine.refused(sent(quarantine, upTo(8)), 'no')
  quarantine.refused(sent(quarantine, upTo(8, 8)), 'no')
  quarantine.wait(bodyOf(upTo(8, 16), table))
  expect(quarantine.isQuarantined(table)).toBe(true)
  const { rejected, requests } = play(quarantine, (number) => number % 8 === 7)
  expect(rejected.toSorted((a, b) => a - b)).toEqual([7, 15, 23])
  expect(requests).toBeLessThanOrEqual(3 * 7)
  expect(quarantine.isQuarantined(table)).toBe(false)
})

test('no verdict while something of the table is under way, which may be accepted yet', () => {
  const quarantine = new TableQuarantine<number>(cut)
  const slow = sent(quarantine, upTo(100, 100))
  const late = sent(quarantine, upTo(100, 200))
  quarantine.refused(sent(quarantine, upTo(100)), 'no')
  const { requests, table: isTable } = play(quarantine, () => true)
  expect([isTable, requests <= 17]).toEqual([false, true])
  quarantine.refused(late, 'no')
  expect([quarantine.refusedTable(), quarantine.next()]).toEqual([undefined, undefined])
  quarantine.delivered(slow)
  const { rejected } = play(quarantine, (number) => number < 50)
  // with what was refused before anybody knew better
  expect(rejected.toSorted((a, b) => a - b).slice(0, 50)).toEqual(upTo(50))
  expect(rejected.length).toBeLessThanOrEqual(50 + 3)
})

test('versions of one row are one point', () => {
  const quarantine = new TableQuarantine<number>(cut)
  const answers = [1, 1, 1, 2, 3].map((number) => {
    quarantine.refused(sent(quarantine, [number]), 'no')
    return quarantine.refusedTable()?.reason
  })
  expect(answers).toEqual([undefined, undefined, undefined, undefined, 'no'])
})

test('a part that is too large is halved within its bisection, alone it leaves it', () => {
  const quarantine = new TableQuarantine<number>(cut)
  expect(quarantine.tooLarge(sent(quarantine, [9, 10]))).toBe(false)
  quarantine.refused(sent(quarantine, upTo(4)), 'no')
  const half = quarantine.next()!
  expect(quarantine.tooLarge(half)).toBe(true)
  expect(quarantine.tooLarge(sent(quarantine, [9]))).toBe(false)
  const played = play(quarantine, (number) => number === 3)
  expect(played.rejected).toEqual([3])
})

test('what of a quarantined table is too large is halved in quarantine, though sent before it was quarantined', () => {
  const quarantine = new TableQuarantine<number>(cut)
  const large = [0, 8, 16].map((from) => sent(quarantine, upTo(8, from)))
  quarantine.refused(sent(quarantine, [30, 31]), 'no')
  expect(large.map((batch) => quarantine.tooLarge(batch))).toEqual([true, true, true])
  expect(quarantine.tooLarge(sent(quarantine, [32]))).toBe(false)
  const { most, requests, table: isTable } = play(quarantine, () => true)
  expect(isTable).toBe(true)
  expect(most).toBeLessThanOrEqual(2)
  expect(requests).toBeLessThanOrEqual(17)
})

test('a table of rejects is tried two requests at a time too, and its first point refused alone is rejected at once', () => {
  const quarantine = new TableQuarantine<number>(cut)
  const bodies = [0, 8, 16].map((from) => sent(quarantine, [], standInsOf(upTo(8, from))))
  for (const batch of bodies) quarantine.refused(batch, 'no')
  expect(quarantine.isQuarantined(table)).toBe(true)
  quarantine.wait(standInsOf(upTo(8, 24)))
  const refused: Batch<number>[] = []
  for (let requests = 0; refused.length === 0; requests++) {
    const underWay: Batch<number>[] = []
    for (let part = quarantine.next(); part; part = quarantine.next()) underWay.push(part)
    expect(underWay.length).toBeLessThanOrEqual(2)
    for (const batch of underWay) quarantine.sent(batch)
    for (const batch of underWay) quarantine.refused(batch, 'no')
    for (let it = quarantine.nextRefused(); it; it = quarantine.nextRefused()) refused.push(it.batch)
    expect(requests).toBeLessThan(17)
  }
  expect(refused[0]!.body.points).toHaveLength(1)
  expect(quarantine.refusedTable()).toBeUndefined()
})

test('a table of rejects that took something is not quarantined', () => {
  const quarantine = new TableQuarantine<number>(cut)
  quarantine.refused(sent(quarantine, [], standInsOf(upTo(4))), 'no')
  quarantine.wait(standInsOf(upTo(4, 4)))
  const first = quarantine.next()!
  quarantine.sent(first)
  quarantine.delivered(first)
  expect(quarantine.isQuarantined(table)).toBe(false)
  const { rejected, table: isTable } = play(quarantine, (number) => number === 3)
  expect([rejected, isTable]).toEqual([[3], false])
})
