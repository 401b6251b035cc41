// The worlds that a fleet lives in, and those of one member alone, each with its figures and their laws.

import type { MemberPlan } from './member.ts'
import { jain, longestWait, playFleet, sum } from './play-fleet.ts'
import type { FleetPlan, PermitsClass, Played } from './play-fleet.ts'
import type { Fault, ServicePlan } from './shared-service.ts'
import { TODAY } from './today.ts'

/** What is measured in a history. A law says what the worst of all seeds is at least, or at most, and their median at least. */
export interface Figure {
  readonly name: string
  readonly value: number
  readonly least?: number | undefined
  readonly most?: number | undefined
  readonly median?: number | undefined
}

export interface WorldPlan extends FleetPlan {
  readonly name: string
  /** Seeds it is played with, unless told otherwise. */
  readonly seeds: number
  readonly measure: (played: Played, Permits: PermitsClass, seed: number) => Figure[]
}

const MEMBER: MemberPlan = { from: 0, to: Infinity, isKilled: false, isHot: false }
/** Requests a second, of each member, of services that have no cap of their own in their name. */
const EACH = 50
const [FROM, TO] = [60, 180]

type Event = 'late' | 'leaves' | 'killed'

interface Fleet {
  readonly name: string
  /** Good requests a second that the service allows. */
  readonly allowed: number
  readonly service: ServicePlan
  readonly event?: Event
}

/** When a member in five joins, in seconds, or when it goes. */
const AT: Readonly<Record<Event, number>> = { late: 70, leaves: 90, killed: 90 }
const OUTAGE = { from: 90_000, to: 110_000 }

function membersOf(count: number, event: Event | undefined): MemberPlan[] {
  const at = event === undefined ? 0 : AT[event] * 1000
  const one = event === 'late' ? { ...MEMBER, from: at } : { ...MEMBER, to: at, isKilled: event === 'killed' }
  return Array.from({ length: count }, (_, index) => (event !== undefined && index % 5 === 1 ? one : MEMBER))
}

function caps(count: number): Fleet[] {
  return [10, 50, 100].flatMap((share) =>
    ([429, 503] as const).flatMap((refusal) =>
      [undefined, 1].flatMap((retryAfter) =>
        (['bucket', 'second'] as const).map((by) => capOf(count, share, refusal, retryAfter, by)),
      ),
    ),
  )
}

function capOf(
  count: number,
  share: number,
  refusal: Fault,
  retryAfter: number | undefined,
  by: 'bucket' | 'second',
  event?: Event,
): Fleet {
  const cap = share * count
  return {
    name: `${share} each, ${refusal}${retryAfter === undefined ? '' : ' Retry-After'}, ${by}${event ? `, ${event}` : ''}`,
    allowed: cap,
    service: { ms: 50, cap, by, refusal, ...(retryAfter === undefined ? {} : { retryAfter }) },
    ...(event ? { event } : {}),
  }
}

function fleetsOf(count: number): Fleet[] {
  const bucket = capOf(count, EACH, 429, undefined, 'bucket')
  const second = capOf(count, EACH, 503, undefined, 'second')
  const workers = count / 2
  const line = (workers: number): ServicePlan => ({ ms: 20, line: { workers, ms: (1000 * workers) / (EACH * count) } })
  // so slow that a fleet of any size sends a few thousand a second
  const ms = Math.max(50, (128 * count) / 5)
  const bad = { share: 0.01, fault: 503 } as const
  const events = (['late', 'leaves', 'killed'] as const).flatMap((event) => [
    capOf(count, EACH, 429, undefined, 'bucket', event),
    capOf(count, EACH, 503, undefined, 'second', event),
  ])
  const outage = ({ name, allowed, service }: Fleet, fault: Fault): Fleet => {
    return { name: `${name}, outage (${fault})`, allowed, service: { ...service, outage: { ...OUTAGE, fault } } }
  }
  return [
    ...caps(count),
    { name: 'line of one', allowed: EACH * count, service: line(1) },
    { name: `line of ${workers}`, allowed: EACH * count, service: line(workers) },
    { name: 'line of one, late', allowed: EACH * count, service: line(1), event: 'late' },
    { name: '1 % of 503', allowed: (128 * count * 990) / ms, service: { ms, bad } },
    { name: '50 each, 429, bucket, 1 % of 503', allowed: EACH * count, service: { ...bucket.service, bad } },
    ...events,
    outage(bucket, 'refused'),
    outage(second, 503),
    outage(capOf(count, EACH, 429, 1, 'bucket'), 'refused'),
  ]
}

/** Every history of a fleet of so many members. */
export function fleetWorlds(counts: readonly number[], seeds: number): WorldPlan[] {
  return counts.flatMap((count) =>
    fleetsOf(count).map((fleet) => ({
      name: `${count} members: ${fleet.name}`,
      seeds,
      service: fleet.service,
      members: membersOf(count, fleet.event),
      seconds: TO,
      measure: (played) => fleetFigures(fleet, membersOf(count, fleet.event), played),
    })),
  )
}

function fleetFigures({ allowed, service, event }: Fleet, members: readonly MemberPlan[], played: Played): Figure[] {
  const { seen, good, successes } = played
  const { outage, retryAfter, cap } = service
  const used = retryAfter === undefined ? 0.9 : 0.7
  // an outage's seconds are not the fleet's to use, nor are those in which it comes back
  const isJudged = (second: number): boolean =>
    !outage || second < outage.from / 1000 || second >= outage.to / 1000 + 15
  const judged = Array.from({ length: TO - FROM }, (_, index) => FROM + index).filter(isJudged)
  const over = (counts: Float64Array): number => judged.reduce((total, second) => total + counts[second]!, 0)
  const whole = members.flatMap(({ from, to }, index) => (from === 0 && to === Infinity ? [over(good[index]!)] : []))
  const waits = members.map(({ from, to }, index) =>
    longestWait(successes[index]!, Math.max(from, FROM * 1000), Math.min(to, TO * 1000), outage),
  )
  const refused = over(seen.refused) / (over(seen.refused) + over(seen.good) + over(seen.bad))
  const figures: Figure[] = [
    { name: 'used', value: over(seen.good) / (allowed * judged.length), least: used },
    { name: 'Jain', value: jain(whole), least: members.length > 10 || service.line ? 0.8 : 0.9 },
    {
      name: 'refused %',
      value: refused * 100,
      most: retryAfter !== undefined || (cap ?? Infinity) <= 10 * members.length ? 5 : 2,
    },
    { name: 'waits s', value: Math.max(...waits), most: 10 },
  ]
  if (event === 'late') {
    const from = AT.late + 20
    const late = members.flatMap((member, index) => (member.from > 0 ? [sum(good[index]!, from, from + 10) / 10] : []))
    figures.push({ name: 'late', value: (Math.min(...late) * members.length) / allowed, least: 0.7 })
  }
  if (outage) {
    const over = outage.to / 1000
    const most = Math.max(...seen.sent.subarray(over + 1, TO))
    figures.push({ name: 'rush', value: most / allowed, most: 2 })
    figures.push({ name: 'back', value: sum(seen.good, over + 15, over + 25) / (allowed * 10), least: used })
  }
  return figures
}

// One member alone.

const BY = ['bucket', 'second'] as const
const FAULTS = [503, 500, 502, 504, 'reset'] as const

interface Alone {
  readonly name: string
  readonly service: ServicePlan
  readonly seconds?: number
  readonly isHot?: boolean
  readonly measure: (played: Played, Permits: PermitsClass, seed: number) => Figure[]
}

const rate = (played: Played, from: number, to: number): number => sum(played.seen.good, from, to) / (to - from)

function flaky(ms: number, percent: number, fault: Fault): Alone {
  const share = percent / 100
  // where more batches would wait for a retry than there are permits, that is what limits it: at most 128 wait, a tenth of a
  // second for the first retry, twice as long for the next
  const most = 128 / ((share * 0.1 * (1 - share)) / (1 - 2 * share))
  const possible = Math.min(1, most / (128_000 / ms))
  return {
    name: `${ms} ms, ${percent} % of ${fault}`,
    service: { ms, bad: { share, fault } },
    measure: (played, Permits, seed) => [
      {
        name: possible < 1 ? `kept of ${possible.toFixed(2)}` : 'kept',
        value: rate(played, 10, 40) / (1 - share) / faultless(ms, Permits, seed) / possible,
        least: 0.8,
        median: 0.93,
      },
    ],
  }
}

const known = new Map<string, number>()

/** The same seed's rate without faults. */
function faultless(ms: number, Permits: PermitsClass, seed: number): number {
  const name = `${ms} ${seed}`
  const found =
    known.get(name) ?? rate(playFleet({ service: { ms }, members: [MEMBER], seconds: 41 }, Permits, seed), 10, 40)
  known.set(name, found)
  return found
}

function limited(name: string, service: ServicePlan, allowed: number): Alone {
  const least = service.retryAfter === undefined ? 0.9 : 0.7
  return {
    name: `${service.ms} ms, ${name}`,
    service,
    measure: (played) => {
      const refused = sum(played.seen.refused, 10, 40)
      return [
        { name: 'used', value: rate(played, 10, 40) / allowed, least },
        { name: 'refused %', value: (100 * refused) / (refused + sum(played.seen.good, 10, 40)), most: 2 },
      ]
    },
  }
}

function limits(): Alone[] {
  return [5, 50, 200].flatMap((ms) => [limitsOf(ms, 429), limitsOf(ms, 503), pausesOf(ms)].flat())
}

function limitsOf(ms: number, refusal: Fault): Alone[] {
  const caps = [50, 200, 1000].filter((cap) => cap < 128_000 / ms)
  const inFlight = [4, 16, 40].map((most) =>
    limited(`${most} in flight, ${refusal}`, { ms, most, refusal }, (most * 1000) / ms),
  )
  const perSecond = caps.flatMap((cap) =>
    BY.map((by) => limited(`${cap} a second, ${refusal}, ${by}`, { ms, cap, by, refusal }, cap)),
  )
  return [...perSecond, ...inFlight]
}

function pausesOf(ms: number): Alone[] {
  return BY.map((by) =>
    limited(`200 a second, 429 Retry-After, ${by}`, { ms, cap: 200, by, refusal: 429, retryAfter: 1 }, 200),
  )
}

/** Laws of the kind "not worse than it was". */
function others(): Alone[] {
  const outage = (fault: Fault, ms: number): Alone => ({
    name: `${ms} ms, outage (${fault})`,
    service: { ms, outage: { from: 15_000, to: 45_000, fault } },
    seconds: 66,
    measure: (played) => [
      { name: 'tries', value: sum(played.seen.bad, 20, 45) },
      { name: 'back', value: rate(played, 47, 50) / rate(played, 5, 15) },
      { name: 'later', value: rate(played, 50, 65) / rate(played, 5, 15) },
    ],
  })
  const steady = (name: string, service: ServicePlan, isHot = false): Alone => ({
    name,
    service,
    seconds: 61,
    isHot,
    measure: (played) => [
      { name: 'a second', value: rate(played, 10, 60) },
      { name: 'ms', value: sum(played.seen.ms, 30, 60) / sum(played.seen.good, 30, 60) },
    ],
  })
  const hot = (ms: number, share: number, fault: Fault): Alone =>
    steady(`${ms} ms, hot key, ${share * 100} % of ${fault}`, { ms, bad: { share, fault } }, true)
  return [
    ...[0.3, 20, 50].flatMap((ms) => [
      steady(`${ms} ms, line of one, 25 ms`, { ms, line: { workers: 1, ms: 25 } }),
      steady(`${ms} ms, line of eight, 50 ms`, { ms, line: { workers: 8, ms: 50 } }),
    ]),
    ...[5, 50].flatMap((ms) => (['refused', 503, 'hangs'] as const).map((fault) => outage(fault, ms))),
    steady('50 ms, and 500 ms for 15 s', { ms: 50, slow: { from: 15_000, to: 30_000, ms: 500 } }),
    steady('line of eight, 50 ms, and slow for 15 s', {
      ms: 5,
      line: { workers: 8, ms: 50 },
      slow: { from: 15_000, to: 30_000, ms: 500 },
    }),
    hot(5, 0, 503),
    hot(50, 0.03, 503),
    hot(50, 0.03, 500),
  ]
}

/** Less than it was, or more, by so much is chance. */
const NOISE = 0.05

function aloneAsBefore(alone: Alone): Alone {
  const measure: Alone['measure'] = (...args) =>
    alone.measure(...args).map((figure) => {
      const before = TODAY[`${alone.name}: ${figure.name}`]
      if (before === undefined) return figure
      const { name, value } = figure
      if (name === 'ms' || name === 'tries') return { name, value, most: before * (1 + NOISE) + 1 }
      return { name, value, least: before * (1 - NOISE) }
    })
  return { ...alone, measure }
}

export function aloneWorlds(seeds: number): WorldPlan[] {
  const flakies = [5, 50, 200].flatMap((ms) =>
    [0.3, 1, 3, 10].flatMap((percent) => FAULTS.map((fault) => flaky(ms, percent, fault))),
  )
  return [...flakies, ...limits(), ...others().map(aloneAsBefore)].map(
    ({ name, service, seconds, isHot, measure }) => ({
      name: `alone: ${name}`,
      seeds,
      service,
      seconds: seconds ?? 41,
      members: [{ ...MEMBER, isHot: isHot === true }],
      measure,
    }),
  )
}
