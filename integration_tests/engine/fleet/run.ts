// `npm run simulate -- --fleet`: many clients, and one alone, against one service in virtual time. Prints a row for each world, with
// the median of its seeds and the worst of them, and which law is broken.

import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads'
import { playFleet } from './play-fleet.ts'
import type { PermitsClass } from './play-fleet.ts'
import { aloneWorlds, fleetWorlds } from './worlds.ts'
import type { Figure, WorldPlan } from './worlds.ts'

const USAGE = `Usage: npm run simulate -- --fleet [--alone] [--members 2,10,50] [--only REGEX] [--seeds N]
         [--permits FILE]   with the class AdaptivePermits of this file
         [--trace]          prints the seconds of the first world, with one seed`

export interface FleetOptions {
  readonly alone: boolean
  readonly members: readonly number[]
  readonly only: string
  readonly seeds: number | undefined
  readonly permits: string
}

interface Job {
  readonly options: FleetOptions
  /** Histories that somebody has taken. */
  readonly taken: Int32Array
}

interface Done {
  readonly world: number
  readonly figures: readonly Figure[]
}

export interface Row {
  readonly name: string
  readonly cells: readonly string[]
  readonly isBroken: boolean
}

export const DEFAULTS: FleetOptions = {
  alone: false,
  members: [2, 10, 50],
  only: '',
  seeds: undefined,
  permits: new URL('../../../src/core/concurrency/limit.ts', import.meta.url).href,
}

function worldsOf({ alone, members, only, seeds }: FleetOptions): WorldPlan[] {
  const worlds = alone ? aloneWorlds(seeds ?? 5) : fleetWorlds(members, seeds ?? 5)
  return worlds.filter(({ name }) => new RegExp(only).test(name))
}

async function permitsOf({ permits }: FleetOptions): Promise<PermitsClass> {
  return ((await import(permits)) as { AdaptivePermits: PermitsClass }).AdaptivePermits
}

function histories(worlds: readonly WorldPlan[]): { world: number; seed: number }[] {
  const all = worlds.flatMap(({ seeds }, world) =>
    Array.from({ length: seeds }, (_, seed) => ({ world, seed: seed + 1 })),
  )
  // the largest come last, and are to begin first
  return all.toReversed()
}

/** @returns the rows of the table, in the order of the worlds */
export async function simulateFleets(options: FleetOptions): Promise<Row[]> {
  const worlds = worldsOf(options)
  const job: Job = { options, taken: new Int32Array(new SharedArrayBuffer(4)) }
  const found: (readonly Figure[])[][] = worlds.map(() => [])
  await Promise.all(
    Array.from({ length: availableParallelism() }, async () => {
      const worker = new Worker(new URL(import.meta.url), { workerData: job })
      await new Promise<void>((resolve, reject) => {
        worker.on('message', ({ world, figures }: Done) => found[world]!.push(figures))
        worker.on('error', reject).on('exit', () => resolve())
      })
    }),
  )
  return worlds.map(({ name }, index) => rowOf(name, found[index]!))
}

async function work({ options, taken }: Job): Promise<void> {
  const worlds = worldsOf(options)
  const all = histories(worlds)
  const Permits = await permitsOf(options)
  for (let next = all[Atomics.add(taken, 0, 1)]; next; next = all[Atomics.add(taken, 0, 1)]) {
    const { world, seed } = next
    const plan = worlds[world]!
    const done: Done = { world, figures: plan.measure(playFleet(plan, Permits, seed), Permits, seed) }
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- this is no window
    parentPort!.postMessage(done)
  }
}

function rowOf(name: string, found: readonly (readonly Figure[])[]): Row {
  const cells = found[0]!.map(({ name, least, most, median }, index) => {
    const values = found.map((figures) => figures[index]!.value).toSorted((a, b) => a - b)
    const middle = values[values.length >> 1]!
    const worst = most === undefined ? values[0]! : values.at(-1)!
    const isBroken = !(worst >= (least ?? -Infinity) && worst <= (most ?? Infinity) && middle >= (median ?? -Infinity))
    const bar = [median === undefined ? '' : `${median}/`, least ?? most ?? ''].join('')
    return { text: `${name} ${short(middle)} (${short(worst)})${isBroken ? ` ✗${bar}` : ''}`, isBroken }
  })
  return { name, cells: cells.map(({ text }) => text), isBroken: cells.some(({ isBroken }) => isBroken) }
}

function short(value: number): string {
  return value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2)
}

export function print({ name, cells, isBroken }: Row): string {
  return `${isBroken ? '✗' : '✓'} ${name.padEnd(52)} ${cells.map((cell) => cell.padEnd(24)).join(' ')}`.trimEnd()
}

/** What the permits tell of themselves. */
function factsOf(permits: object): string {
  const facts = Object.getOwnPropertyNames(Object.getPrototypeOf(permits)).flatMap((name) => {
    const value: unknown = (permits as Record<string, unknown>)[name]
    return typeof value === 'number' ? [`${name} ${short(value)}`] : []
  })
  return facts.join(' ')
}

async function trace(options: FleetOptions): Promise<void> {
  const plan = worldsOf(options)[0]!
  console.log(plan.name)
  playFleet(plan, await permitsOf(options), options.seeds ?? 1, (second, members, seen) => {
    const { sent, good, refused, bad } = seen
    const each = members.slice(0, 10).map(({ inFlight, permits }) => `${inFlight} in flight ${factsOf(permits)}`)
    const counts = `sent ${sent[second]} good ${good[second]} refused ${refused[second]} bad ${bad[second]}`
    console.log(`${String(second).padStart(3)} ${counts} | ${each.join(' | ')}`)
  })
}

function readOptions(): FleetOptions & { readonly trace: boolean } {
  const { values } = parseArgs({
    options: {
      fleet: { type: 'boolean' },
      alone: { type: 'boolean', default: false },
      members: { type: 'string', default: '2,10,50' },
      only: { type: 'string', default: '' },
      seeds: { type: 'string' },
      permits: { type: 'string' },
      trace: { type: 'boolean', default: false },
    },
  })
  const { alone, only, trace } = values
  const members = values.members.split(',').map(Number)
  const seeds = values.seeds === undefined ? undefined : Number(values.seeds)
  if ([...members, seeds ?? 1].some((number) => !Number.isSafeInteger(number) || number < 1))
    throw new TypeError('--members and --seeds must be whole numbers from 1.')
  const permits = values.permits === undefined ? DEFAULTS.permits : pathToFileURL(resolve(values.permits)).href
  return { alone, members, only, seeds, permits, trace }
}

/** @returns the exit code */
export async function main(): Promise<number> {
  try {
    const options = readOptions()
    if (options.trace) {
      await trace(options)
      return 0
    }
    const started = performance.now()
    const rows = await simulateFleets(options)
    for (const row of rows) console.log(print(row))
    const broken = rows.filter(({ isBroken }) => isBroken).length
    console.log(
      `${broken} of ${rows.length} worlds break a law (${((performance.now() - started) / 1000).toFixed(0)} s).`,
    )
    return broken > 0 ? 1 : 0
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    console.error(`${error.message}\n${USAGE}`)
    return 2
  }
}

if (!isMainThread && workerData !== null) await work(workerData as Job)
