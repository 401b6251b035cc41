// The facts of a stream that has only just begun: until the first tick, and to build others from.

import type { StreamFacts } from './stream-facts.ts'

/** @param now the clock that all facts are told by */
export function startingFacts(now: number): StreamFacts {
  return {
    at: now,
    startedAt: now,
    group: {
      joined: false,
      since: now,
      generation: undefined,
      rebalances: 0,
      commits: { taken: 0, failed: 0 },
      partitions: [],
      schemasSince: undefined,
    },
    delivery: {
      outstanding: 0,
      settledAt: now,
      oldestAt: undefined,
      bufferedBytes: 0,
      inFlight: 0,
      permits: undefined,
      durations: [],
      deadLetterFailures: 0,
      retrying: 0,
      guarded: 0,
      pausedUntil: undefined,
      failingSince: undefined,
      throttledSince: undefined,
    },
    topics: [],
    tables: [],
    stopping: false,
    failed: undefined,
  }
}
