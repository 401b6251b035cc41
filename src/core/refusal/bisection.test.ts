import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { bodyOf, cut, numbersOf } from '../testing/bodies.ts'
import { Bisection, type Part } from './bisection.ts'

const table = { name: 'orders', keepLast: true }
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index)

interface Bisected {
  readonly requests: number
  readonly refused: number[]
  readonly delivered: number[]
  readonly most: number
}

/** Bisects a refused body; `pick` chooses which answer comes back next, of those under way. */
function bisect(points: number, bad: ReadonlySet<number>, pick: (of: number) => number = () => 0): Bisected {
  const bisection = new Bisection<number>(cut)
  bisection.halve(bodyOf(upTo(points), table), undefined, 'refused')
  const underWay: Part<number>[] = []
  const bisected = { requests: 0, refused: [] as number[], delivered: [] as number[], most: 0 }
  for (;;) {
    for (let part = bisection.next(); part; part = bisection.next()) {
      underWay.push(part)
      bisected.requests++
    }
    bisected.most = Math.max(bisected.most, underWay.length)
    const [part] = underWay.splice(pick(underWay.length), 1)
    if (!part) break
    const numbers = numbersOf(part.body)
    if (numbers.some((number) => bad.has(number))) {
      bisection.refused(part, undefined)
      if (numbers.length === 1) bisected.refused.push(...numbers)
    } else {
      bisection.delivered(part)
      bisected.delivered.push(...numbers)
    }
  }
  expect(bisection.isOver).toBe(true)
  return bisected
}

/** What halving takes, one after another and without inference (delivery sheet), beside the request that was refused. */
const ORDINARY: Record<number, number> = { 1: 14, 2: 24, 5: 46, 10: 74 }

test('whatever is bad: exactly that is refused, the rest delivered, each once, two at a time', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 100 }),
      fc.array(fc.nat(99), { minLength: 1, maxLength: 100 }),
      fc.infiniteStream(fc.nat(1)),
      (points, places, picks) => {
        const bad = new Set(places.map((place) => place % points))
        const bisected = bisect(points, bad, (of) => Math.min(picks.next().value ?? 0, Math.max(0, of - 1)))
        const byNumber = (a: number, b: number): number => a - b
        expect(bisected.refused.toSorted(byNumber)).toEqual([...bad].toSorted(byNumber))
        expect(bisected.delivered.toSorted(byNumber)).toEqual(upTo(points).filter((number) => !bad.has(number)))
        expect(bisected.most).toBeLessThanOrEqual(2)
      },
    ),
  )
})

test.each([1, 2, 5, 10])('%i bad ones of 100 take no more requests than halving does, on average', (count) => {
  const random = fc.sample(fc.uniqueArray(fc.nat(99), { minLength: count, maxLength: count }), {
    numRuns: 300,
    seed: count,
  })
  const requests = random.map((bad) => bisect(100, new Set(bad)).requests)
  expect(requests.reduce((sum, one) => sum + one) / requests.length).toBeLessThanOrEqual(ORDINARY[count]!)
})

test.each([
  ['1 anywhere', 1, 14],
  ['5 in a row', 5, 30],
  ['8 in a row', 8, 40],
])('%s: no more than %i … %i requests', (_, count, most) => {
  for (let first = 0; first + count <= 100; first++) {
    const bad = new Set(upTo(count).map((index) => first + index))
    expect(bisect(100, bad).requests).toBeLessThanOrEqual(most)
  }
})

test('when most are bad they go one by one: hardly more requests than points', () => {
  expect(bisect(100, new Set(upTo(100))).requests).toBeLessThanOrEqual(120)
  expect(bisect(100, new Set(upTo(100).filter((n) => n % 2 === 0))).requests).toBeLessThanOrEqual(150)
})

test('when many are bad at first, good ones behind them bring halving back', () => {
  for (const count of [14, 15, 16, 17, 18, 19])
    expect(bisect(100, new Set([...upTo(count), 99])).requests).toBeLessThanOrEqual(55)
})

test('what was too large is halved, and its halves are tried', () => {
  const bisection = new Bisection<number>(cut)
  bisection.begin(bodyOf([1, 2], table))
  const whole = bisection.next()!
  bisection.tooLarge(whole, 90)
  const parts = [bisection.next()!, bisection.next()!]
  expect(parts.map(({ body, ambiguousAt }) => [numbersOf(body), ambiguousAt])).toEqual([
    [[1], 90],
    [[2], 90],
  ])
  bisection.tooLarge(parts[0]!, undefined)
  bisection.delivered(parts[1]!)
  expect(bisection.isOver).toBe(true)
})

test('depth first also when the first half is answered long before the second', () => {
  const bisection = new Bisection<number>(cut)
  bisection.halve(bodyOf(upTo(100), table), undefined, 'refused')
  const sizes: number[] = []
  let [part, late] = [bisection.next()!, bisection.next()!]
  for (let alone = 0; alone < 2;) {
    sizes.push(part.body.points.length)
    if (part.body.points.length === 1) alone++
    bisection.refused(part, undefined)
    part = bisection.next()!
  }
  bisection.refused(late, undefined)
  late = bisection.next()!
  expect(sizes).toEqual([50, 25, 12, 6, 3, 1, 2, 1])
  expect([part.body.points.length, late.body.points.length]).toEqual([1, 3])
})
