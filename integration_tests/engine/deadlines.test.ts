// Deadlines that a few planned situations show more sharply than histories by chance: virtual time, exact bounds.

import { expect, test } from 'vitest'
import { FixedPermits } from '../../src/core/concurrency/fixed-permits.ts'
import { deliver } from '../../src/core/deliver.ts'
import { Tally } from '../../src/core/tally.ts'
import type { Item, Outcome, Request } from '../../src/core/types.ts'
import { Random } from './random.ts'
import { VirtualClock } from './virtual-clock.ts'

const LIMITS = {
  maxPoints: 5,
  maxBytes: 4000,
  maxWaitMs: 1000,
  lingerMs: 20,
  bufferBytes: 200_000,
  retryForMs: 900_000,
  guardMs: 60_000,
  graceMs: 20_000,
}
const LATENCY_MS = 50
const track = { name: 'orders' }
const table = { name: 'orders', keepLast: true }
const never = new AbortController().signal

/** @param v a member of the point, as JSON */
function record(id: number, v: number | string): Item<number, undefined> & { readonly kind: 'record' } {
  const bytes = Buffer.from(`{"keys":["id"],"id":${id},"v":${v}}`)
  const pieces = { head: bytes, headFrom: 0, headTo: 0, bytes, from: 0, to: bytes.length }
  return { ...pieces, kind: 'record', track, table, key: id, origin: undefined, held: 0 }
}

interface Plan {
  readonly limits?: Partial<typeof LIMITS>
  readonly permits?: number
  /** Called at each attempt; default: delivered. */
  readonly answer?: (request: Request, nth: number) => Outcome
  /** The chunk of each millisecond; undefined: the input ends. */
  chunk(ms: number): readonly Item<number, undefined>[] | undefined
}

/** Plays a plan, a chunk every millisecond. */
async function run(plan: Plan): Promise<{ delays: number[]; sends: { at: number; text: string }[] }> {
  const clock = new VirtualClock(new Random(1))
  const begin = clock.now()
  const arrivals: number[] = []
  const delays: number[] = []
  const sends: { at: number; text: string }[] = []
  let isOver = false
  const running = deliver<number, undefined>(
    {
      source: {
        async *read() {
          for (let ms = 0; ; ms++) {
            const items = plan.chunk(ms)
            if (!items) return
            for (const item of items) if (item.kind === 'checkpoint') arrivals[item.checkpoint] = clock.now()
            yield items
            await clock.wait(1, never)
          }
        },
        settled: async (checkpoint) => {
          delays[checkpoint] = clock.now() - arrivals[checkpoint]!
        },
      },
      transport: {
        send: async (request) => {
          const nth = sends.push({ at: clock.now() - begin, text: Buffer.from(request.body).toString() })
          await clock.wait(LATENCY_MS, never)
          return plan.answer?.(request, nth) ?? { status: 'delivered' }
        },
      },
      permits: new FixedPermits({ limit: plan.permits ?? 4 }),
      rejects: { overlaps: true, placeOf: () => undefined, put: () => Promise.resolve() },
      clock,
      limits: { ...LIMITS, ...plan.limits },
      tally: new Tally(),
      hashSeed: 1,
    },
    never,
  ).finally(() => (isOver = true))
  for (;;) {
    await new Promise(setImmediate)
    if (isOver) break
    expect(clock.advance()).toBe(true)
  }
  expect(await running).toBe('complete')
  return { delays, sends }
}

const checkpoint = (id: number): Item<number, undefined> => ({
  kind: 'checkpoint',
  scope: track,
  checkpoint: id,
  bytes: 100,
})

test('under one eternally hot key each checkpoint comes within two attempts and the linger', async () => {
  const { delays, sends } = await run({
    chunk: (ms) => (ms < 5000 ? [record(1, ms * 2), record(1, ms * 2 + 1), checkpoint(ms)] : undefined),
  })
  expect(delays).toHaveLength(5000)
  expect(Math.max(...delays)).toBeLessThan(2 * LATENCY_MS + LIMITS.lingerMs + 1)
  expect(sends.length).toBeLessThan(5000 / LATENCY_MS + 3)
})

test.each([1, 2, 4])('a hot key in bodies full of others holds nothing up either, with %i permits', async (permits) => {
  // up to as many others as the permits carry
  const { delays } = await run({
    permits,
    chunk: (ms) =>
      ms < 5000
        ? [record(0, ms), ...(ms % 40 < permits * 2 ? [record(1 + (ms % 1000), ms)] : []), checkpoint(ms)]
        : undefined,
  })
  expect(delays).toHaveLength(5000)
  expect(Math.max(...delays)).toBeLessThan(LIMITS.maxWaitMs)
})

test('a point that outgrows its body again and again keeps its age', async () => {
  const grow = (ms: number) => record(0, `"${'x'.repeat(60 + (ms % 20))}"`)
  const { delays } = await run({
    limits: { maxBytes: 150 },
    chunk: (ms) => (ms < 3000 ? [grow(ms), ...(ms % 30 === 0 ? [record(1 + ms, ms)] : []), checkpoint(ms)] : undefined),
  })
  expect(delays).toHaveLength(3000)
  expect(Math.max(...delays)).toBeLessThan(LIMITS.maxWaitMs)
})

test('newer values of an ambiguous key wait for the guard, other keys do not', async () => {
  const { sends } = await run({
    chunk: (ms) => (ms === 0 ? [record(1, 0)] : ms === 60 ? [record(1, 60), record(2, 60)] : ms < 61 ? [] : undefined),
    answer: (_, nth) =>
      nth === 1
        ? { status: 'retry', cause: 'timeout', ambiguous: true, congestion: true, reason: 'no answer came' }
        : { status: 'delivered' },
  })
  const at = (text: string): number[] => sends.filter((sent) => sent.text.includes(text)).map((sent) => sent.at)
  expect(at('"id":2')[0]).toBeLessThan(60 + LIMITS.lingerMs + 1)
  expect(at('"v":0')).toHaveLength(2)
  // an arrival counts in whole milliseconds
  expect(at('"v":0')[0]).toBeGreaterThan(LIMITS.lingerMs - 1)
  const lost = at('"v":0')[0]! + LATENCY_MS
  expect(at('"id":1,"v":60')[0]).toBeGreaterThanOrEqual(lost + LIMITS.guardMs - 0.001)
  expect(at('"id":1,"v":60')[0]).toBeLessThan(lost + LIMITS.guardMs + 1)
})

test('three points of one table do not wait for a flood of another', async () => {
  const other = { name: 'flood', keepLast: true }
  const flood = (ms: number): Item<number, undefined>[] =>
    Array.from({ length: 20 }, (_, index) => ({
      ...record(ms * 20 + index, ms),
      table: other,
    }))
  const { sends } = await run({
    permits: 1,
    limits: { bufferBytes: 10_000_000 },
    chunk: (ms) =>
      ms === 0 ? [record(1, 1), record(2, 2), record(3, 3), ...flood(0)] : ms < 1500 ? flood(ms) : undefined,
  })
  const sent = sends.find(({ text }) => text.includes('"id":1,"v":1}'))
  expect(sent?.at).toBeLessThan(LIMITS.maxWaitMs + 2 * LATENCY_MS)
})
