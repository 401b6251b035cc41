// `npm run simulate -- --fleet`: clients of one service, in virtual time. A row for each world: of each figure the median of all
// seeds and the worst, and the laws that are broken.

import { availableParallelism } from 'node:os'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { Worker, parentPort, workerData } from 'node:worker_threads'
import { aloneWorlds } from './alone.ts'
import { fleetWorlds, type Figure, type WorldPlan } from './fleets.ts'
import { playFleet, type PermitsClass } from './play-fleet.ts'

export const FLEET_USAGE = `       npm run simulate -- --fleet [--members 2,10,50] [--alone] [--only REGEX] [--seeds 5]
                                                               plays clients that share a service, or one alone;
       --trace                                                 prints each second of the first of these worlds`

export interface FleetOptions {
  readonly alone: boolean
  readonly members: readonly number[]
  readonly only: string
  readonly seeds: number
  /** A file with the class AdaptivePermits. */
  readonly permits: string
}

/** `begun`: how many histories are. */
type Job = FleetOptions & { readonly begun: Int32Array }
type Done = readonly [world: number, figures: readonly Figure[]]

export const PERMITS = fileURLToPath(new URL('../../../src/core/concurrency/limit.ts', import.meta.url))

function worldsOf({ alone, members, only }: FleetOptions): WorldPlan[] {
  return (alone ? aloneWorlds() : fleetWorlds(members)).filter(({ name }) => new RegExp(only).test(name))
}

async function permitsOf({ permits }: FleetOptions): Promise<PermitsClass> {
  return ((await import(pathToFileURL(permits).href)) as { AdaptivePermits: PermitsClass }).AdaptivePermits
}

/** @returns a row for each world, and whether it breaks a law */
export async function playFleets(options: FleetOptions): Promise<[row: string, isBroken: boolean][]> {
  const job: Job = { ...options, begun: new Int32Array(new SharedArrayBuffer(4)) }
  const worlds = worldsOf(options)
  const found: (readonly Figure[])[][] = worlds.map(() => [])
  const play = (): Promise<void> =>
    new Promise((end, fail) => {
      const worker = new Worker(new URL(import.meta.url), { workerData: job })
      worker.on('message', ([world, figures]: Done) => found[world]!.push(figures))
      worker.on('error', fail).on('exit', () => end())
    })
  await Promise.all(Array.from({ length: availableParallelism() }, play))
  return worlds.map(({ name }, world) => rowOf(name, found[world]!))
}

async function work(job: Job): Promise<void> {
  const worlds = worldsOf(job)
  const Permits = await permitsOf(job)
  const histories = worlds.flatMap((_, world) =>
    Array.from({ length: job.seeds }, (__, seed) => [world, seed + 1] as const),
  )
  for (;;) {
    // the largest first
    const next = histories.at(-1 - Atomics.add(job.begun, 0, 1))
    if (!next) return
    const [world, seed] = next
    const plan = worlds[world]!
    const done: Done = [world, plan.measure(playFleet(plan, Permits, seed), Permits, seed)]
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- this is no window
    parentPort!.postMessage(done)
  }
}

function rowOf(name: string, found: readonly (readonly Figure[])[]): [row: string, isBroken: boolean] {
  const cells = found[0]!.map(({ name, least = -Infinity, most = Infinity, median = -Infinity }, index) => {
    const values = found.map((figures) => figures[index]!.value).toSorted((a, b) => a - b)
    const [middle, worst] = [values[values.length >> 1]!, most < Infinity ? values.at(-1)! : values[0]!]
    const isKept = worst >= least && worst <= most && middle >= median
    const law = isKept ? '' : ` ✗${most < Infinity ? most : least}${median > 0 ? ` ${median}` : ''}`
    return `${name} ${short(middle)} (${short(worst)})${law}`.padEnd(25)
  })
  const isBroken = cells.some((cell) => cell.includes('✗'))
  return [`${isBroken ? '✗' : '✓'} ${name.padEnd(55)} ${cells.join('')}`.trimEnd(), isBroken]
}

function short(value: number): string {
  return value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2)
}

async function trace(options: FleetOptions): Promise<void> {
  const plan = worldsOf(options)[0]!
  playFleet(
    plan,
    await permitsOf(options),
    options.seeds,
    (second, { members, seen: { sent, good, refused, bad } }) => {
      const each = members.slice(0, 10).map(({ inFlight, parts: { permits } }) => {
        const facts = Object.getOwnPropertyNames(Object.getPrototypeOf(permits)).flatMap((name) => {
          const value = (permits as unknown as Record<string, unknown>)[name]
          return typeof value === 'number' ? [`${name} ${short(value)}`] : []
        })
        return [`${inFlight} in flight`, ...facts].join(' ')
      })
      const counts = `sent ${sent[second]} good ${good[second]} refused ${refused[second]} bad ${bad[second]}`
      console.log(`${String(second).padStart(3)} ${counts} | ${each.join(' | ')}`)
    },
  )
}

/** @returns the exit code
 *  @throws TypeError when there is something that is not understood */
export async function simulateFleets(): Promise<number> {
  const { values } = parseArgs({
    options: {
      fleet: { type: 'boolean' },
      alone: { type: 'boolean', default: false },
      members: { type: 'string', default: '2,10,50' },
      only: { type: 'string', default: '' },
      seeds: { type: 'string', default: '5' },
      permits: { type: 'string', default: PERMITS },
      trace: { type: 'boolean', default: false },
    },
  })
  const options = { ...values, members: values.members.split(',').map(Number), seeds: Number(values.seeds) }
  if ([...options.members, options.seeds].some((number) => !Number.isSafeInteger(number) || number < 1))
    throw new TypeError('--members and --seeds must be whole numbers from 1.')
  if (values.trace) {
    await trace(options)
    return 0
  }
  const rows = await playFleets(options)
  for (const [row] of rows) console.log(row)
  const broken = rows.filter(([, isBroken]) => isBroken).length
  console.log(`${broken} of ${rows.length} worlds break a law, with ${options.seeds} seeds each.`)
  return broken > 0 ? 1 : 0
}

if ((workerData as Partial<Job> | null)?.begun) await work(workerData as Job)
