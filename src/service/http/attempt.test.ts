import * as fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { Attempt } from './attempt.ts'
import { InFlight } from './attempts-in-flight.ts'

interface Tried {
  readonly attempt: Attempt
  readonly broken: string[]
}

function tried(deadline: number, signal: AbortSignal, list: InFlight): Tried {
  const broken: string[] = []
  const attempt = new Attempt(deadline, signal, (exchange, ended) => {
    broken.push('why' in exchange ? exchange.why : '')
    list.delete(ended)
  })
  return { attempt, broken }
}

it('breaks off exactly those whose time is over or whose signal aborts', () => {
  vi.useFakeTimers()
  try {
    const step = fc.oneof(
      fc.record({ add: fc.boolean() }),
      fc.record({ end: fc.nat(20) }),
      fc.record({ pass: fc.integer({ min: 1, max: 80 }) }),
      fc.record({ abort: fc.boolean() }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const started = Date.now()
        const now = (): number => Date.now() - started
        const list = new InFlight(now)
        const controllers = [new AbortController(), new AbortController()]
        let open: Tried[] = []
        for (const taken of steps) {
          if ('add' in taken) {
            const made = tried(now() + 100, controllers[taken.add ? 1 : 0]!.signal, list)
            if (made.attempt.signal.aborted) continue
            open.push(made)
            list.add(made.attempt)
          } else if ('end' in taken) {
            const [ended] = open.splice(taken.end, 1)
            if (ended) list.delete(ended.attempt)
          } else if ('pass' in taken) {
            vi.advanceTimersByTime(taken.pass)
            for (const each of open) expect(each.broken).toEqual(each.attempt.deadline <= now() ? ['timeout'] : [])
            open = open.filter((each) => each.broken.length === 0)
          } else {
            controllers[taken.abort ? 1 : 0]!.abort()
            for (const each of open) expect(each.broken).toEqual(each.attempt.signal.aborted ? ['aborted'] : [])
            open = open.filter((each) => each.broken.length === 0)
          }
        }
        list.stop()
      }),
      { numRuns: 500 },
    )
  } finally {
    vi.useRealTimers()
  }
})
