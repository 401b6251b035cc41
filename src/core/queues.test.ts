import * as fc from 'fast-check'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { Fifo, Timed } from './queues.ts'

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
        expect(fifo.filter((item) => item % 2 === 0)).toEqual(naive.filter((item) => item % 2 === 0))
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
      timed.clear()
      expect([timed.size, timed.take()]).toEqual([0, undefined])
    }),
  )
})
