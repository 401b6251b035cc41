// Plays one history of a fleet.

import type { Permits } from '../../../src/core/types.ts'
import { Random } from '../random.ts'
import { Member, World, type MemberPlan } from './member.ts'
import { serve, type Seen, type ServicePlan } from './shared-service.ts'

/** `random`: for permits that need chance. */
export type PermitsClass = new (options: { readonly random: () => number }) => Permits

export interface FleetPlan {
  readonly service: () => ServicePlan
  readonly members: readonly MemberPlan[]
  readonly seconds: number
}

export interface Played {
  readonly seen: Seen
  readonly members: readonly Member[]
}

/** @param watch is called after each second */
export function playFleet(
  plan: FleetPlan,
  Permits: PermitsClass,
  seed: number,
  watch?: (second: number, played: Played) => void,
): Played {
  const chance = new Random(seed)
  const world = new World()
  const { send, seen } = serve(plan.service(), world, () => chance.next(), plan.seconds)
  const members = plan.members.map((member) => {
    const own = new Random(chance.below(2 ** 32))
    const random = (): number => own.next()
    // they do not all start at the same moment
    const from = member.from + (plan.members.length > 1 ? own.between(0, 1000) : 0)
    return new Member({ plan: { ...member, from }, permits: new Permits({ random }), world, send, random })
  })
  const played = { seen, members }
  for (let second = 0; second < plan.seconds; second++) {
    world.run((second + 1) * 1000)
    watch?.(second, played)
  }
  return played
}
