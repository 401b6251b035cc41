// Whether a stream is live and ready (operating.md#health): `healthOf` judges by facts and a time, `healthPages` answers with its verdict.
//
// What liveness means here: probes are answered by the event loop itself, so a blocked loop gives no answer at all, and the probe's
// own timeout is the verdict. What an answer can reveal is that the loop runs but the stream's tick, which fills the facts and
// watches the stall deadline, no longer comes: it threw, or waits for ever. That never recovers, so a restart is right. A process
// that was suspended (SIGSTOP) and resumed is live: overdue timers must run before the verdict (`healthPages` lets them).

import type { Clock } from '../core/types.ts'
import { secondsText } from '../text/figures.ts'
import type { Page, PageAnswer } from './health-server.ts'
import type { RunFacts } from '../run/run-facts.ts'
import { groupFields } from './run-entries.ts'
import { servicePause, tokenWait } from './wait-words.ts'

/** The tick comes every second. */
const TICK_DEADLINE_MS = 10_000

export interface Health {
  /** False: a restart would help. True also while joining, stopping or waiting for the service. */
  readonly live: boolean
  /** Joined, and either delivering, idle, or in a known pause shorter than the stall deadline. */
  readonly ready: boolean
  /** Why not, or the current state; for people. */
  readonly reason: string
}

/** @param now by the facts' clock
 *  @param stallDeadlineMs how long nothing may be settled although records are outstanding */
export function healthOf(facts: RunFacts, now: number, stallDeadlineMs: number): Health {
  const sinceTick = now - facts.at
  if (sinceTick > TICK_DEADLINE_MS)
    return { live: false, ready: false, reason: `the loop has not ticked for ${secondsText(sinceTick)}` }
  const obstacle = obstacleOf(facts, now, stallDeadlineMs)
  return { live: true, ready: obstacle === undefined, reason: obstacle ?? stateOf(facts, now) }
}

function obstacleOf(facts: RunFacts, now: number, deadline: number): string | undefined {
  const { group, delivery } = facts
  if (facts.failed !== undefined) return `stopped by an error (${facts.failed}): see the log`
  if (facts.stopping) return 'stopping'
  const without = group?.tokens?.find(({ expiresAt }) => expiresAt === undefined || expiresAt <= now)
  if (without) return tokenWords(facts, now) ?? `waiting for a token of ${without.place}`
  // the login may wait for a token
  if (group?.joined === false)
    return tokenWords(facts, now) ?? `joining the group for ${secondsText(now - group.since)}`
  const { outstanding, settledAt, failingSince } = delivery
  if (outstanding > 0) {
    if (failingSince !== undefined && now - failingSince >= deadline) return servicePause(delivery, now)
    if (now - settledAt >= deadline) return `nothing was settled for ${secondsText(now - settledAt)}`
  }
  const schemasSince = group?.schemasSince ?? now
  if (now - schemasSince >= deadline)
    return `waiting for schemas for ${secondsText(now - schemasSince)}: the schema registry does not answer`
  return undefined
}

function tokenWords({ group }: RunFacts, now: number): string | undefined {
  return group?.tokens?.map((token) => tokenWait(token, now)).find((text) => text !== undefined)
}

function stateOf(facts: RunFacts, now: number): string {
  const { group, delivery } = facts
  const words = tokenWords(facts, now)
  if (words !== undefined) return words
  if (group?.partitions.length === 0) return 'no partition is assigned: the group has more members than partitions'
  if (group?.schemasSince !== undefined)
    return `waiting for the schema registry for ${secondsText(now - group.schemasSince)}`
  if (delivery.outstanding > 0) return servicePause(delivery, now) ?? 'moving'
  return group?.partitions.every(({ lag }) => lag === 0n) ? 'caught up' : 'nothing is waiting to be sent'
}

/** Pages for `startHealthServer`, by path; add others to the map. 200, or 503 with the reason in the body.
 *  @param clock that of the facts */
export function healthPages(
  facts: () => RunFacts,
  clock: Pick<Clock, 'now' | 'wait'>,
  stallDeadlineMs: number,
): Map<string, Page> {
  const pages = Object.entries({ '/healthz': alive, '/readyz': ready }).map(([path, answer]): [string, Page] => [
    path,
    async (signal) => {
      // a tick that is overdue, because the process was suspended or busy, must run first
      await clock.wait(1, signal)
      const known = facts()
      const now = clock.now()
      return answer(healthOf(known, now, stallDeadlineMs), known, now)
    },
  ])
  return new Map(pages)
}

function alive({ live, reason }: Health, facts: RunFacts, now: number): PageAnswer {
  return json(live, {
    live,
    ...(live ? {} : { reason }),
    seconds_since_tick: inSeconds(now - facts.at),
    uptime_seconds: inSeconds(now - facts.startedAt),
  })
}

function ready({ ready, reason }: Health, { group, delivery, stopping }: RunFacts, now: number): PageAnswer {
  const { outstanding, settledAt, failingSince, pausedUntil } = delivery
  const oldestAt = group?.oldestAt
  return json(ready, {
    ready,
    reason,
    stopping,
    ...(group ? groupFields(group) : {}),
    outstanding_records: outstanding,
    oldest_unsettled_seconds: oldestAt === undefined ? null : inSeconds(now - oldestAt),
    seconds_since_settled: inSeconds(now - settledAt),
    requests_in_flight: delivery.inFlight,
    service_failing_seconds: failingSince === undefined ? null : inSeconds(now - failingSince),
    pause_left_seconds: pausedUntil === undefined ? null : inSeconds(pausedUntil - now),
  })
}

function json(isGood: boolean, body: object): PageAnswer {
  return { status: isGood ? 200 : 503, type: 'application/json', body: `${JSON.stringify(body)}\n` }
}

function inSeconds(ms: number): number {
  return Math.max(0, Math.round(ms) / 1000)
}
