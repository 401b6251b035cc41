// Services of every shape, and what is demanded of a connector nobody tuned. Knows no numbers but the bars'.

import { PLAIN, type Shape, type Tenth } from './shape.ts'

export interface Demand {
  readonly says: string
  readonly atLeast?: number
  readonly atMost?: number
  readonly of: (seen: readonly Tenth[]) => number
}

export interface Scenario {
  readonly name: string
  readonly shape: Shape
  readonly seconds: number
  readonly demands: readonly Demand[]
  /** Also run with the concurrency set by hand, and compared with the best of those. */
  readonly againstFixed?: true
}

const CAP: Shape = { ...PLAIN, latencyMs: 5, perSecond: 200, burst: 20 }
const AFTER_1: Shape = { ...CAP, retryAfter: { seconds: 1, as: 'seconds' } }
/** Of a full request. */
const POINTS = 100
const OUTAGE = { fromMs: 10_000, forMs: 60_000 }

export const SCENARIOS: readonly Scenario[] = [
  cap('cap-200', CAP, 0.9),
  cap('cap-200-instant', { ...CAP, latencyMs: 0 }, 0.9),
  cap('cap-200-slow', { ...CAP, latencyMs: 100 }, 0.9),
  cap('cap-200-burst', { ...CAP, burst: 200 }, 0.9),
  { ...cap('cap-200-retry-after', AFTER_1, 0.7), demands: [used(AFTER_1, 0.7)] },
  pause('pause-seconds', 'seconds'),
  pause('pause-date', 'date'),
  {
    name: 'outage',
    shape: { ...PLAIN, latencyMs: 50, capacity: 64, outage: OUTAGE },
    seconds: 85,
    demands: [
      {
        says: 'rate 5 s after its return over the rate before',
        atLeast: 0.9,
        of: (seen) => rate(seen, 75, 80) / rate(seen, 5, 10),
      },
    ],
  },
  fifo('fifo', { ...PLAIN, pointsPerSecond: 4000 }),
  fifo('fifo-far', { ...PLAIN, pointsPerSecond: 4000, latencyMs: 200 }),
  ...[5, 50, 500].map((latencyMs) => best(`latency-${latencyMs}`, { ...PLAIN, latencyMs })),
  best('latency-50-of-16', { ...PLAIN, latencyMs: 50, capacity: 16 }),
  best('cap', CAP),
]

export const FIXED = [1, 2, 4, 8, 16, 32, 64, 128]
/** Of the best set by hand. */
export const BEST = 0.85

/** Delivered a second, from one second to another. */
export function rate(seen: readonly Tenth[], from: number, to: number): number {
  return sum(seen, from, to, 'delivered') / (to - from)
}

function cap(name: string, shape: Shape, share: number): Scenario {
  const throttled: Demand = {
    says: 'share of throttled requests',
    atMost: 0.02,
    of: (seen) => sum(seen, 10, 40, 'throttled') / (sum(seen, 10, 40, 'throttled') + sum(seen, 10, 40, 'delivered')),
  }
  return { name, shape, seconds: 40.5, demands: [used(shape, share), throttled] }
}

function used({ perSecond }: Shape, share: number): Demand {
  return { says: 'share of the allowed rate used', atLeast: share, of: (seen) => rate(seen, 10, 40) / perSecond }
}

function pause(name: string, as: 'seconds' | 'date'): Scenario {
  const shape: Shape = { ...PLAIN, latencyMs: 20, retryAfter: { seconds: 3, as }, oneThrottleAtMs: 4000 }
  const demands: Demand[] = [
    { says: 'requests within a Retry-After of 3 s', atMost: 0, of: (seen) => sum(seen, 0, 12, 'early') },
    {
      says: 'rate after the pause over the rate before',
      atLeast: 0.8,
      of: (seen) => rate(seen, 9, 12) / rate(seen, 2, 4),
    },
  ]
  return { name, shape, seconds: 12, demands }
}

/** A service that works on one upsert after another: more of them at once only wait there. */
function fifo(name: string, shape: Shape): Scenario {
  const baseMs = shape.latencyMs + (POINTS / shape.pointsPerSecond) * 1000
  const demands: Demand[] = [
    {
      says: 'share of its rate used',
      atLeast: 0.97,
      of: (seen) => sum(seen, 10, 40, 'points') / 30 / shape.pointsPerSecond,
    },
    {
      says: `milliseconds that requests queue, of ${baseMs} without`,
      atMost: baseMs + 50,
      of: (seen) => sum(seen, 10, 40, 'waitedMs') / sum(seen, 10, 40, 'delivered') - baseMs,
    },
  ]
  return { name, shape, seconds: 40.5, demands }
}

function best(name: string, shape: Shape): Scenario {
  return { name, shape, seconds: 20, demands: [], againstFixed: true }
}

function sum(seen: readonly Tenth[], from: number, to: number, what: keyof Tenth): number {
  return seen.slice(from * 10, to * 10).reduce((total, tenth) => total + tenth[what], 0)
}
