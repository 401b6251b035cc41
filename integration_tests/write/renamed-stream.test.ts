// STATEs of streams that the catalog does not name, as runners send them that rename streams everywhere else: whatever a
// STATE covers is stored when it is printed, so a process may be killed there.

import { setTimeout as wait } from 'node:timers/promises'
import { Writable } from 'node:stream'
import { expect, it } from 'vitest'
import { write } from '../../src/commands/write.ts'
import { startLocalService, type LocalService } from '../../src/local-service/start.ts'
import { Output } from '../../src/process/output.ts'
import { workFolder, type WorkFolder } from '../connector.ts'
import { Random } from '../engine/random.ts'
import { oneOf } from '../fuzz/hostile.ts'
import { ioOf, Said } from '../../src/process/testing/said.ts'
import { stream } from './driver.ts'

const SEEDS = 220
const REJECTED = 'rejected'

interface SentState {
  /** The stream that it names; `all`: a LEGACY state; `none`: a stream of another name. */
  readonly scope: string
  /** Lines before it. */
  readonly before: number
  readonly written: number
  readonly rejected: number
}

interface SentRecord {
  readonly line: number
  readonly stream: string
  /** Without one it cannot be stored. */
  readonly id: number | undefined
}

interface Planned {
  readonly lines: readonly string[]
  readonly records: readonly SentRecord[]
  readonly states: readonly SentState[]
  readonly streams: readonly string[]
  readonly config: object
}

/** Every fifth state is of a renamed stream, every tenth covers all. */
function planOf(seed: number): Planned {
  const random = new Random(seed)
  const streams = ['orders', 'users', 'events'].slice(0, 1 + random.below(3))
  const lines: string[] = []
  const records: SentRecord[] = []
  const states: SentState[] = []
  let uncounted: SentRecord[] = []
  const state = (scope: string): void => {
    const covered = uncounted.filter((one) => scope === 'all' || one.stream === scope)
    uncounted = uncounted.filter((one) => !covered.includes(one))
    const rejected = covered.filter(({ id }) => id === undefined).length
    states.push({ scope, before: lines.length, written: covered.length - rejected, rejected })
    lines.push(stateLine(scope, states.length - 1, oneOf(random, streams)))
  }
  for (let left = 20 + random.below(60); left > 0; left--) {
    const record = { line: lines.length + 1, stream: oneOf(random, streams), id: random.below(20) || undefined }
    records.push(record)
    uncounted.push(record)
    const data = `{${record.id === undefined ? '' : `"id":${record.id},`}"n":${record.line}}`
    lines.push(`{"type":"RECORD","record":{"stream":"eu_${record.stream}","data":${data},"emitted_at":1}}`)
    if (random.below(4) === 0) state(random.pick({ none: 2, own: 7, all: 1 }).replace('own', oneOf(random, streams)))
  }
  for (const scope of ['none', ...streams]) state(scope)
  const config = {
    max_points: oneOf(random, [1, 3, 100]),
    max_wait_ms: oneOf(random, [5, 50]),
    buffer_bytes: oneOf(random, [65_536, 1_000_000]),
    ...oneOf(random, [{}, { concurrency: 1 }]),
  }
  return { lines, records, states, streams: streams.map((name) => `eu_${name}`), config }
}

function stateLine(scope: string, number: number, other: string): string {
  if (scope === 'all') return `{"type":"STATE","state":{"type":"LEGACY","data":{"number":${number}}}}`
  const name = scope === 'none' ? other : `eu_${scope}`
  return `{"type":"STATE","state":{"type":"STREAM","stream":{"stream_descriptor":{"name":"${name}"},"stream_state":{"number":${number}}}}}`
}

/** A service that takes its time, by turns, and repeats itself. */
async function serviceOf(seed: number): Promise<LocalService> {
  const random = new Random(seed + 1_000_000)
  const service = await startLocalService()
  service.fault({ every: 1, delay_ms: random.below(15) })
  service.fault({ every: 3, delay_ms: 10 + random.below(20) })
  service.fault({ every: 7, answer: { status: 429, headers: { 'retry-after': '0.01' } } })
  return service
}

async function filesOf(work: WorkFolder, service: LocalService, { config, streams }: Planned): Promise<string[]> {
  const where = { import_url: service.url, client_id: 7, api_key: 'demo-key', late_write_guard_seconds: 0 }
  const rejects = { rejected_records: { policy: 'table', table: REJECTED } }
  return Promise.all([
    work.file('config.json', { ...where, ...rejects, ...config }),
    work.file('catalog.json', { streams: streams.map((name) => stream(name)) }),
  ])
}

/** What of the records before some printed states is neither stored nor kept as rejected at this moment. */
function missing(service: LocalService, { records, states }: Planned, printed: readonly number[]): SentRecord[] {
  const parsed = (table: string): Record<string, number>[] =>
    service.tables().some((one) => one.table === table) ? service.rows(table).map((row) => JSON.parse(row)) : []
  const kept = new Set(parsed(REJECTED).map(({ line }) => line))
  const rows = new Map(
    [...new Set(records.map((one) => one.stream))].map((name) => [
      name,
      new Map(parsed(`eu_${name}`).map(({ id, n }) => [id, n!])),
    ]),
  )
  return records.filter((record) => {
    const isCovered = printed.some((number) => {
      const { scope, before } = states[number]!
      return record.line <= before && (scope === record.stream || scope === 'all' || scope === 'none')
    })
    if (!isCovered) return false
    return record.id === undefined
      ? !kept.has(record.line)
      : (rows.get(record.stream)!.get(record.id) ?? 0) < record.line
  })
}

interface PrintedState {
  readonly number: number
  readonly stats: object
}

function statesIn(text: string): PrintedState[] {
  const lines = text.split('\n').filter((line) => line.includes('"type":"STATE"'))
  return lines.map((line) => {
    const { state } = JSON.parse(line) as {
      state: { stream?: { stream_state: { number: number } }; data?: { number: number }; destinationStats: object }
    }
    return { number: (state.stream?.stream_state ?? state.data!).number, stats: state.destinationStats }
  })
}

it(`has stored what a STATE covers when it is printed, whatever its stream is called, of ${SEEDS} inputs`, async () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const planned = planOf(seed)
    await using service = await serviceOf(seed)
    await using work = await workFolder()
    const [configFile, catalogFile] = await filesOf(work, service, planned)
    const printed: PrintedState[] = []
    const early: SentRecord[] = []
    const sink = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        printed.push(...statesIn(chunk.toString()))
        const numbers = printed.map(({ number }) => number)
        early.push(...missing(service, planned, numbers))
        done()
      },
    })
    const random = new Random(seed + 2_000_000)
    const input = {
      async *[Symbol.asyncIterator]() {
        for (let at = 0; at < planned.lines.length;) {
          const some = planned.lines.slice(at, (at += 1 + random.below(30)))
          yield Buffer.from(`${some.join('\n')}\n`)
          if (random.below(2) === 0) await wait(random.below(8))
        }
      },
      destroy() {},
    }
    const io = { ...ioOf(input, new Said(), new Said()), stdout: new Output(sink) }
    expect(await write({ configFile: configFile!, catalogFile: catalogFile! }, io), `seed ${seed}`).toBe(0)
    await io.stdout.flush()
    expect(early, `seed ${seed}`).toEqual([])
    checkStates(planned, printed, `seed ${seed}`)
  }
}, 240_000)

/** Each once, in order where they have one, with their counts. How many were superseded is a matter of time. */
function checkStates({ states }: Planned, printed: readonly PrintedState[], seed: string): void {
  expect(
    printed.map(({ number }) => number).sort((a, b) => a - b),
    seed,
  ).toEqual([...states.keys()])
  const last = new Map<string, number>()
  for (const { number, stats } of printed) {
    const { scope, written, rejected } = states[number]!
    expect(stats, seed).toMatchObject({ recordCount: written, rejectedRecordCount: rejected })
    if (scope === 'none') expect(last.get('none') ?? -1, seed).toBeLessThan(number)
    else for (const other of [scope, 'all']) expect(last.get(other) ?? -1, seed).toBeLessThan(number)
    last.set(scope, number)
  }
}
