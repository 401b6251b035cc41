// Whole engines in the place of a fleet's members: sources, bodies, tables and ledgers with them. So it shows whether members without
// bodies behave as the engine does.

import { AdaptivePermits } from '../../../src/core/concurrency/limit.ts'
import { deliver } from '../../../src/core/deliver.ts'
import { Tally } from '../../../src/core/tally.ts'
import type { Clock, Item, Source } from '../../../src/core/types.ts'
import { Random } from '../random.ts'
import { World } from './member.ts'
import { serve, type Seen, type ServicePlan } from './shared-service.ts'

const LIMITS = {
  maxPoints: 1,
  maxBytes: 1_000_000,
  maxWaitMs: 1000,
  lingerMs: 50,
  bufferBytes: 1_000_000,
  retryForMs: 900_000,
  guardMs: 60_000,
  graceMs: 5000,
}
const CHUNK = 16

/** Rows of different keys, each a request of its own, and a checkpoint behind each chunk, until a time. */
class Rows implements Source<number, number> {
  /** The last row of each chunk that is settled. */
  readonly settledRows: number[] = []
  rows = 0
  readonly #isOver: () => boolean

  constructor(isOver: () => boolean) {
    this.#isOver = isOver
  }

  async *read(signal: AbortSignal): AsyncGenerator<readonly Item<number, number>[]> {
    const track = { name: 'rows' }
    const table = { name: 'rows', keepLast: true }
    const head = Buffer.alloc(0)
    while (!signal.aborted && !this.#isOver()) {
      const items = Array.from({ length: CHUNK }, (): Item<number, number> => {
        const key = ++this.rows
        const bytes = Buffer.from(`{"keys":{"id":${key}}}`)
        const pieces = { head, headFrom: 0, headTo: 0, bytes, from: 0, to: bytes.length }
        return { kind: 'record', track, table, key, origin: key, held: 0, ...pieces }
      })
      yield [...items, { kind: 'checkpoint', scope: 'all', checkpoint: this.rows, bytes: 8 }]
    }
  }

  async settled(last: number): Promise<void> {
    this.settledRows.push(last)
  }
}

function clockOf(world: World, random: Random): Clock {
  return {
    now: () => Math.floor(world.now),
    random: () => random.next(),
    wait: (ms, signal) =>
      new Promise((resolve) => {
        const ring = (): void => {
          signal.removeEventListener('abort', ring)
          resolve()
        }
        signal.addEventListener('abort', ring)
        world.at(Math.floor(world.now) + ms + random.next(), ring)
      }),
  }
}

/** @returns what the service saw, and of each engine the requests that were delivered in each second, and its source */
export async function playEngines(
  service: ServicePlan,
  count: number,
  seconds: number,
): Promise<{ seen: Seen; good: Float64Array[]; sources: Rows[]; ends: string[] }> {
  const world = new World()
  const random = new Random(1)
  const { send, seen } = serve(service, world, () => random.next(), seconds + 60)
  const good = Array.from({ length: count }, () => new Float64Array(seconds + 60))
  const sources = good.map(() => new Rows(() => world.now >= seconds * 1000))
  const ends: string[] = []
  const engines = sources.map(async (source, index) => {
    const transport = {
      send: () =>
        new Promise<Parameters<Parameters<typeof send>[0]>[0]>((resolve) => {
          send((outcome) => {
            if (outcome.status === 'delivered') good[index]![Math.floor(world.now / 1000)]!++
            resolve(outcome)
          })
        }),
    }
    const rejects = { overlaps: true, placeOf: () => undefined, put: () => Promise.reject(new Error('a reject')) }
    const clock = clockOf(world, new Random(index + 2))
    const parts = {
      source,
      transport,
      permits: new AdaptivePermits(),
      rejects,
      clock,
      limits: LIMITS,
      tally: new Tally(),
    }
    ends.push(await deliver({ ...parts, hashSeed: index }, new AbortController().signal))
  })
  do await new Promise(setImmediate)
  while (world.step((seconds + 60) * 1000))
  await Promise.all(engines)
  return { seen, good, sources, ends }
}
