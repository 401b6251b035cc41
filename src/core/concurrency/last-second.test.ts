import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { LastSecond } from './last-second.ts'

test('as many as there were in the second before the last, to a sixteenth', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 400 }), { minLength: 1 }), fc.nat({ max: 10_000 }), (gaps, from) => {
      const counter = new LastSecond()
      const times: number[] = []
      let now = from
      for (const gap of gaps) {
        times.push((now += gap))
        counter.add(now)
      }
      expect(counter.total).toBeGreaterThanOrEqual(times.filter((time) => time > now - 937).length)
      expect(counter.total).toBeLessThanOrEqual(times.filter((time) => time > now - 1000).length)
    }),
  )
})

test('its rate is unbiased, wherever in a slot it is looked at', () => {
  fc.assert(
    fc.property(fc.integer({ min: 20, max: 2000 }), fc.double({ min: 0, max: 1000, noNaN: true }), (rate, from) => {
      const counter = new LastSecond()
      for (let i = 0; i < 3 * rate; i++) counter.add(from + (i * 1000) / rate)
      // an event more or less
      expect(Math.abs(counter.perSecond - rate)).toBeLessThanOrEqual(1.2)
    }),
  )
})
