/* oxlint-disable oxc/no-map-spread -- once a spell, not once a request */
// `npm run simulate -- --worlds`: random worlds, the judge of how much is sent. A row for each kind of spell, then the worst ten.

import { availableParallelism } from 'node:os'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { Worker, parentPort, workerData } from 'node:worker_threads'
import type { PermitsClass } from '../fleet/play-fleet.ts'
import { drawWorld, namedWorlds, type WorldPlan } from './draw.ts'
import { describeSpell, rowsOf, worstOf, type Found } from './rows.ts'
import { playWorld } from './play-world.ts'

export const WORLDS_USAGE = `       npm run simulate -- --worlds [--seeds 200] [--from S] [--members 1,2,10]
                                                               plays random worlds, and those that have a name;
       npm run simulate -- --worlds --seed X [--members N] [--trace]   plays one, and prints each five seconds of it`

const PERMITS = fileURLToPath(new URL('../../../src/core/concurrency/limit.ts', import.meta.url))

interface Job {
  readonly from: number
  readonly seeds: number
  readonly members: readonly number[]
  /** A file with the class AdaptivePermits. */
  readonly permits: string
  /** How many worlds were begun. */
  readonly begun: Int32Array
}

async function permitsOf(file: string): Promise<PermitsClass> {
  return ((await import(pathToFileURL(file).href)) as { AdaptivePermits: PermitsClass }).AdaptivePermits
}

/** Of each world that is played, what was found in its spells, in the order of worlds. */
export async function playWorlds(options: Omit<Job, 'begun' | 'permits'> & { permits?: string }): Promise<Found[]> {
  const job: Job = { permits: PERMITS, ...options, begun: new Int32Array(new SharedArrayBuffer(4)) }
  const found: (readonly [number, Found[]])[] = []
  const play = (): Promise<void> =>
    new Promise((end, fail) => {
      const worker = new Worker(new URL(import.meta.url), { workerData: job })
      worker.on('message', (one: readonly [number, Found[]]) => found.push(one))
      worker.on('error', fail).on('exit', () => end())
    })
  await Promise.all(Array.from({ length: availableParallelism() }, play))
  return found.toSorted(([a], [b]) => a - b).flatMap(([, spells]) => spells)
}

function historiesOf({ from, seeds, members }: Job): (readonly [WorldPlan, number, number])[] {
  const named = members.includes(1)
    ? namedWorlds().flatMap((world) => [1, 2, 3].map((seed) => [world, seed, 1] as const))
    : []
  const drawn = members.flatMap((count) =>
    Array.from({ length: seeds }, (_, index) => [drawWorld(from + index, count), from + index, count] as const),
  )
  return [...named, ...drawn]
}

async function work(job: Job): Promise<void> {
  const Permits = await permitsOf(job.permits)
  const histories = historiesOf(job)
  for (;;) {
    // the largest first
    const index = histories.length - 1 - Atomics.add(job.begun, 0, 1)
    if (index < 0) return
    const [world, seed, members] = histories[index]!
    const spells = playWorld(world, Permits, seed)
    const isNamed = !world.name.startsWith('seed')
    const found = spells.map((judged, spell): Found => ({
      ...judged,
      world: world.name,
      isNamed,
      members,
      index: spell,
      isLast: spell === spells.length - 1,
    }))
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- this is no window
    parentPort!.postMessage([index, found])
  }
}

async function trace(seed: number, members: number, permits: string): Promise<void> {
  const world = drawWorld(seed, members)
  const Permits = await permitsOf(permits)
  let spell = -1
  const found = playWorld(world, Permits, seed, ({ second, seen, members: all }) => {
    const now = world.spells.findIndex(({ to }) => second * 1000 < to)
    if (now !== spell) console.log(describeSpell(world.spells[(spell = now)]!))
    if (second % 5 !== 4) return
    const over = (counts: Float64Array): string =>
      (counts.subarray(second - 4, second + 1).reduce((sum, n) => sum + n, 0) / 5).toFixed(1).padStart(7)
    const each = all.slice(0, 10).map(({ inFlight, parts: { permits: own } }) => {
      const { limit, rate } = own as unknown as { limit: number; rate: { perSecond: number; cause?: string } }
      return `${inFlight}/${limit} ${rate.perSecond.toFixed(1)}/s`
    })
    console.log(
      `${String(second + 1).padStart(4)} s good ${over(seen.good)} refused ${over(seen.refused)} bad ${over(seen.bad)} | ${each.join(' | ')}`,
    )
  })
  for (const { from15, from40 } of found)
    console.log(`of what is possible: ${from15.toFixed(2)} from 15 s, ${from40.toFixed(2)} from 40 s`)
}

/** @returns the exit code
 *  @throws TypeError when there is something that is not understood */
export async function simulateWorlds(): Promise<number> {
  const { values } = parseArgs({
    options: {
      worlds: { type: 'boolean' },
      seeds: { type: 'string', default: '200' },
      from: { type: 'string', default: '0' },
      seed: { type: 'string' },
      members: { type: 'string', default: '1' },
      permits: { type: 'string', default: PERMITS },
      trace: { type: 'boolean', default: false },
    },
  })
  const members = values.members.split(',').map(Number)
  const [seeds, from, seed] = [
    Number(values.seeds),
    Number(values.from),
    values.seed === undefined ? undefined : Number(values.seed),
  ]
  if (
    [...members, seeds].some((number) => !Number.isSafeInteger(number) || number < 1) ||
    ![from, seed ?? 0].every(Number.isSafeInteger)
  )
    throw new TypeError('--members and --seeds must be whole numbers from 1, --seed and --from whole numbers.')
  if (seed !== undefined) {
    await trace(seed, members[0]!, values.permits)
    return 0
  }
  const started = performance.now()
  const found = await playWorlds({ from, seeds, members, permits: values.permits })
  const rows = rowsOf(found)
  for (const { text } of rows) console.log(text)
  console.log(worstOf(found).join('\n'))
  const broken = rows.filter(({ isBroken }) => isBroken).length
  console.log(
    `${broken} laws are broken in ${found.length} spells (${((performance.now() - started) / 1000).toFixed(0)} s).`,
  )
  return broken > 0 ? 1 : 0
}

if ((workerData as Partial<Job> | null)?.begun) await work(workerData as Job)
