// What is possible in a spell: how much a client gets done that knows all of the service, and how long an answer then takes.

import type { Spell, WorldPlan } from './draw.ts'

/** As in core/concurrency/tuning.ts: attempts in flight at most, and batches that wait for a retry. */
const PERMITS = 128

export function msAt({ ms: [first, then, at, over] }: Spell, now: number): number {
  if (now < at) return first
  return now >= at + over ? then : first + ((then - first) * (now - at)) / over
}

export function demandAt({ demand, dry }: Spell, now: number): number {
  return dry && now >= dry[0] && now < dry[1] ? 0 : demand
}

/** When all that befalls a spell is over. */
export function calmAt({ from, outage, dry, sleep }: Spell): number {
  return Math.max(from, outage?.[1] ?? 0, dry?.[1] ?? 0, sleep?.[1] ?? 0)
}

export const sharesOf = ({ faults }: Spell): number => faults.reduce((sum, [, share]) => sum + share, 0)

/** Seconds in which one refusal is needed to notice a limit that has risen. */
const PROBED_S = 60

/** Requests that succeed in a second. */
function possibleAt(spell: Spell, members: number, now: number): number {
  const { limit, line } = spell
  const share = sharesOf(spell)
  const ms = msAt(spell, now)
  const free = PERMITS * members * (1 - share)
  const permits = limit?.by === 'at once' ? Math.min(free, limit.most) : free
  // no more batches wait for a retry than there are permits, for a tenth of a second before the first, and twice as long before
  // each further one
  const waiting = share > 0 ? (PERMITS * members * (1 - 2 * share)) / (0.1 * share) : Infinity
  return Math.min(
    demandAt(spell, now) * members,
    (1000 * permits) / (ms + (line?.ms ?? 0)),
    limit && limit.by !== 'at once' ? limit.most : Infinity,
    line ? (1000 * line.workers) / line.ms : Infinity,
    waiting,
  )
}

const present = ({ members }: WorldPlan, now: number): number =>
  members.filter(({ from, to }) => from <= now && now < to).length

/** A pause is what the service wants, not what the client lost. But who is refused more often than is needed asks for it: of a
 *  single client one pause a minute counts, of many none, for the others may send.
 *  A limit that is new needs a second pause, for the first does not say how much is allowed. That is not counted, so a long Retry-After
 *  may leave a spell below half.
 *  @param from whole seconds
 *  @param pausedS seconds of these in which the service wanted nothing to be sent
 *  @returns requests that succeed from the one second to the other */
export function possibleIn(
  world: WorldPlan,
  spell: Spell,
  [from, to]: readonly [from: number, to: number],
  pausedS: number,
): number {
  let sum = 0
  for (let second = from; second < to; second++)
    sum += possibleAt(spell, present(world, (second + 0.5) * 1000), (second + 0.5) * 1000)
  const most = Math.ceil((to - from) / PROBED_S) * (spell.limit?.word.afterS ?? 0)
  const heldS = world.members.length > 1 ? 0 : Math.min(pausedS, most)
  return (sum * (to - from - heldS)) / (to - from)
}
