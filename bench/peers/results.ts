// What `npm run bench -- peers` leaves in results.json.

import type { About } from './peers.ts'
import type { Damage, Harm } from './service.ts'

export interface SpeedRow {
  readonly peer: string
  readonly latencyMs: number
  readonly records: number
  /** Records a second, start included. */
  readonly rate: number
  /** CPU a record. */
  readonly cpuMicroseconds: number
  readonly peakMegabytes: number
  readonly requests: number
}

export interface DamageRow extends Damage {
  readonly peer: string
  readonly harm: Harm
  readonly records: number
  /** Whether a run ended well, or all of a topic was committed. */
  readonly ended: boolean
  /** How many it took, each from the last checkpoint on. */
  readonly runs: number
  readonly seconds: number
}

export interface PeerResults {
  readonly date: string
  readonly machine: string
  readonly isQuick: boolean
  readonly peers: readonly About[]
  readonly speed: readonly SpeedRow[]
  /** Seconds of a whole run with one record, by peer. */
  readonly start: Readonly<Record<string, number>>
  readonly damage: readonly DamageRow[]
}
