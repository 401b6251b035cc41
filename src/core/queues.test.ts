import * as fc from 'fast-check'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { Fifo, NO_PLACE, OldestFirst, Timed } from './queues.ts'

test('first in, first out, whatever is taken out of the middle', () => {
  const step = fc.oneof(fc.constant('push' as const), fc.constant('shift' as const), fc.nat())
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const fifo = new Fifo<number>()
      const naive: number[] = []
      for (const [item, step] of steps.entries()) {
        if (step === 'push') {
          fifo.push(item)
          naive.push(item)
        } else if (step === 'shift') expect(fifo.shift()).toBe(naive.shift())
        else {
          const item = naive[step % (naive.length + 1)] ?? -1
          fifo.remove(item)
          if (naive.includes(item)) naive.splice(naive.indexOf(item), 1)
        }
        expect([fifo.length, fifo.peek()]).toEqual([naive.length, naive[0]])
        expect(fifo.all).toEqual(naive)
      }
    }),
  )
})

test('a long queue that never runs empty stays in order', () => {
  const fifo = new Fifo<number>()
  for (let item = 0; item < 10_000; item++) {
    fifo.push(item)
    if (item >= 10) expect(fifo.shift()).toBe(item - 10)
  }
  expect(fifo.length).toBe(10)
})

test('what was taken is not held, although the queue never runs empty', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  const fifo = new Fifo<object>()
  const put = (): WeakRef<object> => {
    const item = {}
    fifo.push(item)
    return new WeakRef(item)
  }
  const [taken, waiting] = [put(), put()]
  fifo.shift()
  // a weak reference holds until the job that made it has ended
  await new Promise(setImmediate)
  collectGarbage()
  expect([taken.deref(), waiting.deref()]).toEqual([undefined, fifo.peek()])
})

test('the earliest first; of equal times the one put first', () => {
  const step = fc.option(fc.integer({ min: 0, max: 9 }), { nil: 'take' as const })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const timed = new Timed<number>()
      const naive: { at: number; item: number }[] = []
      for (const [item, at] of steps.entries()) {
        if (at === 'take') expect(timed.take()).toBe(naive.shift()?.item)
        else {
          timed.put(at, item)
          naive.push({ at, item })
          naive.sort((a, b) => a.at - b.at || a.item - b.item)
        }
        expect([timed.size, timed.nextAt]).toEqual([naive.length, naive[0]?.at ?? Infinity])
        expect(timed.lastAt).toBe(naive.at(-1)?.at ?? -Infinity)
      }
      expect([...timed].sort((a, b) => a - b)).toEqual(naive.map(({ item }) => item).sort((a, b) => a - b))
      timed.filter(() => false)
      expect([timed.size, timed.take()]).toEqual([0, undefined])
    }),
  )
})

/** Counts how often its age is looked at. */
class Counted {
  static looks = 0
  place = NO_PLACE
  readonly order: number
  #age: number

  constructor(order: number, age: number) {
    this.order = order
    this.#age = age
  }

  get age(): number {
    Counted.looks++
    return this.#age
  }

  set age(age: number) {
    this.#age = age
  }
}

test('the oldest is first, and of one age the lower order, whoever comes, ages and goes', () => {
  const age = fc.oneof(fc.integer({ min: 0, max: 9 }), fc.constant(-Infinity))
  const step = fc.record({ what: fc.constantFrom('put', 'put', 'age', 'remove'), which: fc.nat(), age })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const queue = new OldestFirst<Counted>()
      const naive: Counted[] = []
      for (const [order, { what, which, age }] of steps.entries()) {
        const some = naive[which % Math.max(1, naive.length)]
        if (what === 'put') {
          naive.push(new Counted(order, age))
          queue.put(naive.at(-1)!)
        } else if (some && what === 'age') {
          some.age = Math.min(some.age, age)
          queue.put(some)
        } else if (some) {
          queue.remove(some)
          naive.splice(naive.indexOf(some), 1)
          expect(some.place).toBe(NO_PLACE)
        }
        expect(queue.first).toBe(naive.toSorted((a, b) => (a.age === b.age ? a.order - b.order : a.age - b.age))[0])
        expect(new Set(queue.all)).toEqual(new Set(naive))
      }
    }),
  )
})

test('of many thousand, a few are looked at', () => {
  const queue = new OldestFirst<Counted>()
  const many = 2 ** 15
  for (let order = 0; order < many; order++) queue.put(new Counted(order, (order * 7919) % many))
  Counted.looks = 0
  for (let order = 0; order < 100; order++) {
    queue.remove(queue.first!)
    queue.put(new Counted(many + order, order))
  }
  expect(Counted.looks / 200).toBeLessThan(200)
})
