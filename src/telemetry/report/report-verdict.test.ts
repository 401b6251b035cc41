import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Summary } from '../summary/summary-schema.ts'
import { verdictOf } from './report-verdict.ts'
import type { SpentState, Wait } from '../../run/samples.ts'
import { anySummary, aSummary, NO_RETRIES, NO_WAITS, stretch } from './testing/report.ts'

type Stretch = Summary['samples'][number]

/** Ten seconds like this one. */
const seconds = (one: Partial<Stretch>): Pick<Summary, 'samples'> => {
  return { samples: Array.from({ length: 10 }, (_, at) => stretch(at, one)) }
}
const judged = (one: Partial<Stretch>, more: Partial<Summary> = {}): string =>
  verdictOf(aSummary({ ...seconds(one), ...more })).join(' | ')
const spent = (state: SpentState, of = 1) => {
  return { spent_seconds: { outage: 0, held: 0, busy: 0, idle: 0, free: Math.max(0, 1 - of), [state]: of } }
}
const IDLE = { held_seconds: NO_WAITS, in_flight: 0.9, ...spent('free') }
const heldBy = (wait: Wait, of = 1) => ({ held_seconds: { ...NO_WAITS, [wait]: of }, ...spent('held', of) })
const learnt = (cause: string) => ({ held: { ...aSummary().held!, rate_cause: cause } })
const limits = (option: string, value: string) => ({ limits: [{ option, title: option, value }] })
const reject = {
  name: 'a',
  table: 'a',
  by: 'refused' as const,
  reason: 'the service answered 400',
  first: 'input line 7',
}
const outage = {
  from: '2026-03-01T12:00:02.000Z',
  to: '2026-03-01T12:00:06.000Z',
  cause: 'connection refused',
  host: 'x:1',
}
const FILE = { input: { bytes: 100, read: 100 } }

test.each<[string, string, RegExp]>([
  ['few permits are used', judged(IDLE), /^The source was the limit: 0\.9 of 8 permitted requests/],
  ['the same, of a file', judged(IDLE, FILE), /^This process was the limit: it read a file/],
  ['permits are used', judged({}), /^The service was the limit: 7\.8 of 8.*took 40 ms or longer/],
  ['this process is busy', judged(spent('busy', 0.95)), /^This process was the limit: it was busy 95 % of the time/],
  ['the permits are fixed', judged({}, limits('concurrency', '8')), /^Concurrency was the limit: it is 8\. Raise it/],
  [
    'the rate is limited here',
    judged({}, limits('max_requests_per_second', '100 requests/s')),
    /^max_requests_per_second was the limit: it is 100 requests\/s\./,
  ],
  [
    'a rate was learnt',
    judged(
      { ...heldBy('rate'), rate_limit: 245, retries: { ...NO_RETRIES, server: 3 } },
      learnt('503 Service Unavailable'),
    ),
    /: 30 of 1,000 answers were 503 Service Unavailable, so at most 245 requests a second are sent \(learnt\)/,
  ],
  [
    'a rate was learnt from failures',
    judged({ ...heldBy('rate'), rate_limit: 245 }, learnt('connection refused')),
    /by its failures \(connection refused\): at most 245/,
  ],
  [
    'a rate was learnt and then tried out',
    judged(
      { held_seconds: { ...NO_WAITS, permits: 0.45, rate: 0.25, trial: 0.3 }, rate_limit: 245 },
      learnt('503 Service Unavailable'),
    ),
    /by what it refused: .* 503 Service Unavailable, so at most 245 requests a second/,
  ],
  ['it asks for pauses', judged(heldBy('pause', 0.6)), /by the pauses it asked for, 6 s in all/],
  [
    'it fails',
    judged({ retries: { ...NO_RETRIES, server: 15, timeout: 10 } }),
    /^Failures of the service.*250 of 1,000/,
  ],
  ['it refuses records', judged({}, { rejected: [{ ...reject, records: 100 }] }), /^Rejected records were the limit/],
  ['it lasted for a moment', judged({}, { samples: [stretch(0, { to: 0.3 })] }), /too short/],
  [
    'the late-write guard waits',
    judged(heldBy('guard', 0.6)),
    /^The late-write guard was the limit.*waited 6 s.*late_write_guard_seconds/,
  ],
  ['topics are read to their end', judged(IDLE, { command: 'stream', lag: 0 }), /^Caught up: what was in the topics/],
  [
    'topics were behind for a time',
    judged(heldBy('permits', 0.6), { command: 'stream', lag: 0 }),
    /^Caught up; while behind, 10 s, the service was the limit/,
  ],
  ['topics are behind', judged({}, { command: 'stream', lag: 7 }), /^The service was the limit/],
])('where %s, the verdict says so', (_name, verdict, words) => {
  expect(verdict).toMatch(words)
})

test('rejected records come first, then outages, then what limits', () => {
  const more = {
    total: { records: 3000, rejected: 600 },
    rejected: [{ ...reject, records: 600 }],
    rejects_place: 'the table "rejected_records"',
    outages: [outage],
  }
  const [rejects, away, limit] = verdictOf(aSummary({ ...seconds({ attempts: 1e6 }), ...more }))
  expect(rejects).toMatch(
    /^600 of 3,000 records \(20 %\) were rejected, all because the service answered 400, first at input line 7\. They are kept in the table/,
  )
  expect(away).toBe('x:1 was unreachable for 4 s, 12:00:02 to 12:00:06 UTC: connection refused.')
  expect(limit).toMatch(/^The service was the limit/)
})

test('rejected records are summed by reason, over streams and tables, and those of a stream are sent again by a command', () => {
  const total = { records: 20_000, rejected: 2112 }
  const [null_, gone] = ['its key field "id" is null', 'the service answered 400']
  const of = (records: number, name: string, reason = null_) => ({
    ...reject,
    records,
    name,
    reason,
    first: `line of ${name}`,
  })
  const told = (rejected: Summary['rejected'], more: Partial<Summary> = {}): string =>
    verdictOf(aSummary({ total, rejected, rejects_place: 'the topic "letters"', ...more }))[0]!
  const same = told([of(1031, 'a'), of(1000, 'b'), of(81, 'c')])
  expect(same).toBe(
    '2,112 of 20,000 records (11 %) were rejected, all because its key field "id" is null, first at line of a. They are kept in the topic "letters": correct the cause and send them again (docs/tables-and-rows.md).',
  )
  const two = told([of(900, 'a', gone), of(800, 'b'), of(412, 'c')], { command: 'stream' })
  expect(two).toMatch(
    /rejected, 1,212 of them because its key field "id" is null, first at line of b\. .*, by stream --config FILE --from-dead-letters\.$/,
  )
})

test('what changed comes first, and nothing is called too short beside it', () => {
  const change = {
    what: 'field-gone' as const,
    name: 'orders',
    table: 'orders',
    field: 'mail',
    before: 'string',
    now: null,
  }
  const brief = { samples: [stretch(0, { to: 0.3 })], changes: [change, { ...change, field: 'x' }] }
  expect(
    verdictOf(aSummary({ ...brief, total: { records: 9, rejected: 1 }, rejected: [{ ...reject, records: 1 }] })),
  ).toEqual([
    expect.stringMatching(
      /^2 changes since the run of --compare; the first: Stream "orders", table "orders": .*"mail"/,
    ),
    expect.stringMatching(/^1 of 9 records \(11 %\) was rejected: the service answered 400/),
  ])
})

test('advice is for what took more than half of the time and some seconds, and shares are told', () => {
  const mixed = (at: number): Partial<Stretch> => (at < 4 ? heldBy('permits') : at < 8 ? spent('idle') : spent('busy'))
  const samples = Array.from({ length: 10 }, (_, at) => stretch(at, { in_flight: 0, ...mixed(at) }))
  expect(verdictOf(aSummary({ samples }))).toEqual([
    'Nothing was the limit for more than half of the time. Of 10 s: 40 % with requests waiting, 40 % with nothing to send, 20 % with this process busy.',
  ])
  const away = { ...stretch(10), to: 30, ...spent('outage', 20) }
  expect(verdictOf(aSummary({ samples: [...samples, away] }))[0]).toMatch(/ Of 10 s without outages: 40 % /)
  // a stream that was behind for the second in which it began
  const begun = [stretch(0, spent('busy')), ...samples.slice(4, 8)]
  expect(verdictOf(aSummary({ samples: begun, command: 'stream', lag: 0 }))).toEqual([
    'Caught up: what was in the topics was stored as it came.',
  ])
})

/** What a model's second is like, and what the engine and the process say of it. */
interface Moment {
  readonly state: SpentState
  readonly wait: Wait
  /** Of permits, while nothing waits. */
  readonly used: number
}

/** The summary of a run of such seconds, as it is recorded and read back. */
function runOf(moments: readonly Moment[], isFile: boolean): Summary {
  const samples = moments.map(({ state, wait, used }, at): Stretch => {
    const isHeld = state === 'held'
    const inFlight = isHeld ? 8 : state === 'free' || state === 'busy' ? used * 8 : 0
    const more = isHeld ? heldBy(wait) : { held_seconds: NO_WAITS, ...spent(state) }
    return stretch(at, { in_flight: inFlight, permits: 8, ...more })
  })
  const seconds = moments.length
  return aSummary({ samples, seconds, read_seconds: seconds, ...(isFile ? FILE : {}) })
}

test('of any run of a model, shares are those of its seconds, and advice would have saved half of the time', () => {
  const moment = fc.record<Moment>({
    state: fc.constantFrom('outage', 'held', 'busy', 'idle', 'free'),
    wait: fc.constantFrom('permits', 'rate', 'pause', 'trial'),
    used: fc.constantFrom(0.1, 0.4, 0.6, 1),
  })
  // stretches of one kind, so that one may be most of it
  const moments = fc
    .array(fc.tuple(moment, fc.nat(30)), { minLength: 1, maxLength: 6 })
    .map((parts) => parts.flatMap(([one, seconds]) => Array<Moment>(seconds).fill(one)))
  const told = { service: 0, process: 0, source: 0, nothing: 0, short: 0 }
  fc.assert(
    fc.property(moments, fc.boolean(), (moments, isFile) => {
      const words = verdictOf(runOf(moments, isFile)).join(' ')
      const all = moments.filter(({ state }) => state !== 'outage')
      const of = (state: SpentState): number => all.filter((one) => one.state === state).length
      if (all.length <= 3) {
        told.short++
        expect(words).toMatch(moments.length === 0 ? /^$/ : /too short/)
        return
      }
      const shares = Array.from(
        words.matchAll(/(\d+) % (with requests|with nothing|with this|sending)/g),
        ([, share]) => Number(share),
      )
      expect(shares.reduce((sum, share) => sum + share, 0)).toBe(100)
      const stated = { 'with requests': 'held', 'with nothing': 'idle', 'with this': 'busy', sending: 'free' } as const
      for (const [name, state] of Object.entries(stated)) {
        const told = Number(new RegExp(`(\\d+) % ${name}`).exec(words)?.[1] ?? 0)
        expect(Math.abs(told - (100 * of(state)) / all.length)).toBeLessThanOrEqual(1)
      }
      // what is left of the time if one of them were as fast as can be
      const used = all.reduce((sum, one) => sum + (one.state === 'free' ? one.used : 0), 0)
      const without = {
        service: all.length - of('held'),
        process: isFile ? of('held') + used : all.length - of('busy'),
        source: of('held') + of('busy') + used,
      }
      const advised = /nothing was the limit/i.test(words)
        ? 'nothing'
        : /this process was the limit/i.test(words)
          ? 'process'
          : /source was the limit/i.test(words)
            ? 'source'
            : 'service'
      told[advised]++
      const half = all.length / 2
      const least = Math.min(without.service, without.process, isFile ? Infinity : without.source)
      if (advised === 'nothing') expect(least).toBeGreaterThanOrEqual(half - 1e-6)
      else expect(without[advised]).toBeLessThanOrEqual(half + 1e-6)
    }),
    { numRuns: 2000 },
  )
  for (const count of Object.values(told)) expect(count).toBeGreaterThan(20)
})

test('of any run, a sentence each', () => {
  fc.assert(
    fc.property(anySummary(fc.constant('x')), (summary) => {
      for (const words of verdictOf(summary)) {
        expect(words).toMatch(/^[A-Z0-9xm<][^]*\.\)?$|\)\.$/)
        expect(words).not.toMatch(/undefined|NaN|Infinity/)
      }
    }),
  )
})

test('of a file, the source is never the limit', () => {
  fc.assert(
    fc.property(anySummary(fc.constant('x')), (summary) => {
      const words = verdictOf({ ...summary, command: 'write', input: { bytes: 10, read: 4 } }).join(' ')
      expect(words).not.toMatch(/source was the limit/i)
    }),
  )
})

test('of a run of write that stored nothing, it says so first', () => {
  fc.assert(
    fc.property(anySummary(fc.constant('x')), (summary) => {
      const empty = { ...summary, result: 'done', total: { ...summary.total, records: 0, rejected: 0 } } as const
      const says = (command: string) => verdictOf({ ...empty, command })[0]?.startsWith('No record came') ?? false
      expect([says('write'), says('stream')]).toEqual([true, false])
    }),
  )
})
