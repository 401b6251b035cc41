// The permits against services that are queues, limiters and outages, in virtual time: how fast against the best fixed
// number, how many refusals, how long a queue. The caller is deliver's way to use permits, without its records.

import { expect, test } from 'vitest'
import { FixedPermits } from './fixed-permits.ts'
import { AdaptivePermits } from './limit.ts'
import { nextAttempt } from '../retry.ts'
import { Timed } from '../queues.ts'
import { again, delivered } from '../testing/outcomes.ts'
import type { Outcome, Permits } from '../types.ts'

class World {
  now = 0
  readonly #events = new Timed<() => void>()
  #seed: number

  constructor(seed: number) {
    this.#seed = seed
  }

  /** [0, 1), the same in every run. */
  random(): number {
    this.#seed = (this.#seed * 48_271) % 2_147_483_647
    return this.#seed / 2_147_483_648
  }

  at(time: number, then: () => void): void {
    this.#events.put(time, then)
  }

  run(until: number): void {
    while (this.#events.nextAt <= until) {
      this.now = Math.max(this.now, this.#events.nextAt)
      this.#events.take()!()
    }
    this.now = until
  }
}

/** Answers a request, later. */
type Service = (world: World, answer: (outcome: Outcome) => void) => void

/** Servers side by side with one queue before them. */
function servers(capacity: (now: number) => number, ms: (world: World) => number): Service {
  let busy = 0
  const queue: (() => void)[] = []
  return (world, answer) => {
    const serve = (): void => {
      busy++
      world.at(world.now + ms(world), () => {
        busy--
        while (queue.length > 0 && busy < capacity(world.now)) queue.shift()!()
        answer(delivered)
      })
    }
    if (busy < capacity(world.now)) serve()
    else queue.push(serve)
  }
}

/** So many a second, a second's worth saved up. */
function bucket(perSecond: number, inner: Service, afterMs?: number): Service {
  let [tokens, at] = [perSecond, 0]
  return (world, answer) => {
    tokens = Math.min(perSecond, tokens + ((world.now - at) * perSecond) / 1000)
    at = world.now
    if (tokens < 1) return world.at(world.now + 1, () => answer(again('throttled', true, afterMs)))
    tokens--
    return inner(world, answer)
  }
}

/** So many in each second of the clock. */
function bySecond(count: number, inner: Service): Service {
  let [used, second] = [0, -1]
  return (world, answer) => {
    if (Math.floor(world.now / 1000) !== second) [used, second] = [0, Math.floor(world.now / 1000)]
    if (used++ < count) return inner(world, answer)
    return world.at(world.now + 1, () => answer(again('throttled', true)))
  }
}

function outage(from: number, to: number, afterMs: number, outcome: Outcome, inner: Service): Service {
  return (world, answer) => {
    if (world.now < from || world.now >= to) return inner(world, answer)
    return world.at(world.now + afterMs, () => answer(outcome))
  }
}

/** Every attempt has this chance to be refused, whatever the load. */
function flaky(chance: number, outcome: Outcome, inner: Service): Service {
  return (world, answer) => {
    if (world.random() >= chance) return inner(world, answer)
    return world.at(world.now + 1, () => answer(outcome))
  }
}

/** The same, but it answers no sooner than to what it accepts. */
function slowlyFlaky(chance: number, outcome: Outcome, inner: Service): Service {
  return (world, answer) => inner(world, (good) => answer(world.random() < chance ? outcome : good))
}

interface Second {
  delivered: number
  refused: number
  /** Of the delivered, summed. */
  ms: number
}

/** Endless input for so many seconds. */
function run(permits: Permits, service: Service, seconds: number, seed = 1): Second[] {
  const world = new World(seed)
  const now = (): number => Math.floor(world.now)
  const retries = new Timed<{ attempts: number }>()
  const counts: Second[] = Array.from({ length: seconds + 1 }, () => ({ delivered: 0, refused: 0, ms: 0 }))
  let [inFlight, lastEnd, timer] = [0, -Infinity, Infinity]
  const retryAt = (): number => (inFlight === 0 ? Math.min(retries.nextAt, lastEnd + 2000) : retries.nextAt)
  const isRetryDue = (): boolean => retries.size > 0 && retryAt() <= now()
  const end = (batch: { attempts: number }, outcome: Outcome, started: number): void => {
    const ended = now()
    inFlight--
    lastEnd = ended
    permits.give(outcome, ended - started, ended)
    const count = counts[Math.floor(ended / 1000)]!
    if (outcome.status === 'delivered') {
      count.delivered++
      count.ms += ended - started
    } else count.refused++
    if (outcome.status === 'retry') {
      const attempted = {
        table: { name: 't', keepLast: true },
        track: { name: 's' },
        firstAt: ended,
        wasStale: false,
        ...batch,
      }
      const at = nextAttempt(outcome, attempted, 900_000, ended, world.random())
      if (at !== undefined) retries.put(at, batch)
    }
    turn()
  }
  const attempt = (batch: { attempts: number }): void => {
    inFlight++
    batch.attempts++
    const started = now()
    service(world, (outcome) => end(batch, outcome, started))
  }
  const turn = (): void => {
    while (permits.take(isRetryDue() ? 'retry' : 'first', now()))
      attempt(isRetryDue() ? retries.take()! : { attempts: 0 })
    const change = permits.nextChange(now()) ?? Infinity
    const at = Math.ceil(Math.min(change, isRetryDue() || retries.size === 0 ? Infinity : retryAt()))
    if (at >= timer) return
    timer = at
    world.at(at, () => {
      if (timer !== at) return
      timer = Infinity
      turn()
    })
  }
  turn()
  world.run(seconds * 1000)
  return counts
}

/** Of the seconds `from` to `to`. */
function over(counts: readonly Second[], from: number, to: number): { perSecond: number; refused: number; ms: number } {
  const sum = { delivered: 0, refused: 0, ms: 0 }
  for (const count of counts.slice(from, to)) {
    sum.delivered += count.delivered
    sum.refused += count.refused
    sum.ms += count.ms
  }
  const answers = sum.delivered + sum.refused
  return { perSecond: sum.delivered / (to - from), refused: sum.refused / answers, ms: sum.ms / sum.delivered }
}

const constant = (value: number) => (): number => value

test.each([50, 200, 1000].flatMap((ms) => [8, 64, Infinity].map((capacity) => [ms, capacity] as const)))(
  '%d ms, %d at once: after 3 s at least nine tenths of the best fixed number, no queue beyond its size',
  (ms, capacity) => {
    const service = (): Service => servers(constant(capacity), constant(ms))
    const adaptive = run(new AdaptivePermits(), service(), 40)
    const best = Math.max(
      ...[8, 64, 128].map((limit) => over(run(new FixedPermits({ limit }), service(), 14), 4, 14).perSecond),
    )
    expect(over(adaptive, 4, 14).perSecond).toBeGreaterThanOrEqual(best * 0.9)
    expect(over(adaptive, 20, 40).perSecond).toBeGreaterThanOrEqual(best * 0.98)
    expect(over(adaptive, 20, 40).ms).toBeLessThan(ms * 3)
  },
)

const uneven =
  (ms: number, sigma: number) =>
  (world: World): number =>
    ms * Math.exp(sigma * Math.sqrt(-2 * Math.log(1 - world.random())) * Math.cos(2 * Math.PI * world.random()))

test.each([
  [25, 0, 0],
  [25, 20, 0],
  [25, 50, 0],
  [25, 200, 0],
  [10, 0, 0],
  [100, 0, 0],
  [250, 0, 0],
  [22, 0, 0.5],
  [22, 50, 0.5],
])(
  'one after another, %d ms each, %d ms on the way, sigma %d: all of the rate, and no long queue',
  (ms, way, sigma) => {
    const one = servers(constant(1), uneven(ms, sigma))
    const service: Service = (world, answer) =>
      one(world, (outcome) => world.at(world.now + way, () => answer(outcome)))
    const counts = run(new AdaptivePermits(), service, 120)
    const { perSecond, ms: found } = over(counts, 60, 120)
    const mean = ms * Math.exp(sigma ** 2 / 2)
    expect(perSecond).toBeGreaterThanOrEqual((1000 / mean) * 0.97)
    expect(found).toBeLessThanOrEqual((2 * (mean + way) + 50) * (1 + sigma / 5))
    // on the way there it is never slow
    expect(over(counts, 5, 60).perSecond).toBeGreaterThanOrEqual((1000 / mean) * 0.93)
  },
)

test('latency that grows with what is in flight, and the rate with it: it is worth it', () => {
  let inFlight = 0
  const shared: Service = (world, answer) => {
    inFlight++
    world.at(world.now + 50 + inFlight, () => {
      inFlight--
      answer(delivered)
    })
  }
  const best = 128_000 / (50 + 128)
  expect(over(run(new AdaptivePermits(), shared, 40), 10, 40).perSecond).toBeGreaterThan(best * 0.9)
})

test.each([
  [32, 1],
  [1, 32],
])(
  'a capacity that goes from %d to %d at once: the rate at once, and half a minute later no long queue',
  (from, to) => {
    const service = servers((now) => (now < 20_000 ? from : to), constant(50))
    const counts = run(new AdaptivePermits(), service, 120)
    expect(over(counts, 26, 120).perSecond).toBeGreaterThanOrEqual(to * 20 * 0.97)
    expect(over(counts, 60, 120).ms).toBeLessThanOrEqual(150)
  },
)

test('from one at a time, 25 ms each, to 50 ms, for good: the new latency is learnt', () => {
  const service = servers(constant(1), (world) => (world.now < 20_000 ? 25 : 50))
  const { perSecond, ms } = over(run(new AdaptivePermits(), service, 60), 30, 60)
  expect(perSecond).toBeGreaterThanOrEqual(20 * 0.97)
  expect(ms).toBeLessThanOrEqual(150)
})

test.each([0.3, 0.6, 1])('lognormal latency of sigma %d is no congestion', (sigma) => {
  const jitter = uneven(100, sigma)
  const mean = 100 * Math.exp(sigma ** 2 / 2)
  const adaptive = run(new AdaptivePermits(), servers(constant(Infinity), jitter), 90)
  expect(over(adaptive, 5, 90).perSecond).toBeGreaterThan(((128 * 1000) / mean) * 0.9)
})

test('sizes mixed, or all larger from now on: no cut that lasts', () => {
  const mixed = servers(constant(Infinity), (world) => (world.random() < 0.05 ? 800 : 50))
  expect(over(run(new AdaptivePermits(), mixed, 40), 5, 40).perSecond).toBeGreaterThan((128_000 / 87.5) * 0.9)
  const later = servers(constant(Infinity), (world) => (world.now < 20_000 ? 50 : 500))
  expect(over(run(new AdaptivePermits(), later, 40), 25, 40).perSecond).toBeGreaterThan(256 * 0.9)
})

test.each([0.3, 5, 50, 200, 500])('200 a second allowed, %d ms: used, and hardly ever refused', (ms) => {
  const inner = (): Service => servers(constant(Infinity), constant(ms))
  for (const service of [bucket(200, inner()), bySecond(200, inner())]) {
    const { perSecond, refused } = over(run(new AdaptivePermits(), service, 40), 10, 40)
    expect(perSecond).toBeGreaterThan(180)
    expect(refused).toBeLessThan(0.02)
  }
  const { perSecond, refused } = over(run(new AdaptivePermits(), bucket(200, inner(), 1000), 40), 10, 40)
  expect(perSecond).toBeGreaterThan(140)
  expect(refused).toBeLessThan(0.02)
})

test.each<[string, number, Outcome]>([
  ['refuses connections', 1, again('network', false)],
  ['answers 503', 5, again('server', true)],
  ['answers 503 with Retry-After', 5, again('server', true, 2000)],
  ['hangs', 10_000, again('timeout', true)],
])('30 s in which the origin %s: few attempts, and within 10 s four fifths of the speed', (_, afterMs, outcome) => {
  for (const ms of [5, 50, 200]) {
    const service = outage(15_000, 45_000, afterMs, outcome, servers(constant(Infinity), constant(ms)))
    const counts = run(new AdaptivePermits(), service, 65)
    const before = over(counts, 5, 15).perSecond
    expect(counts.slice(20, 45).reduce((sum, count) => sum + count.refused, 0)).toBeLessThan(200)
    expect(over(counts, 50, 55).perSecond).toBeGreaterThan(before * 0.75)
    expect(over(counts, 55, 65).perSecond).toBeGreaterThan(before * 0.8)
  }
})

test('a service that is far slower after an outage gets as much as it takes', () => {
  const ms = (world: World): number => (world.now < 10_000 ? 20 : 900)
  const service = outage(10_000, 25_000, 1, again('server', true), servers(constant(Infinity), ms))
  expect(over(run(new AdaptivePermits(), service, 70), 50, 70).perSecond).toBeGreaterThan((128 / 0.9) * 0.8)
})

/** This process is held up again and again: answers wait until it goes on. */
function heldUp(seed: number, inner: Service): { service: Service; busyMs: () => number } {
  const world = new World(seed)
  const pauses: [from: number, to: number][] = []
  for (let at = 0; at < 60_000;) {
    const from = at + 400 * world.random()
    pauses.push([from, (at = from + 250 * world.random())])
  }
  let now = 0
  const service: Service = (real, answer) => {
    now = real.now
    inner(real, (outcome) => {
      const to = pauses.find(([from, until]) => real.now >= from && real.now < until)?.[1] ?? real.now
      real.at(to, () => {
        now = real.now
        answer(outcome)
      })
    })
  }
  const busyMs = (): number => pauses.reduce((sum, [from, to]) => sum + Math.min(Math.max(0, now - from), to - from), 0)
  return { service, busyMs }
}

test('a process that is often held up is back at its speed soon after an outage', () => {
  const shares = Array.from({ length: 24 }, (_, index) => {
    const inner = outage(10_000, 20_000, 1, again('network', false), servers(constant(64), constant(50)))
    const { service, busyMs } = heldUp(index * 7919 + 13, inner)
    const counts = run(new AdaptivePermits({ busyMs }), service, 30, index * 7919 + 13)
    return over(counts, 21, 24).perSecond / over(counts, 5, 10).perSecond
  }).toSorted((a, b) => a - b)
  expect(shares[0], shares.map((share) => share.toFixed(2)).join(' ')).toBeGreaterThan(0.35)
  expect(shares[3], shares.map((share) => share.toFixed(2)).join(' ')).toBeGreaterThan(0.8)
})

test('a capacity that goes from 64 to 8 and back is followed', () => {
  const capacity = (now: number): number => {
    if (now < 50_000) return Math.round(64 - 56 * Math.min(1, Math.max(0, now - 20_000) / 30_000))
    return Math.round(8 + 56 * Math.min(1, Math.max(0, now - 80_000) / 30_000))
  }
  const service = (): Service => servers(capacity, constant(50))
  const adaptive = run(new AdaptivePermits(), service(), 140)
  const fixed = run(new FixedPermits({ limit: 128 }), service(), 140)
  for (const from of [20, 50, 80, 110]) {
    const part = over(adaptive, from, from + 30)
    expect(part.perSecond).toBeGreaterThan(over(fixed, from, from + 30).perSecond * 0.95)
    expect(part.ms).toBeLessThan(200)
  }
})

test.each<[string, number, Outcome]>([
  ['503', 0.05, again('server', true)],
  ['503', 0.1, again('server', true)],
  ['500', 0.1, again('server', false)],
])('%s to a share of %d whatever we send: most of the rate within seconds', (_, share, outcome) => {
  const runs = Array.from({ length: 12 }, (__, index) =>
    run(new AdaptivePermits(), flaky(share, outcome, servers(constant(64), constant(50))), 15, index * 7919 + 13),
  )
  const median = (from: number, to: number): number =>
    runs.map((counts) => over(counts, from, to).perSecond).toSorted((a, b) => a - b)[6]!
  expect(median(0, 5)).toBeGreaterThan(1280 * 0.25)
  expect(median(5, 15)).toBeGreaterThan(1280 * 0.9)
})

test.each(
  [50, 200].flatMap((ms) =>
    [0.003, 0.01, 0.03, 0.1].flatMap((share) => [true, false].map((is503) => [ms, share, is503] as const)),
  ),
)('%d ms, and a share of %d fails whatever we send, by a 503: %s: it costs no more than itself', (ms, share, is503) => {
  const rateAt = (chance: number, seed: number): number => {
    const service = slowlyFlaky(chance, again('server', is503), servers(constant(64), constant(ms)))
    return over(run(new AdaptivePermits(), service, 40, seed), 10, 40).perSecond
  }
  const faultless = rateAt(0, 13) * (1 - share)
  const rates = Array.from({ length: 5 }, (_, index) => rateAt(share, index * 7919 + 13) / faultless).toSorted(
    (a, b) => a - b,
  )
  const found = rates.map((rate) => rate.toFixed(2)).join(' ')
  expect(rates[0], found).toBeGreaterThanOrEqual(0.8)
  expect(rates[2], found).toBeGreaterThanOrEqual(0.93)
})

test.each([4, 16, 40])('503 to what is beyond %d in flight is load: used, and seldom refused', (most) => {
  let inFlight = 0
  const service: Service = (world, answer) => {
    if (inFlight === most) return world.at(world.now + 1, () => answer(again('server', true)))
    inFlight++
    world.at(world.now + 50, () => {
      inFlight--
      answer(delivered)
    })
  }
  const counts = run(new AdaptivePermits(), service, 60)
  expect(over(counts, 0, 5).refused).toBeLessThan(0.6)
  const { perSecond, refused } = over(counts, 10, 60)
  expect(perSecond).toBeGreaterThan(most * 20 * 0.85)
  expect(refused).toBeLessThan(0.1)
})
