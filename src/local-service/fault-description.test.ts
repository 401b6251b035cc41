import { expect, it } from 'vitest'
import { faultFaults } from './fault-description.ts'

it('takes the faults of the reference', () => {
  const faults = [
    { table: 'orders', next: 3, answer: { status: 429, headers: {}, body: '' } },
    { delay_ms: 30 },
    { reset: 'before' },
    { reset: 'after', delay_ms: 0, every: 5 },
    { answer: { status: 200, headers: { 'Retry-After': 1, 'X-Many': ['a', 'b'] }, body: { odd: [] } } },
  ]
  for (const fault of faults) expect(faultFaults(fault)).toEqual([])
})

it('finds what cannot be sent', () => {
  const wrong: [unknown, RegExp][] = [
    [{ status: 100 }, /^answer.status/],
    [{ status: 200.5 }, /^answer.status/],
    [{ status: 500, headers: [] }, /^answer.headers/],
    [{ status: 500, headers: { '': 'x' } }, /""/],
    [{ status: 500, headers: { a: 'x\r\nb: c' } }, /"a"/],
    [{ status: 500, headers: { a: [1, null] } }, /"a"/],
    [{ status: 500, body: null }, /^answer.body/],
  ]
  for (const [answer, reason] of wrong) {
    expect(faultFaults({ answer })).toEqual([expect.stringMatching(reason)])
  }
})

it('finds waits that no timer can do', () => {
  for (const delay_ms of [-1, 2 ** 31, Infinity, Number.NaN, '5']) {
    expect(faultFaults({ delay_ms })).toHaveLength(1)
  }
})
