// Summaries for tests of the page: one that is well, and any there can be.

import * as fc from 'fast-check'
import { ALL_COUNTS } from '../../../run/counts.ts'
import type { Summary } from '../../summary/summary-schema.ts'
import { WAITS } from '../../../run/samples.ts'
import type { Wait } from '../../../run/samples.ts'

type Stretch = Summary['samples'][number]

export const NO_RETRIES = { throttled: 0, server: 0, network: 0, timeout: 0 }
export const NO_WAITS = Object.fromEntries(WAITS.map((wait) => [wait, 0])) as Record<Wait, number>

/** A second in which nearly all permits were used. */
export function stretch(at: number, more: Partial<Stretch> = {}): Stretch {
  return {
    from: at,
    to: at + 1,
    rows: 10_000,
    requests: 100,
    bytes: 1e6,
    attempts: 100,
    retries: NO_RETRIES,
    in_flight: 7.8,
    permits: 8,
    rate_limit: null,
    outage_seconds: 0,
    held_seconds: { ...NO_WAITS, permits: 1 },
    busy_seconds: 0.2,
    spent_seconds: { outage: 0, held: 1, busy: 0, idle: 0, free: 0 },
    ...more,
  }
}

/** Ten seconds, all well. */
export function aSummary(more: Partial<Summary> = {}): Summary {
  const counts = { records: 100_000, rows: 100_000, rejected: 0, checkpoints: 2 }
  const row = {
    name: 'orders',
    table: 'orders',
    digest: null,
    counts,
    requests: 1000,
    attempts: 1000,
    retries: NO_RETRIES,
  }
  return {
    program: 'destination-analytics-service',
    schema_version: 1,
    version: '1.2.3',
    command: 'write',
    run_id: 'run-1',
    service: 'import.example.com',
    started: '2026-03-01T12:00:00.000Z',
    written: '2026-03-01T12:00:10.000Z',
    ended: '2026-03-01T12:00:10.000Z',
    seconds: 10,
    result: 'done',
    exit_code: 0,
    error: null,
    config_digest: null,
    catalog_digest: null,
    rows: [{ ...row, fetch_pauses: null, lag: null, fields: null }],
    total: counts,
    lag: null,
    rejected: [],
    rejects_place: null,
    outages: [],
    held: {
      seconds: { ...NO_WAITS, permits: 10 },
      permits: 8,
      rate_limit: null,
      rate_cause: null,
      rate_suspected: false,
      rate_since: null,
    },
    states: null,
    offsets: [],
    input: null,
    read_seconds: 10,
    latency_ms: { p50: 40, p95: 90, p99: 120, most: 400 },
    limits: [],
    samples: Array.from({ length: 10 }, (_, at) => stretch(at)),
    changes: null,
    ...more,
  }
}

const count = fc.oneof(fc.nat(20), fc.nat(Number.MAX_SAFE_INTEGER))
const seconds = fc.nat(1e7).map((ms) => ms / 1000)
const moment = fc.nat(4e12).map((ms) => new Date(ms).toISOString())
const orNull = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(arbitrary, { nil: null })
const retries = fc.record({ throttled: count, server: count, network: count, timeout: count })
const waits = fc.record(Object.fromEntries(WAITS.map((wait) => [wait, seconds]))) as fc.Arbitrary<Record<Wait, number>>
const counts = fc.record(Object.fromEntries(ALL_COUNTS.map(([name]) => [name, count])), { requiredKeys: [] })

/** Contiguous. */
const samples = fc
  .array(
    fc.record({
      length: fc.nat(100),
      rows: count,
      requests: count,
      bytes: count,
      attempts: count,
      retries,
      in_flight: seconds,
      permits: seconds,
      rate_limit: orNull(seconds),
      outage_seconds: seconds,
      held_seconds: waits,
      busy_seconds: seconds,
      spent_seconds: fc.record({ outage: seconds, held: seconds, busy: seconds, idle: seconds, free: seconds }),
    }),
    { maxLength: 30 },
  )
  .map((all) => {
    let to = 0
    return all.map(({ length, ...one }) => ({ ...one, from: to, to: (to += length) }))
  })

/** @param text of everything that is not this program's own */
export function anySummary(text: fc.Arbitrary<string>): fc.Arbitrary<Summary> {
  const place = { name: text, table: orNull(text) }
  const row = {
    ...place,
    digest: fc.constant(null),
    counts,
    requests: count,
    attempts: count,
    retries,
    lag: orNull(count),
  }
  const change = fc.record({
    ...place,
    what: fc.constantFrom('field-new' as const, 'field-gone' as const, 'field-kind' as const),
    field: orNull(text),
    before: orNull(text),
    now: orNull(text),
  })
  const error = fc.record({
    kind: fc.constantFrom('config' as const, 'transient' as const, 'system' as const),
    code: fc.constant(null),
    message: text,
  })
  const rejected = { ...place, by: fc.constantFrom('rejected' as const, 'refused' as const), reason: text }
  return fc
    .record({
      command: fc.constantFrom('write', 'stream'),
      version: text,
      run_id: text,
      service: orNull(text),
      started: moment,
      written: moment,
      ended: orNull(moment),
      seconds,
      result: fc.constantFrom(
        'running' as const,
        'stopping' as const,
        'done' as const,
        'stopped' as const,
        'failed' as const,
      ),
      error: orNull(error),
      rows: fc.array(fc.record({ ...row, fetch_pauses: fc.constant(null), fields: fc.constant(null) }), {
        maxLength: 5,
      }),
      total: counts,
      lag: orNull(count),
      rejected: fc.array(fc.record({ ...rejected, records: count, first: text }), { maxLength: 5 }),
      rejects_place: orNull(text),
      outages: fc.array(fc.record({ from: moment, to: orNull(moment), cause: text, host: text }), { maxLength: 3 }),
      held: orNull(
        fc.record({
          seconds: waits,
          permits: orNull(count),
          rate_limit: orNull(seconds),
          rate_cause: orNull(text),
          rate_suspected: fc.boolean(),
          rate_since: orNull(fc.nat(1000)),
        }),
      ),
      input: orNull(fc.record({ bytes: count, read: count })),
      read_seconds: orNull(seconds),
      latency_ms: orNull(fc.record({ p50: count, p95: count, p99: count, most: count })),
      limits: fc.array(fc.record({ option: text, title: text, value: text }), { maxLength: 3 }),
      samples,
      changes: orNull(fc.array(change, { maxLength: 3 })),
    })
    .map((some) => aSummary(some))
}
