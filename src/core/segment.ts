// What the engine remembers of a track, and of its records between two checkpoints. Points refer to their segment for as long as they
// live; only the ledger (ledger.ts) changes the counts.

import type { Track } from './types.ts'

/** A track, as long as it lasts. */
export interface TrackState {
  readonly track: Track
  /** Records that are neither settled nor dropped. */
  outstanding: number
  received: number
  written: number
  rejected: number
  /** open: brings records · complete: brings no more · revoked, lost: no longer ours (types.ts) */
  phase: 'open' | 'complete' | 'revoked' | 'lost'
  /** Called once, when the phase is not `open` and nothing is outstanding; if it is `revoked`, all must also be committed. */
  settled: (() => void) | undefined
}

/** Records of the track that are outstanding, and those that were dropped because one of them ended the run.
 *  @param state `undefined` when the track had no records */
export function unsettled(state: TrackState | undefined): number {
  return state === undefined ? 0 : state.received - state.written - state.rejected
}

/** Everything between two checkpoints of scope `none`. */
export interface Span {
  /** Records of all tracks that are not settled; dropped ones never are. */
  unsettled: number
}

/** The records of one track up to its next checkpoint: how many are unsettled, and how the others ended. */
export class Segment {
  readonly state: TrackState
  /** The number of its epoch (ledger.ts). */
  readonly epoch: number
  /** The span of all its unsettled records. */
  span: Span
  unsettled = 0
  written = 0
  rejected = 0
  /** How many of the written ones were superseded. */
  superseded = 0
  /** No more records will be added. */
  closed = false

  constructor(state: TrackState, epoch: number, span: Span = { unsettled: 0 }) {
    this.state = state
    this.epoch = epoch
    this.span = span
  }

  /** Records so far. */
  get received(): number {
    return this.unsettled + this.written + this.rejected
  }

  /** Whether nothing more comes of the track, so that its points are due at once. */
  get isPressing(): boolean {
    const { phase } = this.state
    return phase === 'complete' || phase === 'revoked'
  }

  /** The arrival time to note for a record that arrives now; -Infinity makes its point due at once. */
  ageAt(now: number): number {
    return this.isPressing ? -Infinity : now
  }
}

/** Records of one segment that a point stands for. A point is itself the newest of its shares (body.ts). */
export interface Share {
  segment: Segment
  /** Above 1 when newer versions of a row came in the same segment. */
  count: number
  /** The share of earlier versions of the row. */
  older: Share | undefined
}
