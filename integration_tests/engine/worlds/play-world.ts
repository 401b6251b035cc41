// Plays one world, and judges each of its spells.

import type { Outcome } from '../../../src/core/types.ts'
import { Member, World, type MemberPlan } from '../fleet/member.ts'
import type { PermitsClass } from '../fleet/play-fleet.ts'
import { atOnce, perSecond, read, serve } from '../fleet/shared-service.ts'
import type { Fault, Gate, Seen, ServicePlan } from '../fleet/shared-service.ts'
import { Random } from '../random.ts'
import type { Limit, Spell, WorldPlan } from './draw.ts'
import { calmAt, demandAt, msAt, possibleIn } from './possible.ts'

/** One spell. Shares are of what is possible, from so many seconds into it. */
export interface Judged {
  readonly spell: Spell
  readonly from15: number
  readonly from40: number
  /** Of the answers to what faults did not meet, from 40 s on. */
  readonly refused: number
  readonly answers: number
  /** Milliseconds of a good answer beyond the way and the work, over those. */
  readonly queued: number
  readonly jain: number
}

export interface Watched {
  readonly second: number
  readonly seen: Seen
  readonly members: readonly Member[]
}

/** Of each second, the share in which the service wants nothing to be sent. */
class Pauses {
  readonly shares: Float64Array
  #to = 0

  constructor(seconds: number) {
    this.shares = new Float64Array(seconds)
  }

  ask(from: number, to: number): void {
    for (let at = Math.max(from, this.#to); at < to; at = Math.floor(at / 1000) * 1000 + 1000)
      this.shares[Math.floor(at / 1000)]! += (Math.min(to, Math.floor(at / 1000) * 1000 + 1000) - at) / 1000
    this.#to = Math.max(this.#to, to)
  }
}

function gateOf({ by, most, saved, word: { fault, afterS, isDate } }: Limit, pauses: Pauses): Gate {
  const gate = by === 'at once' ? atOnce(most, fault) : perSecond(most, by, fault, undefined, saved)
  if (afterS === undefined) return gate
  return (now, ...rest) => {
    if (!gate(now, ...rest)) return undefined
    pauses.ask(now, now + afterS * 1000)
    const until =
      isDate === true ? new Date(Math.floor((now + afterS * 1000) / 1000) * 1000 + EPOCH_MS).toUTCString() : afterS
    return read(fault, until, now)
  }
}

const EPOCH_MS = 1_700_000_000_000

function serviceOf(
  { spells, timeoutMs }: WorldPlan,
  pauses: Pauses,
): ServicePlan & { spellAt: (now: number) => Spell } {
  let at = 0
  const spellAt = (now: number): Spell => {
    while (at < spells.length - 1 && now >= spells[at]!.to) at++
    return spells[at]!
  }
  const gates = new Map<Limit, Gate>()
  for (const { limit } of spells) if (limit && !gates.has(limit)) gates.set(limit, gateOf(limit, pauses))
  const known = new Map<Fault, Outcome>()
  const plain = (fault: Fault): Outcome => {
    const outcome = known.get(fault) ?? read(fault)
    known.set(fault, outcome)
    return outcome
  }
  const faulty: Gate = (now, _, random) => {
    const { outage, faults } = spellAt(now)
    if (outage && now >= outage[0] && now < outage[1]) return plain(outage[2])
    if (faults.length === 0) return undefined
    let chance = random()
    for (const [fault, share] of faults) if ((chance -= share) < 0) return plain(fault)
    return undefined
  }
  return {
    spellAt,
    ms: (now) => msAt(spellAt(now), now),
    limit: (now, ...rest) => {
      const { limit } = spellAt(now)
      return limit && gates.get(limit)!(now, ...rest)
    },
    fault: faulty,
    line: (now) => spellAt(now).line,
    timeoutMs,
  }
}

/** @param watch is called after each second */
export function playWorld(
  world: WorldPlan,
  Permits: PermitsClass,
  seed: number,
  watch?: (seconds: Watched) => void,
): Judged[] {
  const chance = new Random(seed * 31 + 7)
  const clock = new World()
  const end = world.spells.at(-1)!.to / 1000
  const pauses = new Pauses(end)
  const service = serviceOf(world, pauses)
  const { spellAt } = service
  const { send, seen } = serve(service, clock, () => chance.next(), end)
  const input: MemberPlan['input'] = (now) => {
    const spell = spellAt(now)
    return [1000 / demandAt(spell, now), spell.dry && now < spell.dry[1] ? spell.dry[1] : spell.to]
  }
  const wakesAt = (now: number): number => {
    const { sleep } = spellAt(now)
    return sleep && now >= sleep[0] && now < sleep[1] ? sleep[1] : now
  }
  const members = world.members.map((plan) => {
    const own = new Random(chance.below(2 ** 32))
    const random = (): number => own.next()
    return new Member({
      plan: { ...plan, input, wakesAt },
      permits: new Permits({ random }),
      world: clock,
      send,
      random,
    })
  })
  for (let second = 0; second < end; second++) {
    clock.run((second + 1) * 1000)
    watch?.({ second, seen, members })
  }
  return world.spells.map((spell) => judged(world, spell, seen, members, pauses.shares))
}

function judged(world: WorldPlan, spell: Spell, seen: Seen, members: readonly Member[], paused: Float64Array): Judged {
  const [calm, from, to] = [calmAt(spell), spell.from / 1000, spell.to / 1000]
  const sum = (counts: Float64Array, since: number): number => counts.subarray(since, to).reduce((all, n) => all + n, 0)
  const used = (since: number): number => {
    const possible = since >= to ? 0 : possibleIn(world, spell, [since, to], sum(paused, since))
    return possible === 0 ? 1 : sum(seen.good, since) / possible
  }
  const since = Math.max(from + 40, Math.ceil(calm / 1000) + 15)
  const [good, refused] = [sum(seen.good, since), sum(seen.refused, since)]
  const whole = members.filter(({ parts: { plan } }) => plan.from <= spell.from && plan.to >= spell.to)
  const shares = whole.map(({ successes }) => successes.filter((at) => at >= since * 1000 && at < spell.to).length)
  let ways = 0
  for (let second = since; second < to; second++) ways += seen.good[second]! * msAt(spell, second * 1000 + 500)
  return {
    spell,
    from15: used(Math.ceil(calm / 1000) + 15),
    from40: used(since),
    refused: refused / Math.max(1, good + refused),
    answers: good + refused,
    queued: (sum(seen.ms, since) - ways) / Math.max(1, good) - (spell.line?.ms ?? 0),
    jain: jain(shares),
  }
}

/** 1 where all have the same, 1 / n where one of n has everything. */
function jain(shares: readonly number[]): number {
  const sum = shares.reduce((all, n) => all + n, 0)
  return shares.length < 2 || sum === 0 ? 1 : sum ** 2 / (shares.length * shares.reduce((all, n) => all + n * n, 0))
}
