// Runs a group of equal processes until the server has all of a topic's messages, and measures them. Knows no topic.

import { setTimeout as sleep } from 'node:timers/promises'
import type { ServerStats } from '../server-stats.ts'
import type { DoNothingServer } from '../start-server.ts'
import { Member, type Usage } from './member.ts'

export interface GroupMeasurement extends Usage {
  /** From the start of the first process to the last point, and between the first point and the last, of so many points. */
  readonly seconds: number
  readonly steadySeconds: number
  readonly steadyPoints: number
  /** At the last point. */
  readonly stats: ServerStats
}

export interface Wanted {
  readonly command: readonly string[]
  readonly members: number
  /** At least so many points are to arrive. */
  readonly points: number
}

interface Seen {
  readonly at: number
  readonly stats: ServerStats
}

const ASK_EVERY_MS = 20
/** With nothing more for so long the last point was the last. */
const QUIET_MS = 500
const TIME_LIMIT_MS = 240_000

/** The server counts from zero.
 *  @throws when a member ends by itself or not in good order, or the points don't arrive within four minutes */
export async function measureGroup(
  { command, members, points }: Wanted,
  server: DoNothingServer,
  signal: AbortSignal,
): Promise<GroupMeasurement> {
  await using group = new AsyncDisposableStack()
  const started = performance.now()
  const processes = Array.from({ length: members }, () => group.use(new Member(command)))
  const watched = AbortSignal.any([signal, AbortSignal.timeout(TIME_LIMIT_MS)])
  const [first, last] = await watch(points, processes, server, watched)
  const usages = await Promise.all(processes.map((member) => member.stop()))
  return {
    seconds: (last.at - started) / 1000,
    steadySeconds: (last.at - first.at) / 1000,
    steadyPoints: last.stats.points - first.stats.points,
    stats: last.stats,
    cpuSeconds: usages.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
    peakRssBytes: Math.max(...usages.map(({ peakRssBytes }) => peakRssBytes)),
  }
}

/** @returns when points were seen first, and when the last of them was */
async function watch(
  points: number,
  members: readonly Member[],
  server: DoNothingServer,
  signal: AbortSignal,
): Promise<[Seen, Seen]> {
  let first: Seen | undefined
  let last: Seen | undefined
  for (;;) {
    const stats = await server.stats()
    const at = performance.now()
    if (stats.points > 0) first ??= { at, stats }
    if (stats.points > (last?.stats.points ?? 0)) last = { at, stats }
    if (first && last && last.stats.points >= points && at - last.at >= QUIET_MS) return [first, last]
    const failed = members.find(({ failure }) => failure !== undefined)
    if (failed) throw new Error(failed.failure)
    if (signal.aborted) throw new Error(`${stats.points} points arrived of ${points}`, { cause: signal.reason })
    await sleep(ASK_EVERY_MS, undefined, { signal }).catch(() => {})
  }
}
