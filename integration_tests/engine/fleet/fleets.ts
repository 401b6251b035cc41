// The fleets, and the laws about them.

import type { MemberPlan } from './member.ts'
import type { FleetPlan, PermitsClass, Played } from './play-fleet.ts'
import { flaky, outage, perSecond, type Fault, type Gate, type Limiter, type ServicePlan } from './shared-service.ts'

/** What is measured in a history. A law says what the worst of all seeds is at least, or at most, and their median at least. */
export interface Figure {
  readonly name: string
  readonly value: number
  readonly least?: number
  readonly most?: number
  readonly median?: number
}

export interface WorldPlan extends FleetPlan {
  readonly name: string
  readonly measure: (played: Played, Permits: PermitsClass, seed: number) => Figure[]
}

/** One member in five joins late, leaves or is killed. */
const EVENTS = {
  late: { from: 70_000, to: Infinity },
  leaves: { from: 0, to: 90_000 },
  killed: { from: 0, to: 90_000, isKilled: true },
} satisfies Record<string, MemberPlan>
const OUTAGE = { from: 90_000, to: 110_000 }
/** Until everything is as before. */
const RETURN_MS = 15_000
const [FROM, TO] = [60_000, 180_000]

interface Fleet {
  readonly name: string
  readonly count: number
  /** Good requests a second that the service allows. */
  readonly allowed: number
  readonly service: () => ServicePlan
  readonly event?: keyof typeof EVENTS
  readonly isOut?: boolean
  /** Whether refusals come with Retry-After. */
  readonly pauses?: boolean
  readonly isLine?: boolean
}

function capped(count: number, share: number, fault: Fault, by: Limiter, pauses = false): Fleet {
  const allowed = share * count
  const name = `${share} each, ${fault}${pauses ? ' Retry-After' : ''}, ${by}`
  const service = (): ServicePlan => ({ ms: 50, limit: perSecond(allowed, by, fault, pauses ? 1 : undefined) })
  return { name, count, allowed, pauses, service }
}

function inLine(count: number, workers: number): Fleet {
  const line = { workers, ms: (1000 * workers) / (50 * count) }
  return { name: `line of ${workers}`, count, allowed: 50 * count, isLine: true, service: () => ({ ms: 20, line }) }
}

const withFault = (fleet: Fleet, name: string, fault: Gate): Fleet =>
  Object.assign({}, fleet, { name: `${fleet.name}, ${name}`, service: () => ({ ...fleet.service(), fault }) })

const away = (fleet: Fleet, fault: Fault): Fleet =>
  Object.assign(withFault(fleet, `outage (${fault})`, outage(OUTAGE.from, OUTAGE.to, fault)), { isOut: true })

function fleetsOf(count: number): Fleet[] {
  const kinds = [10, 50, 100].flatMap((share) =>
    ([429, 503] as const).flatMap((fault) => [false, true].map((pauses) => ({ share, fault, pauses }))),
  )
  const caps = (by: Limiter): Fleet[] =>
    kinds.map(({ share, fault, pauses }) => capped(count, share, fault, by, pauses))
  const [bucket, second] = [capped(count, 50, 429, 'bucket'), capped(count, 50, 503, 'second')]
  const [line, lines] = [inLine(count, 1), inLine(count, Math.ceil(count / 2) + 1)]
  // so slow that a fleet of any size sends a few thousand a second
  const ms = Math.max(50, 25 * count)
  const free = { name: 'no limit', count, allowed: (128_000 * count * 0.99) / ms, service: () => ({ ms }) }
  const events = (['late', 'leaves', 'killed'] as const).flatMap((event) =>
    [bucket, second, line].map((fleet) => Object.assign({}, fleet, { name: `${fleet.name}, ${event}`, event })),
  )
  const flakies = [free, bucket].map((fleet) => withFault(fleet, '1 % of 503', flaky(0.01, 503)))
  const outages = [away(bucket, 'refused'), away(second, 503), away(capped(count, 50, 429, 'bucket', true), 'refused')]
  return [caps('bucket'), caps('second'), line, lines, flakies, events, outages].flat()
}

export function fleetWorlds(counts: readonly number[]): WorldPlan[] {
  return counts.flatMap(fleetsOf).map((fleet) => {
    const { count, name, service, event } = fleet
    const members = Array.from({ length: count }, (_, index): MemberPlan =>
      event !== undefined && index % 5 === 1 ? EVENTS[event] : { from: 0, to: Infinity },
    )
    return {
      name: `${count} members: ${name}`,
      seconds: 180,
      service,
      members,
      measure: (played) => laws(fleet, played),
    }
  })
}

function laws({ count, allowed, event, isOut, pauses, isLine }: Fleet, { seen, members }: Played): Figure[] {
  // the time of an outage is not the fleet's to use, nor is that in which it comes back
  const isJudged = (time: number): boolean =>
    time >= FROM && time < TO && !(isOut && time >= OUTAGE.from && time < OUTAGE.to + RETURN_MS)
  const over = (counts: Float64Array): number =>
    counts.reduce((sum, n, second) => (isJudged(second * 1000) ? sum + n : sum), 0)
  const seconds = over(new Float64Array(181).fill(1))
  const good = over(seen.good)
  const refused = over(seen.refused)
  const whole = members.filter(({ parts: { plan } }) => plan.from < FROM && plan.to === Infinity)
  const shares = whole.map(({ successes }) => successes.filter(isJudged).length)
  const waits = members.map(({ successes, parts: { plan } }) => longestWait(successes, plan, isOut === true))
  const least = pauses === true ? 0.7 : 0.9
  const figures: Figure[] = [
    { name: 'used', value: good / (allowed * seconds), least },
    { name: 'Jain', value: jain(shares), least: count > 10 || isLine === true ? 0.8 : 0.9 },
    {
      name: 'refused %',
      value: (100 * refused) / (refused + good + over(seen.bad)),
      most: pauses === true || allowed <= 10 * count ? 5 : 2,
    },
    { name: 'waits s', value: Math.max(...waits) / 1000, most: 10 },
  ]
  if (event === 'late') figures.push({ name: 'late', value: lateShare(members) * (count / allowed), least: 0.7 })
  if (isOut === true) {
    const [end, back] = [OUTAGE.to / 1000, (OUTAGE.to + RETURN_MS) / 1000]
    figures.push({ name: 'rush', value: Math.max(...seen.sent.subarray(end + 1)) / allowed, most: 2 })
    const returned = seen.good.subarray(back, back + 10).reduce((sum, n) => sum + n, 0)
    figures.push({ name: 'back', value: returned / (allowed * 10), least })
  }
  return figures
}

/** What the least of them has a second, in the ten seconds before its thirtieth. */
function lateShare(members: Played['members']): number {
  const to = EVENTS.late.from + 30_000
  const late = members.filter(({ parts: { plan } }) => plan.from >= EVENTS.late.from)
  return Math.min(
    ...late.map(({ successes }) => successes.filter((time) => time >= to - 10_000 && time < to).length / 10),
  )
}

/** Jain's index: 1 if all have the same, 1/n if one has everything. */
function jain(shares: readonly number[]): number {
  const total = shares.reduce((sum, share) => sum + share, 0)
  return total ** 2 / (shares.length * shares.reduce((sum, share) => sum + share ** 2, 0))
}

/** Milliseconds between two successes, at most, not counting those of an outage. */
function longestWait(successes: readonly number[], { from, to }: MemberPlan, isOut: boolean): number {
  const [begin, end] = [Math.max(FROM, from), Math.min(TO, to)]
  let [longest, last] = [0, begin]
  for (const time of [...successes.filter((time) => time > begin && time < end), end]) {
    const out = isOut ? Math.max(0, Math.min(time, OUTAGE.to) - Math.max(last, OUTAGE.from)) : 0
    longest = Math.max(longest, time - last - out)
    last = time
  }
  return longest
}
