// /healthz and /readyz: what is asked, in JSON. Figures only: no record's data, no address, no secret.

import type { Clock } from '../../core/types.ts'
import { healthOf } from './health.ts'
import type { Health } from './health.ts'
import type { Page, PageAnswer } from './health-server.ts'
import type { StreamFacts } from './stream-facts.ts'

export interface HealthPagesParts {
  /** As of now. */
  readonly facts: () => StreamFacts
  /** The one the facts are told by. */
  readonly clock: Pick<Clock, 'now' | 'wait'>
  readonly stallDeadlineMs: number
}

/** Pages for `startHealthServer`, by path; add others to the map. 200, or 503 with the reason in the body. */
export function healthPages({ facts, clock, stallDeadlineMs }: HealthPagesParts): Map<string, Page> {
  const page =
    (answer: (health: Health, facts: StreamFacts, now: number) => PageAnswer): Page =>
    async (signal) => {
      // a tick that is overdue, because the process slept or was busy, goes first
      await clock.wait(1, signal)
      const known = facts()
      const now = clock.now()
      return answer(healthOf(known, now, stallDeadlineMs), known, now)
    }
  return new Map([
    ['/healthz', page(alive)],
    ['/readyz', page(ready)],
  ])
}

function alive({ live, reason }: Health, facts: StreamFacts, now: number): PageAnswer {
  return json(live, {
    live,
    ...(live ? {} : { reason }),
    seconds_since_tick: inSeconds(now - facts.at),
    uptime_seconds: inSeconds(now - facts.startedAt),
  })
}

function ready({ ready, reason }: Health, { group, delivery, stopping }: StreamFacts, now: number): PageAnswer {
  const { outstanding, settledAt, oldestAt, failingSince, pausedUntil } = delivery
  return json(ready, {
    ready,
    reason,
    stopping,
    joined: group.joined,
    generation: group.generation ?? null,
    partitions: group.partitions.length,
    partitions_held: group.partitions.filter(({ held }) => held !== undefined).length,
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
