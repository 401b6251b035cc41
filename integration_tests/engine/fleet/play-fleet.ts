// Plays one history of a fleet, and measures it. The laws are about these figures (worlds.ts).

import type { Permits } from '../../../src/core/types.ts'
import { Random } from '../random.ts'
import { Member, World } from './member.ts'
import type { MemberPlan } from './member.ts'
import { SharedService } from './shared-service.ts'
import type { Seen, ServicePlan } from './shared-service.ts'

/** `random`: [0, 1), for permits that need chance. */
export type PermitsClass = new (options: { readonly random: () => number }) => Permits

export interface FleetPlan {
  readonly service: ServicePlan
  readonly members: readonly MemberPlan[]
  readonly seconds: number
}

export interface Played {
  readonly seen: Seen
  /** Of each member, the good answers of each second, … */
  readonly good: readonly Float64Array[]
  /** … and when they came. */
  readonly successes: readonly (readonly number[])[]
}

/** A second of a history that is watched. */
export type Watch = (second: number, members: readonly Member[], seen: Seen) => void

export function playFleet(plan: FleetPlan, Permits: PermitsClass, seed: number, watch?: Watch): Played {
  const random = new Random(seed)
  const world = new World()
  const service = new SharedService(plan.service, world, random, plan.seconds)
  const members = plan.members.map((member) => {
    const own = new Random(random.below(2 ** 32))
    // members of a fleet do not start at the same moment
    const from = member.from + (plan.members.length > 1 ? own.between(0, 1000) : 0)
    return new Member({ ...member, from }, new Permits({ random: () => own.next() }), world, service, own)
  })
  for (let second = 0; second < plan.seconds; second++) {
    world.run(second * 1000 + 999.999_999)
    watch?.(second, members, service.seen)
  }
  const successes = members.map((member) => member.successes)
  const good = successes.map((times) => {
    const counts = new Float64Array(plan.seconds + 1)
    for (const time of times) counts[Math.floor(time / 1000)]!++
    return counts
  })
  return { seen: service.seen, good, successes }
}

/** Of the seconds from … to-1. */
export function sum(counts: Float64Array, from: number, to: number): number {
  return counts.subarray(from, to).reduce((total, count) => total + count, 0)
}

/** Jain's index: 1 if all have the same, 1/n if one has everything. */
export function jain(shares: readonly number[]): number {
  const total = shares.reduce((a, b) => a + b, 0)
  return total === 0 ? 0 : total ** 2 / (shares.length * shares.reduce((a, b) => a + b * b, 0))
}

/** The most seconds between two successes from … to, not counting those of an outage. */
export function longestWait(
  successes: readonly number[],
  from: number,
  to: number,
  outage = { from: Infinity, to: Infinity },
): number {
  const times = [from, ...successes.filter((time) => time > from && time < to), to]
  let longest = 0
  for (let index = 1; index < times.length; index++) {
    const [before, after] = [times[index - 1]!, times[index]!]
    const without = Math.max(0, Math.min(after, outage.to) - Math.max(before, outage.from))
    longest = Math.max(longest, after - before - without)
  }
  return longest / 1000
}
