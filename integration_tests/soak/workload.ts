// What a round of a soak writes: streams with all their records, how the connector is configured, and whether states are per
// stream or global. Made of a seed; knows no process.

import type { Random } from '../engine/random.ts'
import { oneOf } from '../fuzz/hostile.ts'
import { stream } from '../write/driver.ts'
import { dataOf, KINDS, poisonOf, type Kind } from './kinds.ts'

export interface SourceRecord {
  readonly data: string
  /** The time a source stamps it with, in its first pass. */
  readonly emitted: number
  /** No state comes between it and the next one. */
  readonly glued: boolean
}

export interface SoakStream extends Kind {
  readonly table: string
  readonly records: readonly SourceRecord[]
}

export interface Workload {
  readonly streams: readonly SoakStream[]
  readonly states: 'STREAM' | 'GLOBAL'
  /** Records between states, on average. */
  readonly stateEvery: number
  readonly diverts: 'no' | 'table' | 'file'
  /** Where rejected records go when that is a table. */
  readonly rejectedTable: string
  /** Streams of which the service refuses a request now and then, for no reason of theirs. */
  readonly refused: ReadonlySet<SoakStream>
  /** Of the connector, but for address, client and key. */
  readonly config: Readonly<Record<string, unknown>>
  readonly catalog: object
  /** Records a second the source writes, on average; 0: as fast as it can. */
  readonly pace: number
}

const EPOCH = 1_700_000_000_000

/** @param prefix of its tables
 *  @param records of all streams together, about; fewer where few go into a request
 *  @param patient whether its limits may be those nobody touches */
export function workloadOf(random: Random, prefix: string, records: number, patient: boolean): Workload {
  // with a guard of a minute, a key that changes all the time would take hours
  const untouched = random.below(15) === 0 && patient
  const kinds = KINDS.filter(({ hot }) => random.below(4) > 0 && !(untouched && hot))
  const chosen = kinds.length === 0 ? KINDS.filter(({ hot }) => !hot) : kinds
  const diverts = random.pick({ no: 3, table: 3, file: 1 })
  const limits = untouched ? UNTOUCHED : limitsOf(random)
  const streams: SoakStream[] = []
  for (const kind of chosen) {
    const count = 1 + random.below((2 * records * limits.share) / chosen.length)
    const table = `${prefix}${kind.namespace === undefined ? '' : `${kind.namespace}_`}${kind.name}`
    streams.push({ ...kind, table, records: recordsOf(kind, random, count, diverts !== 'no') })
  }
  const rejectedTable = `${prefix}rejected`
  // what holds a rejected record must itself fit into a request
  const fits = diverts === 'table' ? { max_request_bytes: 300_000 } : {}
  const refused = streams.filter(({ rows }) => diverts !== 'no' && (rows === 'every' || rows === 'restamped'))
  return {
    streams,
    refused: new Set(refused),
    states: random.pick({ STREAM: 2, GLOBAL: 1 }),
    stateEvery: oneOf(random, [1, 10, 50, 50, 400]),
    diverts,
    rejectedTable,
    config: {
      table_prefix: prefix,
      ...limits.config,
      ...fits,
      ...rejectsOf(diverts, rejectedTable),
      streams: optionsOf(streams),
    },
    catalog: { streams: streams.map(configuredOf) },
    pace: oneOf(random, [0, 2_000, 5_000, 10_000]),
  }
}

function recordsOf(kind: Kind, random: Random, count: number, poisoned: boolean): SourceRecord[] {
  const records: SourceRecord[] = []
  for (let index = 0; index < count; index++) {
    const isPoison = poisoned && random.below(150) === 0
    const data = isPoison ? poisonOf(kind, random, index) : dataOf(kind, random, index)
    const record = { data, emitted: EPOCH + index, glued: false }
    // the same message twice: two rows where every record is one
    if (kind.rows === 'every' && random.below(20) === 0) records.push({ ...record, glued: true })
    records.push(record)
  }
  return records
}

function configuredOf({ name, namespace, configured }: SoakStream): object {
  return stream(name, {
    stream: { name, ...(namespace === undefined ? {} : { namespace }), json_schema: {} },
    ...configured,
  })
}

function optionsOf(streams: readonly SoakStream[]): object[] {
  return streams.flatMap(({ name, options }) => (options === undefined ? [] : [{ name, ...options }]))
}

function rejectsOf(diverts: Workload['diverts'], rejectedTable: string): object {
  return diverts === 'table' ? { on_rejected: 'divert', rejected_table: rejectedTable } : {}
}

interface Limits {
  readonly config: object
  /** Of the records that could be written otherwise. */
  readonly share: number
}

const UNTOUCHED: Limits = { config: {}, share: 1 }

/** Small times, so that much happens. */
function limitsOf(random: Random): Limits {
  const points = oneOf(random, [2, 5, 20, 100, 100])
  const more = oneOf(random, [{}, {}, { concurrency: 1 }, { concurrency: 8 }, { max_requests_per_second: 100 }])
  const config = {
    request_timeout_seconds: oneOf(random, [0.4, 0.6, 60]),
    retry_for_seconds: oneOf(random, [2, 20, 20, 900]),
    late_write_guard_seconds: oneOf(random, [1.5, 1.5, 2]),
    max_points: points,
    max_wait_ms: oneOf(random, [20, 200, 1_000]),
    buffer_bytes: oneOf(random, [65_536, 1_000_000, 33_554_432]),
    max_request_bytes: oneOf(random, [8_192, 100_000, 4_194_304]),
    ...more,
  }
  return { config, share: Math.min(1, points / 20) * ('concurrency' in more && more.concurrency === 1 ? 0.3 : 1) }
}
