// Reports for tests: any there can be.

import * as fc from 'fast-check'
import { ALL_COUNTS } from '../../counts.ts'
import type { RunRow } from '../../counts.ts'
import type { ReportData, ReportEnd, ReportRecord, ReportSample } from '../report.ts'

const count = fc.oneof(fc.nat(20), fc.nat(Number.MAX_SAFE_INTEGER))
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined })
const time = fc.nat(1e9)

const latency = fc.record({ p50: time, p95: time, p99: time, most: time })

const sampleOf = (from: number, ms: number): fc.Arbitrary<ReportSample> =>
  fc.record({
    from: fc.constant(from),
    to: fc.constant(from + ms),
    points: count,
    requests: count,
    bytes: count,
    attempts: count,
    retries: fc.record({ throttled: count, server: count, network: count, timeout: count }),
    latency: maybe(latency),
    inFlightMs: fc.double({ min: 0, max: 1e6, noNaN: true }),
    permitMs: fc.double({ min: 0, max: 1e6, noNaN: true }),
    pausedMs: fc.nat(ms),
  })

/** Contiguous. */
const samples = fc.array(fc.nat(100_000), { maxLength: 30 }).chain((spans) =>
  fc.tuple(
    ...spans.map((ms, at) =>
      sampleOf(
        spans.slice(0, at).reduce((sum, one) => sum + one, 0),
        ms,
      ),
    ),
  ),
)

/** @param text of everything that is not this program's own */
export function anyReport(text: fc.Arbitrary<string>): fc.Arbitrary<ReportData> {
  const counts = Object.fromEntries(ALL_COUNTS.map(([name]) => [name, maybe(count)]))
  const row = fc.record({
    name: text,
    table: maybe(text),
    counts: fc.record(counts),
    lag: maybe(fc.bigInt(0n, 1n << 63n)),
  }) as fc.Arbitrary<RunRow>
  const record: fc.Arbitrary<ReportRecord> = fc.record({
    samples,
    latency: maybe(latency),
    pauses: fc.record({ count, ms: time }),
    readUntil: maybe(time),
    endWaits: fc.record({ answers: time, pause: time, retries: time, guard: time, rest: time }),
  })
  const ended: fc.Arbitrary<ReportEnd> = fc.oneof(
    fc.record({ how: fc.constantFrom('running' as const, 'stopping' as const, 'done' as const) }),
    fc.record({ how: fc.constant('stopped' as const), message: text }),
    fc.record({
      how: fc.constant('failed' as const),
      kind: fc.constantFrom('config' as const, 'transient' as const, 'system' as const),
      message: text,
    }),
  )
  const reject = fc.record({
    name: text,
    table: maybe(text),
    by: fc.constantFrom('rejected' as const, 'refused' as const),
    reason: text,
    records: count,
  })
  return fc.record({
    command: fc.constantFrom('write', 'stream'),
    noun: fc.constantFrom('stream' as const, 'topic' as const),
    version: text,
    host: maybe(text),
    rejects: fc.array(reject, { maxLength: 5 }),
    rejectsPlace: maybe(text),
    startedAt: fc.nat(4e12),
    writtenAt: fc.nat(4e12),
    elapsedMs: fc.nat(1e10),
    ended,
    record: maybe(record),
    table: maybe(fc.record({ rows: fc.array(row, { maxLength: 5 }), total: row })),
    limits: maybe(
      fc.record({
        changed: fc.array(fc.tuple(text, text, text), { maxLength: 3 }),
        concurrency: maybe(fc.nat(200)),
        maxRequestsPerSecond: maybe(fc.nat(200)),
      }),
    ),
  })
}
