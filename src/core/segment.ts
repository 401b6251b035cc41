// Counts of a track (a stream or a partition), and of its records between two checkpoints. Points (row versions that wait or are in
// flight) refer to their segment; only the ledger (ledger.ts) changes the counts. A record is settled once it is stored, or durably kept
// as a reject; it is dropped if the run gives it up.

import type { Track } from './types.ts'

/** A track as the engine knows it: counts of its records, and whether more of them come. */
export interface TrackState {
  readonly track: Track
  /** Records that are neither settled nor dropped. */
  outstanding: number
  received: number
  written: number
  rejected: number
  /** open: brings records · complete: brings no more · revoked: leaves this process, with time to end · lost: was taken from it at once */
  phase: 'open' | 'complete' | 'revoked' | 'lost'
  /** Called once, when the phase is not `open` and nothing is outstanding; if it is `revoked`, all must also be committed. */
  settled: (() => void) | undefined
}

/** Counts the records of a track that are not settled: outstanding or dropped.
 *  @param state `undefined` when the track had no records */
export function unsettled(state: TrackState | undefined): number {
  return state === undefined ? 0 : state.received - state.written - state.rejected
}

/** The records of all tracks between two checkpoints of scope `none`, which wait for them but do not count them (types.ts). */
export interface Span {
  /** Records that are not settled, dropped ones included. */
  unsettled: number
}

/** The records of one track between two checkpoints: how many are unsettled, and how the others ended. */
export class Segment {
  readonly state: TrackState
  /** The number of its epoch, which is everything between two checkpoints of scope `all` (ledger.ts). */
  readonly epoch: number
  /** The span of its unsettled records. While there are none, the ledger may move the segment to a newer span. */
  span: Span
  unsettled = 0
  written = 0
  rejected = 0
  /** How many of the written ones were superseded. */
  superseded = 0
  /** Whether no more records will be added. */
  closed = false

  constructor(state: TrackState, epoch: number, span: Span = { unsettled: 0 }) {
    this.state = state
    this.epoch = epoch
    this.span = span
  }

  get received(): number {
    return this.unsettled + this.written + this.rejected
  }

  /** Whether nothing more comes of the track and its points are still sent, so that they are due at once. */
  get isPressing(): boolean {
    const { phase } = this.state
    return phase === 'complete' || phase === 'revoked'
  }

  /** The `age` of a point that arrives now, which is its time of arrival: `now`, or -Infinity if it is due at once. */
  ageAt(now: number): number {
    return this.isPressing ? -Infinity : now
  }
}

/** Records of one segment, one after another, that a point stands for. A point is itself the newest of its shares (body.ts). */
export interface Share {
  segment: Segment
  /** Above 1 when newer versions of a row came in the same segment; 0 in a stand-in that settles no record (refusal/rejecting.ts). */
  count: number
  /** The share of earlier versions of the row, which are of another segment. `undefined` when there is none. */
  older: Share | undefined
}
