import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { Ledger } from './ledger.ts'
import type { Segment } from './segment.ts'
import { CheckpointRules, trackNameOf, type Scope } from './testing/checkpoint-rules.ts'
import type { Track } from './types.ts'

const TRACKS: readonly Track[] = [{ name: 'a' }, { name: 'b' }, { name: 'c' }]

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
      scope: fc.oneof(fc.nat(2), fc.constantFrom('all' as const, 'none' as const)),
    }),
  },
)

/** Due ones of one scope are in order; those of different scopes may come in any. */
const sorted = (due: string[]): string[] => due.sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))

/** @param scopes of the checkpoints, by id */
function drain(ledger: Ledger<number>, scopes: readonly Scope[]): { due: string[]; order: number[] } {
  const due: string[] = []
  const order: number[] = []
  for (let next = ledger.take(); next; next = ledger.take()) {
    const { checkpoint, counts } = next
    order.push(checkpoint)
    due.push(`${checkpoint} ${trackNameOf(scopes[checkpoint]!)} ${counts.written}+${counts.rejected}`)
  }
  return { due, order }
}

/** Whether one must not come before the other. */
function areOrdered(one: Scope, other: Scope): boolean {
  return one === other || (one === 'all' && other !== 'none') || (other === 'all' && one !== 'none')
}

test('after every step it has due what the rules have, record by record', () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 80 }), (actions) => {
      const ledger = new Ledger<number>()
      const naive = new CheckpointRules()
      const scopes: Scope[] = []
      let bytes = 0
      for (const step of actions) {
        if (step.what === 'receive') {
          const track = TRACKS[step.track]!
          naive.records.push({ track, segment: ledger.receive(track), how: undefined, counted: false })
        } else if (step.what === 'checkpoint') {
          const scope = typeof step.scope === 'string' ? step.scope : TRACKS[step.scope]!
          const id = scopes.push(scope) - 1
          ledger.checkpoint({ kind: 'checkpoint', scope, checkpoint: id, bytes: 2 ** id % 1009 })
          bytes += 2 ** id % 1009
          naive.checkpoint(id, scope)
        } else {
          const open = naive.records.filter(({ how }) => !how)
          const record = open[step.which % Math.max(1, open.length)]
          if (!record) continue
          record.how = step.how
          ledger.settle(record.segment, 1, step.how)
        }
        const { due, order } = drain(ledger, scopes)
        for (const checkpoint of order) bytes -= 2 ** checkpoint % 1009
        for (const [place, checkpoint] of order.entries())
          for (const earlier of order.slice(0, place))
            if (areOrdered(scopes[checkpoint]!, scopes[earlier]!)) expect(earlier).toBeLessThan(checkpoint)
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

test('a lost track commits nothing more, due or not, now or later, and holds no bytes', () => {
  const [a, b] = [TRACKS[0]!, TRACKS[1]!]
  const ledger = new Ledger<number>()
  ledger.checkpoint(given(a, 1))
  const segment = ledger.receive(a)
  ledger.checkpoint(given(a, 2))
  ledger.checkpoint(given(b, 3))
  const seen: string[] = []
  const state = ledger.close(a, 'lost', () => seen.push('settled'))
  ledger.closeIfDone(state)
  expect(seen).toEqual([])
  ledger.settle(segment, 1, 'written')
  ledger.checkpoint(given(a, 4))
  expect(seen).toEqual(['settled'])
  expect([a, b].map((track) => ledger.isUnassigned(track))).toEqual([true, false])
  expect(drain(ledger, [a, a, a, b]).due).toEqual(['3 b 0+0'])
  expect([ledger.bytes, ledger.checkpoints]).toEqual([0, 0])
})

test('what was dropped is never settled: no checkpoint behind it', () => {
  const ledger = new Ledger<number>()
  ledger.drop({ segment: ledger.receive(TRACKS[0]!), count: 1 })
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
  expect(drain(ledger, [TRACKS[0]!, TRACKS[0]!]).due).toEqual(['1 a 1+1'])
  expect(ledger.takeChanged()).toMatchObject([{ received: 2, written: 1, rejected: 1 }])
})

test('whoever takes what changed, at any time, knows every count, and sees no track twice in which nothing happened', () => {
  const step = fc.tuple(fc.constantFrom('receive', 'receive', 'settle', 'checkpoint', 'take'), fc.nat({ max: 2 }))
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const ledger = new Ledger<number>()
      const model = TRACKS.map(() => ({ received: 0, written: 0 }))
      const open: (readonly [which: number, segment: Segment])[] = []
      const known = new Map<Track, { received: number; written: number }>()
      const touched = new Set<Track>()
      const take = (): void => {
        const taken = ledger.takeChanged()
        expect(taken.every(({ track }) => touched.has(track))).toBe(true)
        touched.clear()
        for (const { track, received, written } of taken) known.set(track, { received, written })
        for (const [which, counts] of model.entries())
          expect(known.get(TRACKS[which]!) ?? { received: 0, written: 0 }).toEqual(counts)
      }
      for (const [what, which] of steps) {
        if (what === 'receive') {
          open.push([which, ledger.receive(TRACKS[which]!)])
          model[which]!.received++
          touched.add(TRACKS[which]!)
        } else if (what === 'settle' && open.length > 0) {
          const [[of, segment]] = open.splice(which % open.length, 1) as [(typeof open)[number]]
          ledger.settle(segment, 1, 'written')
          model[of]!.written++
          touched.add(TRACKS[of]!)
        } else if (what === 'checkpoint') {
          ledger.checkpoint(given(TRACKS[which]!, 1))
          touched.add(TRACKS[which]!)
        } else if (what === 'take') take()
      }
      take()
    }),
  )
})

test('a checkpoint that counts nothing waits for all before it, keeps none but its kind waiting, and leaves no track', () => {
  const ledger = new Ledger<number>()
  const [a, b] = [TRACKS[0]!, TRACKS[1]!]
  const none = (checkpoint: number): void =>
    ledger.checkpoint({ kind: 'checkpoint', scope: 'none', checkpoint, bytes: 10 })
  const [first, second] = [ledger.receive(a), ledger.receive(b)]
  none(0)
  const third = ledger.receive(a)
  ledger.checkpoint(given(b, 1))
  none(2)
  none(3)
  ledger.checkpoint(given('all', 4))
  none(5)
  const scopes = ['none', b, 'none', 'none', 'all', 'none'] as const
  expect(drain(ledger, scopes).due).toEqual([])
  expect([ledger.bytes, ledger.checkpoints, ledger.takeChanged().length]).toEqual([60, 6, 2])
  ledger.settle(third, 1, 'written')
  ledger.settle(second, 1, 'rejected')
  expect(drain(ledger, scopes).due).toEqual(['1 b 0+1'])
  ledger.settle(first, 1, 'written')
  expect(sorted(drain(ledger, scopes).due)).toEqual([
    '0 none 0+0',
    '2 none 0+0',
    '3 none 0+0',
    '4 all 2+0',
    '5 none 0+0',
  ])
})
