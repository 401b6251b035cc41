// Summaries for tests of the page: one that is well, and any there can be.

import * as fc from 'fast-check'
import { z } from 'zod'
import { summarySchema, type Summary } from '../../summary/summary-schema.ts'
import { WAITS, type Wait } from '../../../run/samples.ts'

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

const seconds = fc.nat(1e7).map((ms) => ms / 1000)
/** By the type that a JSON schema names. */
const PLAIN: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  integer: fc.oneof(fc.nat(20), fc.nat(Number.MAX_SAFE_INTEGER)),
  number: seconds,
  boolean: fc.boolean(),
  null: fc.constant(null),
}
const moment = fc.nat(4e12).map((ms) => new Date(ms).toISOString())

/** What a schema allows.
 *  @param text of everything that is not this program's own */
function anyBy(schema: JsonSchema, text: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], type = '' } = schema
  if (typeof type !== 'string') return fc.oneof(...type.map((one) => anyBy({ ...schema, type: one }, text)))
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one) => anyBy(one, text)))
  if (schema.items) return fc.array(anyBy(schema.items, text), { maxLength: 3 })
  if (type === 'string') return schema.format === 'date-time' ? moment : text
  const members = Object.entries(properties).map(([name, member]) => [name, anyBy(member, text)] as const)
  return PLAIN[type] ?? fc.record(Object.fromEntries(members), { requiredKeys: [...required] })
}

interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
}

const SCHEMA = z.toJSONSchema(summarySchema) as JsonSchema

/** A summary as the schema allows it, whose samples leave no gap.
 *  @param text of everything that is not this program's own */
export function anySummary(text: fc.Arbitrary<string>): fc.Arbitrary<Summary> {
  const { samples } = SCHEMA.properties!
  const place = { name: text, table: fc.option(text) }
  const field = { what: fc.constantFrom('field-new', 'field-gone', 'field-kind'), field: fc.option(text) }
  const change = fc.record({ ...place, ...field, before: fc.option(text), now: fc.option(text) })
  return fc
    .record({
      all: anyBy(SCHEMA, text) as fc.Arbitrary<Summary>,
      command: fc.constantFrom('write', 'stream'),
      changes: fc.option(fc.array(change, { maxLength: 3 })),
      samples: fc.array(fc.tuple(anyBy(samples!.items!, text) as fc.Arbitrary<Stretch>, fc.nat(100)), {
        maxLength: 30,
      }),
    })
    .map(({ all, command, changes, samples }) => {
      let to = 0
      const joined = samples.map(([one, length]) => Object.assign(one, { from: to, to: (to += length) }))
      return Object.assign(all, { command, changes, samples: joined })
    })
}
