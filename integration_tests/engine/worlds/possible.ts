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

/** Milliseconds in which one refusal is needed to notice a limit that has risen; where it comes with a pause, that costs. */
const PROBED_MS = 60_000

/** Requests that succeed in a second. */
function possibleAt(spell: Spell, members: number, now: number): number {
  const { limit, line } = spell
  const share = sharesOf(spell)
  const ms = msAt(spell, now)
  const probing = PROBED_MS / (PROBED_MS + (limit?.word.afterS ?? 0) * 1000)
  const free = PERMITS * members * (1 - share)
  const permits = limit?.by === 'at once' ? Math.min(free, limit.most * probing) : free
  // no more batches wait for a retry than there are permits, for a tenth of a second before the first, and twice as long before
  // each further one
  const waiting = share > 0 ? (PERMITS * members * (1 - 2 * share)) / (0.1 * share) : Infinity
  return Math.min(
    demandAt(spell, now) * members,
    (1000 * permits) / (ms + (line?.ms ?? 0)),
    limit && limit.by !== 'at once' ? limit.most * probing : Infinity,
    line ? (1000 * line.workers) / line.ms : Infinity,
    waiting,
  )
}

const present = ({ members }: WorldPlan, now: number): number =>
  members.filter(({ from, to }) => from <= now && now < to).length

/** @param from whole seconds
 *  @returns requests that succeed from the one second to the other */
export function possibleIn(world: WorldPlan, spell: Spell, from: number, to: number): number {
  let sum = 0
  for (let second = from; second < to; second++)
    sum += possibleAt(spell, present(world, (second + 0.5) * 1000), (second + 0.5) * 1000)
  return sum
}
