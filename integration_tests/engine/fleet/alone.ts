// One member alone, and the laws about it: faults that have nothing to do with how much it sends, real limits, and what is to be no
// worse than it was.

import type { Figure, WorldPlan } from './fleets.ts'
import { playFleet, type PermitsClass, type Played } from './play-fleet.ts'
import { atOnce, flaky, outage, perSecond, type Fault, type Gate, type ServicePlan } from './shared-service.ts'

const LIMITERS = ['bucket', 'second'] as const

const rate = ({ seen }: Played, from: number, to: number, of: keyof Played['seen'] = 'good'): number =>
  seen[of].subarray(from, to).reduce((sum, n) => sum + n, 0) / (to - from)

function alone(name: string, service: () => ServicePlan, measure: WorldPlan['measure'], seconds = 41): WorldPlan {
  const members = [{ from: 0, to: Infinity, isHot: name.includes('hot') }]
  return { name: `alone: ${name}`, service, members, seconds, measure }
}

const known = new Map<string, number>()

/** The same seed's rate without faults. */
function faultless(ms: number, Permits: PermitsClass, seed: number): number {
  const plan = alone(
    'no faults',
    () => ({ ms }),
    () => [],
  )
  const found = known.get(`${ms} ${seed}`) ?? rate(playFleet(plan, Permits, seed), 10, 40)
  known.set(`${ms} ${seed}`, found)
  return found
}

function faulty(ms: number, percent: number, fault: Fault): WorldPlan {
  const share = percent / 100
  // no more batches wait for a retry than there are permits, for a tenth of a second before the first and twice as long before
  // each further one: the law is about what that allows
  const most = (128 * (1 - 2 * share)) / (0.1 * share * (1 - share))
  const possible = Math.min(1, (most * ms) / 128_000)
  const name = possible < 1 ? `of ${possible.toFixed(2)}, kept` : 'kept'
  return alone(
    `${ms} ms, ${percent} % of ${fault}`,
    () => ({ ms, fault: flaky(share, fault) }),
    (played, ...same) => {
      const value = rate(played, 10, 40) / (1 - share) / possible / faultless(ms, ...same)
      return [{ name, value, least: 0.8, median: 0.93 }]
    },
  )
}

function limited(ms: number, name: string, allowed: number, gate: () => Gate, least = 0.9): WorldPlan {
  return alone(
    `${ms} ms, ${name}`,
    () => ({ ms, limit: gate() }),
    (played) => {
      const [good, refused] = [rate(played, 10, 40), rate(played, 10, 40, 'refused')]
      return [
        { name: 'used', value: good / allowed, least },
        { name: 'refused %', value: (100 * refused) / (refused + good), most: 2 },
      ]
    },
  )
}

function limits(ms: number, fault: Fault): WorldPlan[] {
  const caps = [50, 200, 1000].filter((cap) => cap < 128_000 / ms)
  return [
    ...caps.flatMap((cap) =>
      LIMITERS.map((by) => limited(ms, `${cap} a second, ${fault}, ${by}`, cap, () => perSecond(cap, by, fault))),
    ),
    ...[4, 16, 40].map((most) =>
      limited(ms, `${most} at once, ${fault}`, (1000 * most) / ms, () => atOnce(most, fault)),
    ),
  ]
}

const pauses = (ms: number): WorldPlan[] =>
  LIMITERS.map((by) => limited(ms, `200 a second, 429 Retry-After, ${by}`, 200, () => perSecond(200, by, 429, 1), 0.7))

/** Not worse than it was: `before` has the worst of five seeds, and a twentieth is chance. */
function steady(name: string, before: readonly [perSecond: number, ms: number], plan: ServicePlan): WorldPlan {
  const measure = (played: Played): Figure[] => [
    { name: 'a second', value: rate(played, 10, 60), least: before[0] * 0.95 },
    { name: 'ms', value: rate(played, 30, 60, 'ms') / rate(played, 30, 60), most: before[1] * 1.05 },
  ]
  return alone(name, () => plan, measure, 61)
}

function away(ms: number, fault: Fault, before: readonly [tries: number, back: number]): WorldPlan {
  const measure = (played: Played): Figure[] => [
    { name: 'tries', value: rate(played, 20, 45, 'bad'), most: before[0] * 1.05 },
    { name: 'back', value: rate(played, 47, 50) / rate(played, 5, 15), least: before[1] * 0.95 },
    { name: 'later', value: rate(played, 50, 65) / rate(played, 5, 15), least: 0.95 },
  ]
  return alone(`${ms} ms, outage (${fault})`, () => ({ ms, fault: outage(15_000, 45_000, fault) }), measure, 66)
}

const slow = (ms: number) => (now: number) => (now >= 15_000 && now < 30_000 ? 500 : ms)

export function aloneWorlds(): WorldPlan[] {
  const all = [5, 50, 200]
  return [
    ...all.flatMap((ms) =>
      [0.3, 1, 3, 10].flatMap((percent) =>
        ([503, 500, 502, 504, 'reset'] as const).map((fault) => faulty(ms, percent, fault)),
      ),
    ),
    ...all.flatMap((ms) => [limits(ms, 429), limits(ms, 503), pauses(ms)].flat()),
    steady('20 ms, line of one, 25 ms', [40, 101], { ms: 20, line: { workers: 1, ms: 25 } }),
    steady('20 ms, line of eight, 50 ms', [160, 138], { ms: 20, line: { workers: 8, ms: 50 } }),
    steady('line of eight, 50 ms, for 15 s 500 ms away', [126, 460], { ms: slow(5), line: { workers: 8, ms: 50 } }),
    steady('50 ms, for 15 s 500 ms', [1850, 52], { ms: slow(50) }),
    steady('5 ms, hot key', [200, 5.5], { ms: 5 }),
    steady('50 ms, hot key, 3 % of 503', [6.2, 51], { ms: 50, fault: flaky(0.03, 503) }),
    steady('50 ms, hot key, 3 % of 500', [18, 51], { ms: 50, fault: flaky(0.03, 500) }),
    away(50, 'refused', [1, 1]),
    away(50, 503, [1, 0.87]),
    away(5, 503, [1, 0.75]),
  ]
}
