// The records between two checkpoints of a track, as counts. Knows nothing of single records.

import type { Track } from './types.ts'

/** What the engine keeps of a track over its whole life. */
export interface TrackState {
  readonly track: Track
  /** Records neither settled nor forgotten. */
  outstanding: number
  received: number
  written: number
  rejected: number
  phase: 'open' | 'complete' | 'leaving' | 'abandoned'
  /** Called once, when phase is not `open` and nothing is outstanding; of a leaving track, when that is committed too. */
  settled: (() => void) | undefined
}

/** A run of records of one track up to its next checkpoint: what is still unsettled, and how the rest ended. */
export class Segment {
  readonly state: TrackState
  /** Which stretch between two checkpoints of scope `all` it lies in. */
  readonly epoch: number
  unsettled = 0
  written = 0
  rejected = 0
  /** Of the written ones. */
  superseded = 0
  /** No more records will join. */
  closed = false

  constructor(state: TrackState, epoch: number) {
    this.state = state
    this.epoch = epoch
  }

  /** Nothing more of the track comes: what there is of it is due at once. */
  get isPressing(): boolean {
    const { phase } = this.state
    return phase === 'complete' || phase === 'leaving'
  }

  /** How old a record that arrives now counts as. */
  ageAt(now: number): number {
    return this.isPressing ? -Infinity : now
  }
}
