// What the do-nothing server counts, and how it is asked: the words shared by server and runner.

/** Since the last reset. */
export interface ServerStats {
  /** Upserts answered. */
  readonly requests: number
  /** Bytes of their bodies. */
  readonly bytes: number
  /** `"keys"` seen in their bodies; 0 unless asked for, since counting costs time. */
  readonly points: number
  /** Connections opened. */
  readonly connections: number
  /** CPU seconds of the server's one thread: next to the wall time it shows whether the server was the limit. */
  readonly serverCpuSeconds: number
}

export interface ServerSettings {
  /** How long each upsert's answer waits after the body's last byte; 0 answers at once. */
  readonly latencyMs: number
  readonly countPoints: boolean
  /** Once, from an early upsert on, nothing is answered for so long; absent: it never stands still. */
  readonly standStillMs?: number | undefined
}

/** GET gives the stats. */
export const STATS_PATH = '/_bench/stats'
/** POST with the settings as the query `latency_ms=50&count_points=true&stand_still_ms=0`; counts start again from zero. */
export const RESET_PATH = '/_bench/reset'
