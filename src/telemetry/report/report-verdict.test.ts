import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Summary } from '../summary/summary-schema.ts'
import { verdictOf } from './report-verdict.ts'
import { anySummary, aSummary, NO_RETRIES, NO_WAITS, stretch } from './testing/report.ts'

type Stretch = Summary['samples'][number]

/** Ten seconds like this one. */
const seconds = (one: Partial<Stretch>): Pick<Summary, 'samples'> => {
  return { samples: Array.from({ length: 10 }, (_, at) => stretch(at, one)) }
}
const judged = (one: Partial<Stretch>, more: Partial<Summary> = {}): string =>
  verdictOf(aSummary({ ...seconds(one), ...more })).join(' | ')
const IDLE = { held_seconds: NO_WAITS, in_flight: 0.9 }
const heldBy = (wait: keyof typeof NO_WAITS, of = 1) => ({ held_seconds: { ...NO_WAITS, [wait]: of } })
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
  ['this process is busy', judged({ busy_seconds: 0.95 }), /^This process was the limit: it was busy 95 % of the time/],
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
  ['it asks for pauses', judged(heldBy('pause', 0.5)), /by the pauses it asked for, 5 s in all/],
  [
    'it fails',
    judged({ retries: { ...NO_RETRIES, server: 15, timeout: 10 } }),
    /^Failures of the service.*250 of 1,000/,
  ],
  ['it refuses records', judged({}, { rejected: [{ ...reject, records: 100 }] }), /^Rejected records were the limit/],
  ['it lasted for a moment', judged({}, { samples: [stretch(0, { to: 0.3 })] }), /too short/],
  [
    'the late-write guard waits',
    judged({}, { held: { ...aSummary().held!, seconds: { ...NO_WAITS, guard: 6 } } }),
    /^The late-write guard decided.*waited 6 s.*late_write_guard_seconds/,
  ],
  ['topics are read to their end', judged(IDLE, { command: 'stream', lag: 0 }), /^Caught up: what was in the topics/],
  [
    'topics were behind for a time',
    judged(heldBy('permits', 0.4), { command: 'stream', lag: 0 }),
    /^Caught up; while behind, 4 s, the service was the limit/,
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
    /^600 of 3,000 records \(20 %\) were rejected: the service answered 400, first at input line 7\. They are kept in the table/,
  )
  expect(away).toBe('x:1 was away for 4 s, 12:00:02 to 12:00:06 UTC: connection refused.')
  expect(limit).toMatch(/^The service was the limit/)
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
