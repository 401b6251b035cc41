// Hours of operation in minutes: the connector as processes that are killed and go on, a service that is killed and comes
// back on its file, faults of the weather all the time, and a model that says what must be in the tables.

import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { workFolder, type WorkFolder } from '../connector.ts'
import type { Random } from '../engine/random.ts'
import { oneOf } from '../fuzz/hostile.ts'
import { Children } from './children.ts'
import { Figures } from './figures.ts'
import { playRound, type Compared } from './round.ts'
import { seeded } from './seeded.ts'
import { ServiceProcess } from './service-process.ts'
import { makeWeather, restartNowAndThen } from './weather.ts'
import { workloadOf } from './workload.ts'

export interface SoakOptions {
  readonly seed: number
  /** Rounds begun after so long are none; each lane plays one. */
  readonly seconds: number
  /** Rounds that are played at once. */
  readonly lanes: number
  /** Of a round, about. */
  readonly records: number
  /** Runs of a round that are ended early, at most; half of them at least. */
  readonly endings: number
  readonly restartEveryMs: number
  /** Whether some rounds have the limits nobody touches: with them keys may wait for minutes. */
  readonly patient: boolean
  /** Ends it at once. */
  readonly signal?: AbortSignal
  readonly onProgress?: (figures: Figures) => void
}

export interface Soaked {
  readonly figures: Figures
  /** What differs from the model. */
  readonly difference: string | undefined
}

/** A service's file is thrown away after so long: it only grows. */
const EPOCH_SECONDS = 300

/** Stops at the first difference. No process outlives it. */
export async function soak(options: SoakOptions): Promise<Soaked> {
  const figures = new Figures()
  const until = performance.now() + options.seconds * 1_000
  let difference: string | undefined
  for (let epoch = 0; epoch === 0 || (performance.now() < until && difference === undefined); epoch++) {
    const end = Math.min(until, performance.now() + EPOCH_SECONDS * 1_000)
    difference = await playEpoch(options, epoch, end, figures)
  }
  return { figures, difference }
}

/** One service on one file. */
async function playEpoch(
  options: SoakOptions,
  epoch: number,
  until: number,
  figures: Figures,
): Promise<string | undefined> {
  await using work = await workFolder()
  using children = new Children(options.signal)
  const { seed, lanes, restartEveryMs } = options
  const file = join(work.path, 'service.db')
  await using service = await ServiceProcess.open(children, ['--data', file, ...moodOf(seeded(seed, epoch, 0))])
  const over = new AbortController()
  const weather = AbortSignal.any([over.signal, timeIsUp(until)])
  const troubles = [
    makeWeather(service, seeded(seed, epoch, 1), figures, weather),
    restartNowAndThen(service, seeded(seed, epoch, 2), figures, restartEveryMs, over.signal),
  ]
  const differs = Promise.withResolvers<string>()
  const parts = { options, epoch, until, figures, children, work, service, onDifference: differs.resolve }
  const played = Array.from({ length: lanes }, (_, lane) => playLane(parts, lane))
  try {
    // troubles end by themselves only with an error
    const ended = await Promise.race([Promise.all(played), differs.promise, Promise.all(troubles).then(() => '')])
    over.abort()
    if (typeof ended === 'string') return ended
    await Promise.all(troubles)
    return await changedSince(service, ended)
  } finally {
    over.abort()
    children[Symbol.dispose]()
    await Promise.allSettled([...played, ...troubles])
  }
}

/** Rounds that are still played then end in fair weather. */
function timeIsUp(until: number): AbortSignal {
  return AbortSignal.timeout(Math.max(0, Math.round(until - performance.now())))
}

/** Options of `serve` for troubles that nobody schedules. */
function moodOf(random: Random): string[] {
  const seed = ['--seed', String(random.below(1_000))]
  const moods = [[], ['--latency', '0-15'], ['--error-rate', '0.03', ...seed], ['--rate-limit', '300']]
  return oneOf(random, moods)
}

interface Epoch {
  readonly options: SoakOptions
  readonly epoch: number
  readonly until: number
  readonly figures: Figures
  readonly children: Children
  readonly work: WorkFolder
  readonly service: ServiceProcess
  readonly onDifference: (difference: string) => void
}

/** @returns digests of the tables' rows */
async function playLane(
  { options, epoch, until, figures, onDifference, ...parts }: Epoch,
  lane: number,
): Promise<Map<string, string>> {
  const tables = new Map<string, string>()
  const { seed, records, patient } = options
  for (let round = 0; round === 0 || performance.now() < until; round++) {
    const name = `e${epoch}_l${lane}_r${round}`
    const random = seeded(seed, epoch, lane, round)
    const workload = workloadOf(random, `${name}_`, records, patient)
    const endings = Math.ceil(options.endings / 2) + random.below(1 + options.endings / 2)
    const played = await playRound({ ...parts, name, workload, random, figures, endings })
    options.onProgress?.(figures)
    if (typeof played === 'string') onDifference(played)
    else digestAll(played, tables)
  }
  return tables
}

/** Nothing may have landed in a table after its round. */
async function changedSince(
  service: ServiceProcess,
  lanes: readonly ReadonlyMap<string, string>[],
): Promise<string | undefined> {
  for (const tables of lanes) {
    for (const [table, digest] of tables)
      if (digestOf(await service.rows(table)) !== digest) return `table ${table} has changed after its round`
  }
  return undefined
}

function digestAll(compared: Compared, tables: Map<string, string>): void {
  for (const [table, rows] of compared) tables.set(table, digestOf(rows))
}

function digestOf(rows: readonly string[]): string {
  return createHash('sha256').update(rows.join('\n'), 'latin1').digest('hex')
}
