import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { verdictOf } from './report-verdict.ts'
import type { ReportData, ReportSample } from './report.ts'
import { anyReport } from './testing/report.ts'

/** Ten seconds of a hundred requests each, well answered. */
function judged(sample: Partial<ReportSample>, more: Partial<ReportData> = {}, rejects = 0): string | undefined {
  const samples = Array.from({ length: 10 }, (_, at) => ({
    from: at * 1000,
    to: (at + 1) * 1000,
    points: 10_000,
    requests: 100,
    bytes: 1e6,
    attempts: 100,
    retries: { throttled: 0, server: 0, network: 0, timeout: 0 },
    latency: undefined,
    inFlightMs: 7800,
    permitMs: 8000,
    pausedMs: 0,
    ...sample,
  }))
  const latency = { p50: 40, p95: 90, p99: 120, most: 400 }
  return verdictOf({
    command: 'write',
    noun: 'stream',
    version: '1',
    host: undefined,
    rejects: [{ name: 'a', table: 'a', by: 'refused', reason: 'the service answered 400', records: rejects }],
    rejectsPlace: undefined,
    startedAt: 0,
    writtenAt: 0,
    elapsedMs: 10_000,
    ended: { how: 'done' },
    record: {
      samples,
      latency,
      pauses: { count: 0, ms: 0 },
      readUntil: 10_000,
      endWaits: { answers: 0, pause: 0, retries: 0, guard: 0, rest: 0 },
    },
    table: undefined,
    limits: undefined,
    ...more,
  })
}

/** A hundred requests of one row, which go out one after another. */
const readAtOnce = {
  samples: Array.from({ length: 10 }, (_, at) => ({
    from: at * 1000,
    to: (at + 1) * 1000,
    points: 10,
    requests: 10,
    bytes: 1000,
    attempts: 10,
    retries: { throttled: 0, server: 0, network: 0, timeout: 0 },
    latency: undefined,
    inFlightMs: 1000,
    permitMs: 16_000,
    pausedMs: 0,
  })),
  latency: undefined,
  pauses: { count: 0, ms: 0 },
  readUntil: 50,
  endWaits: { answers: 9000, pause: 0, retries: 0, guard: 0, rest: 0 },
}

/** Read in ten seconds, and over a minute later. */
const guarded = {
  elapsedMs: 70_000,
  record: { ...readAtOnce, endWaits: { answers: 0, pause: 0, retries: 0, guard: 60_000, rest: 0 } },
}

const retries = { throttled: 0, server: 0, network: 0, timeout: 0 }
const limits = { changed: [], concurrency: undefined, maxRequestsPerSecond: undefined }
const caughtUp = { rows: [], total: { name: 'Total', table: undefined, counts: {}, lag: 0n } }

test.each<[string, string | undefined, RegExp]>([
  [
    'few of the permits are used',
    judged({ inFlightMs: 900 }),
    /^Bottleneck: the source\. On average 0\.9 of 8 permitted/,
  ],
  ['all permits are used', judged({}), /^Bottleneck: the service\..*took 40 ms or longer.*faster service/],
  [
    'the permits are fixed',
    judged({}, { limits: { ...limits, concurrency: 8 } }),
    /^Bottleneck: concurrency.*Raise it/,
  ],
  [
    'the rate is limited here',
    judged({}, { limits: { ...limits, maxRequestsPerSecond: 100 } }),
    /^Bottleneck: max_requests_per_second, which is 100\..*Raise it/,
  ],
  [
    'the service throttles',
    judged({ retries: { ...retries, throttled: 10 }, pausedMs: 50 }),
    /^Bottleneck: the rate limit.*While input was read, it answered 429 to 100 of 1,000 requests.*pauses of 500 ms\./,
  ],
  ['it asks for pauses', judged({ pausedMs: 300 }), /^Bottleneck: the rate limit of the service/],
  [
    'it fails',
    judged({ retries: { ...retries, server: 15, timeout: 10 } }),
    /^Bottleneck: failures.*While input was read, 250 of 1,000/,
  ],
  ['it refuses records', judged({}, {}, 100), /^Bottleneck: rejected records\. The service refused 100 records/],
  [
    'a stream is at the end of its topics',
    judged({ inFlightMs: 200 }, { noun: 'topic', table: caughtUp }),
    /^No bottleneck/,
  ],
  ['nearly nothing was sent', judged({ attempts: 0 }), /sent too few requests to say/],
  ['it lasted for a moment', judged({ from: 0, to: 50 }), /too short to say/],
  [
    'all of it was read at once',
    judged({}, { record: readAtOnce }),
    /read before.*waited for is under “Retries and waits”/,
  ],
  [
    'the end waits for the late-write guard',
    judged({}, guarded),
    /^Bottleneck: the late-write guard\. .*waited 1 min .*late_write_guard_seconds/,
  ],
])('where %s, the verdict says so and what to change', (_name, verdict, words) => {
  expect(verdict).toMatch(words)
})

test('pauses are the bottleneck from a tenth of the time on, if they were asked for while input was read', () => {
  expect(judged({ pausedMs: 99 })).toMatch(/^Bottleneck: the service\./)
  expect(judged({ pausedMs: 100 })).toMatch(
    /^Bottleneck: the rate limit of the service\. .*429 to 0 of 1,000 requests and asked for pauses of 1 s\./,
  )
  const read = { ...readAtOnce, readUntil: 5000 }
  const paused = (isPaused: (from: number) => boolean): ReportData['record'] => ({
    ...read,
    samples: read.samples.map((sample) =>
      Object.assign({}, sample, { attempts: 100, pausedMs: isPaused(sample.from) ? 900 : 0 }),
    ),
  })
  expect(judged({}, { record: paused((from) => from < 5000) })).toContain('asked for pauses of 4.5 s.')
  expect(judged({}, { record: paused((from) => from >= 5000) })).toMatch(/^Bottleneck: the source\./)
})

test('a run that failed, or never began, has no verdict but its error', () => {
  expect(judged({}, { ended: { how: 'failed', kind: 'config', message: 'x' } })).toBeUndefined()
  expect(judged({}, { record: undefined })).toBeUndefined()
})

test('any run has at most one verdict of whole sentences', () => {
  fc.assert(
    fc.property(anyReport(fc.string()), (data) => {
      expect(verdictOf(data) ?? 'None.').toMatch(/^[A-Z][^\n]*\.$/)
      expect(verdictOf(data) ?? '').not.toMatch(/NaN|Infinity|undefined/)
    }),
  )
})
