import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { Ledger } from './ledger.ts'
import type { Segment } from './segment.ts'
import type { Track } from './types.ts'

const TRACKS: readonly Track[] = [{ name: 'a' }, { name: 'b' }, { name: 'c' }]

interface Received {
  readonly track: Track
  readonly segment: Segment
  how: 'written' | 'rejected' | undefined
  counted: boolean
}

interface Given {
  readonly id: number
  readonly scope: Track | 'all'
  readonly before: readonly Received[]
}

/** The rules of assumptions 29 and 30, a record at a time. */
class Naive {
  readonly records: Received[] = []
  waiting: Given[] = []

  checkpoint(id: number, scope: Track | 'all'): void {
    this.waiting.push({ id, scope, before: this.records.filter(({ track }) => scope === 'all' || track === scope) })
  }

  /** Due ones by scope, in order, with their counts. */
  take(): string[] {
    const due: string[] = []
    const behind = new Set<Track | 'all'>()
    for (const given of this.waiting) {
      const { scope, before } = given
      const blocked = behind.has('all') || behind.has(scope) || (scope === 'all' && behind.size > 0)
      if (blocked || before.some(({ how }) => !how)) {
        behind.add(scope)
        continue
      }
      due.push(this.#count(given))
      this.waiting = this.waiting.filter((other) => other !== given)
    }
    return due
  }

  /** What no checkpoint before it in arrival order covers. */
  #count({ id, scope, before }: Given): string {
    const own = before.filter((record) => !record.counted && !this.#coveredEarlier(id, record))
    for (const record of own) record.counted = true
    const written = own.filter(({ how }) => how === 'written').length
    return `${id} ${scope === 'all' ? 'all' : scope.name} ${written}+${own.length - written}`
  }

  #coveredEarlier(id: number, record: Received): boolean {
    return this.waiting.some((other) => other.id < id && other.before.includes(record))
  }
}

const action = fc.oneof(
  { weight: 8, arbitrary: fc.record({ what: fc.constant('receive' as const), track: fc.nat(2) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      what: fc.constant('settle' as const),
      which: fc.nat(),
      how: fc.constantFrom('written' as const, 'rejected' as const),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constant('checkpoint' as const),
      scope: fc.oneof(fc.nat(2), fc.constant('all' as const)),
    }),
  },
)

/** Due ones of one scope are in order; those of different scopes may come in any. */
const sorted = (due: string[]): string[] => due.sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))

function drain(ledger: Ledger<number>): { due: string[]; order: [number, string][] } {
  const due: string[] = []
  const order: [number, string][] = []
  for (let next = ledger.take(); next; next = ledger.take()) {
    const scope = next.state?.track.name ?? 'all'
    order.push([next.checkpoint, scope])
    due.push(`${next.checkpoint} ${scope} ${next.counts.written}+${next.counts.rejected}`)
  }
  return { due, order }
}

test('after every step it has due what the rules have, record by record', () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 80 }), (actions) => {
      const ledger = new Ledger<number>()
      const naive = new Naive()
      let id = 0
      let bytes = 0
      for (const step of actions) {
        if (step.what === 'receive') {
          const track = TRACKS[step.track]!
          naive.records.push({ track, segment: ledger.receive(track), how: undefined, counted: false })
        } else if (step.what === 'checkpoint') {
          const scope = step.scope === 'all' ? 'all' : TRACKS[step.scope]!
          ledger.checkpoint({ kind: 'checkpoint', scope, checkpoint: id, bytes: 2 ** id % 1009 })
          bytes += 2 ** id % 1009
          naive.checkpoint(id++, scope)
        } else {
          const open = naive.records.filter(({ how }) => !how)
          const record = open[step.which % Math.max(1, open.length)]
          if (!record) continue
          record.how = step.how
          ledger.settle(record.segment, 1, step.how)
        }
        const { due, order } = drain(ledger)
        for (const [checkpoint] of order) bytes -= 2 ** checkpoint % 1009
        for (const [place, [checkpoint, scope]] of order.entries())
          for (const [earlier, other] of order.slice(0, place))
            if (scope === other || scope === 'all' || other === 'all') expect(earlier).toBeLessThan(checkpoint)
        expect(sorted(due)).toEqual(naive.take())
        expect(ledger.bytes).toBe(bytes)
        expect(ledger.checkpoints).toBe(naive.waiting.length)
        expect(ledger.outstanding).toBe(naive.records.filter(({ how }) => !how).length)
      }
    }),
    { numRuns: 1000 },
  )
})

const given = (scope: Track | 'all', checkpoint: number) =>
  ({ kind: 'checkpoint', scope, checkpoint, bytes: 10 }) as const

test('an abandoned track commits nothing more, due or not, now or later, and holds no bytes', () => {
  const [a, b] = [TRACKS[0]!, TRACKS[1]!]
  const ledger = new Ledger<number>()
  ledger.checkpoint(given(a, 1))
  const segment = ledger.receive(a)
  ledger.checkpoint(given(a, 2))
  ledger.checkpoint(given(b, 3))
  const seen: string[] = []
  const state = ledger.close(a, 'abandoned', () => seen.push('settled'))
  ledger.closeIfDone(state)
  expect(seen).toEqual([])
  ledger.settle(segment, 1, 'written')
  ledger.checkpoint(given(a, 4))
  expect(seen).toEqual(['settled'])
  expect([a, b].map((track) => ledger.isAbandoned(track))).toEqual([true, false])
  expect(drain(ledger).due).toEqual(['3 b 0+0'])
  expect([ledger.bytes, ledger.checkpoints]).toEqual([0, 0])
})

test('what was dropped is never settled: no checkpoint behind it', () => {
  const ledger = new Ledger<number>()
  ledger.drop(ledger.receive(TRACKS[0]!), 1)
  ledger.checkpoint(given(TRACKS[0]!, 1))
  expect([ledger.take(), ledger.outstanding]).toEqual([undefined, 0])
})

test('a complete track is settled when its last record is, once; it may go on', () => {
  const ledger = new Ledger<number>()
  const seen: string[] = []
  const segment = ledger.receive(TRACKS[0]!)
  ledger.closeIfDone(ledger.close(TRACKS[0]!, 'complete', () => seen.push('settled')))
  ledger.settle(segment, 1, 'written')
  ledger.settle(ledger.receive(TRACKS[0]!), 1, 'rejected')
  ledger.checkpoint(given(TRACKS[0]!, 1))
  expect(seen).toEqual(['settled'])
  expect(drain(ledger).due).toEqual(['1 a 1+1'])
  const { tracks } = ledger
  // progress and summary look at the same ones
  for (let times = 0; times < 2; times++)
    expect([...tracks].map(({ received, written, rejected }) => [received, written, rejected])).toEqual([[2, 1, 1]])
})
