// Judges if a run of `stream` is live and ready (docs/operating.md#health): `healthOf` by facts and a time; `healthPages` answers probes.
// A run is live as long as its tick comes, which fills the facts each second and watches the stall deadline. If the tick threw, or waits
// for ever, none comes again, so a restart is right. A tick that is overdue because the process was suspended (SIGSTOP) is let run before
// the verdict. If the event loop is blocked, there is no answer, and the probe's own timeout is the verdict.

import type { Clock } from '../core/types.ts'
import { secondsText } from '../text/figures.ts'
import type { Page, PageAnswer } from './health-server.ts'
import type { RunFacts } from '../run/run-facts.ts'
import { groupFields } from './run-entries.ts'
import { servicePause, tokenWait } from './wait-words.ts'

/** The longest time without a tick, which comes every second, of a run that is live. */
const TICK_DEADLINE_MS = 10_000

export interface Health {
  /** False when a restart would help. True also while joining, stopping or waiting for the service. */
  readonly live: boolean
  /** Whether it has joined its group, and delivers, has nothing to deliver, or is in a known pause shorter than the stall deadline. */
  readonly ready: boolean
  /** Why it is not live or ready, or the current state; for people. */
  readonly reason: string
}

/** Judges a run. @param now by the facts' clock
 *  @param stallDeadlineMs how long nothing may be settled although records are outstanding */
export function healthOf(facts: RunFacts, now: number, stallDeadlineMs: number): Health {
  const sinceTick = now - facts.at
  if (sinceTick > TICK_DEADLINE_MS)
    return { live: false, ready: false, reason: `the loop has not ticked for ${secondsText(sinceTick)}` }
  const obstacle = obstacleOf(facts, now, stallDeadlineMs)
  return { live: true, ready: obstacle === undefined, reason: obstacle ?? stateOf(facts, now) }
}

/** Says why the run is not ready; the reasons that concern a group are only for runs that have one. `undefined` when it is ready. */
function obstacleOf(facts: RunFacts, now: number, deadline: number): string | undefined {
  const { group, delivery } = facts
  if (facts.failed !== undefined) return `stopped by an error (${facts.failed}): see the log`
  if (facts.stopping) return 'stopping'
  const missing = group?.tokens?.find(({ expiresAt }) => expiresAt === undefined || expiresAt <= now) // none yet, or an old one
  if (missing) return tokenWords(facts, now) ?? `waiting for a token of ${missing.place}`
  // the login may wait for a token
  if (group?.joined === false)
    return tokenWords(facts, now) ?? `joining the group for ${secondsText(now - group.since)}`
  const { outstanding, settledAt, failingSince } = delivery
  if (outstanding > 0) {
    if (failingSince !== undefined && now - failingSince >= deadline) return servicePause(delivery, now) // never `undefined` here
    if (now - settledAt >= deadline) return `nothing was settled for ${secondsText(now - settledAt)}`
  }
  const schemasAwaitedMs = now - (group?.schemasSince ?? now)
  if (schemasAwaitedMs >= deadline)
    return `waiting for schemas for ${secondsText(schemasAwaitedMs)}: the schema registry does not answer`
  return undefined
}

/** Says which token cannot be renewed. `undefined` when all can. */
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

/** Makes pages for `startHealthServer` by their paths; others may be added to the map. Each answers 200, or 503 with the reason in it.
 *  @param clock that of the facts */
export function healthPages(
  facts: () => RunFacts,
  clock: Pick<Clock, 'now' | 'wait'>,
  stallDeadlineMs: number,
): Map<string, Page> {
  const pageOf = (answerOf: typeof liveness): Page => {
    return async (signal) => {
      // a tick that is overdue, because the process was suspended or busy, must run first
      await clock.wait(1, signal)
      const known = facts()
      const now = clock.now()
      return answerOf(healthOf(known, now, stallDeadlineMs), known, now)
    }
  }
  return new Map(Object.entries({ '/healthz': pageOf(liveness), '/readyz': pageOf(readiness) }))
}

function liveness({ live, reason }: Health, facts: RunFacts, now: number): PageAnswer {
  return json(live, {
    live,
    ...(live ? {} : { reason }),
    seconds_since_tick: inSeconds(now - facts.at),
    uptime_seconds: inSeconds(now - facts.startedAt),
  })
}

function readiness({ ready, reason }: Health, { group, delivery, stopping }: RunFacts, now: number): PageAnswer {
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

function json(isHealthy: boolean, body: object): PageAnswer {
  return { status: isHealthy ? 200 : 503, type: 'application/json', body: `${JSON.stringify(body)}\n` }
}

function inSeconds(ms: number): number {
  return Math.max(0, Math.round(ms) / 1000)
}
