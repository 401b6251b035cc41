// Which records are settled, counted per segment between checkpoints, not per record; and which checkpoints may be committed, in
// order. Never looks inside a checkpoint.

import { Fifo } from './queues.ts'
import type { CheckpointItem, Counts, Track } from './types.ts'

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

const NO_RECORDS: Counts = { written: 0, rejected: 0, superseded: 0 }

function sum(some: Counts, more: Counts): Counts {
  return {
    written: some.written + more.written,
    rejected: some.rejected + more.rejected,
    superseded: some.superseded + more.superseded,
  }
}

/** Records that are outstanding, or were dropped when a record of their track ended the run: neither are settled.
 *  @param state undefined: the track had no records */
export function unsettled(state: TrackState | undefined): number {
  return state === undefined ? 0 : state.received - state.written - state.rejected
}

/** A checkpoint with everything before it settled. */
interface Due<C> {
  readonly checkpoint: C
  readonly counts: Counts
  readonly bytes: number
  /** Whose it is; undefined for scope `all` and `none`. */
  readonly state: TrackState | undefined
}

interface Held<C> {
  readonly checkpoint: C
  readonly bytes: number
}

/** A segment with the checkpoint that ended it, if one of its own did. */
class HeldSegment<C> extends Segment {
  held: Held<C> | undefined = undefined
}

/** A track's segments of one epoch, oldest first. */
interface Line<C> {
  readonly state: TrackState
  readonly segments: Fifo<HeldSegment<C>>
  /** Takes records; the last of `segments`, or none since the last checkpoint. */
  current: HeldSegment<C> | undefined
}

/** Everything between two checkpoints of scope `all`. Its end may be committed when every line of it is empty. */
interface Epoch<C> {
  readonly number: number
  readonly lines: Map<Track, Line<C>>
  /** Lines with segments that are not settled. */
  busy: number
  end: Held<C> | undefined
  /** Of records that only `end` covers. */
  counts: Counts
}

const emptyEpoch = <C>(number: number): Epoch<C> => ({
  number,
  lines: new Map(),
  busy: 0,
  end: undefined,
  counts: NO_RECORDS,
})

/** Checkpoints of a track are due in arrival order, each when every record of the track before it is settled; one of
 *  scope `all` when everything before it in all tracks is, and nothing after it is due earlier. Tracks overtake each
 *  other; one of scope `none` is due at once. Each record is counted in the first checkpoint that covers it.
 *  See decisions.md#states-keep-their-streams-order, decisions.md#each-record-is-counted-once and
 *  decisions.md#a-checkpoint-is-no-barrier. */
export class Ledger<C> {
  readonly #tracks = new Map<Track, TrackState>()
  /** Abandoned or leaving. Undefined: none ever was. */
  #gone: WeakSet<Track> | undefined
  readonly #epochs = new Fifo<Epoch<C>>()
  readonly #due = new Fifo<Due<C>>()
  /** Whose checkpoint was taken last, until that is committed. */
  #taken: TrackState | undefined
  #newest: Epoch<C> = emptyEpoch(0)
  #bytes = 0
  #checkpoints = 0
  #outstanding = 0
  #settledRecords = 0
  #lastTrack: Track | undefined
  #lastSegment: Segment | undefined

  constructor() {
    this.#epochs.push(this.#newest)
  }

  /** Bytes of the checkpoints held and not yet taken with `take`. */
  get bytes(): number {
    return this.#bytes
  }

  /** How many they are. */
  get checkpoints(): number {
    return this.#checkpoints
  }

  /** Records neither settled nor dropped, of all tracks. */
  get outstanding(): number {
    return this.#outstanding
  }

  /** Records settled so far, of all tracks. */
  get settled(): number {
    return this.#settledRecords
  }

  /** The state of each track at the moment it is iterated; may be iterated again. */
  get tracks(): Iterable<TrackState> {
    return { [Symbol.iterator]: () => this.#tracks.values() }
  }

  /** Counts a record in.
   *  @returns the segment it must be settled with */
  receive(track: Track): Segment {
    let segment = this.#lastTrack === track ? this.#lastSegment! : this.#open(track)
    if (segment.closed) segment = this.#open(track)
    this.#lastTrack = track
    this.#lastSegment = segment
    segment.unsettled++
    segment.state.received++
    segment.state.outstanding++
    this.#outstanding++
    return segment
  }

  /** Holds a checkpoint until what it covers is settled; may become due at once. That of a track that is gone is dropped. */
  checkpoint(item: CheckpointItem<C>): void {
    if (typeof item.scope !== 'string' && this.isGone(item.scope)) return
    this.#bytes += item.bytes
    this.#checkpoints++
    this.#lastTrack = undefined
    const held = { checkpoint: item.checkpoint, bytes: item.bytes }
    if (item.scope === 'none') {
      this.#due.push({ ...held, counts: NO_RECORDS, state: undefined })
      return
    }
    if (item.scope === 'all') {
      this.#endEpoch(held)
      return
    }
    const segment = this.#open(item.scope)
    const line = this.#newest.lines.get(item.scope)!
    segment.closed = true
    segment.held = held
    line.current = undefined
    this.#drain(this.#newest, line)
    this.#advance()
  }

  /** Records of a segment are settled: written (superseded ones too) or rejected.
   *  @param superseded how many of them a newer version took the place of; counted only where they are written */
  settle(segment: Segment, count: number, how: 'written' | 'rejected', superseded = 0): void {
    segment.unsettled -= count
    segment[how] += count
    if (how === 'written') segment.superseded += superseded
    segment.state[how] += count
    this.#settledRecords += count
    segment.state.outstanding -= count
    this.#outstanding -= count
    // its checkpoint first: a track that leaves has not left before that is committed
    this.#settled(segment)
    this.closeIfDone(segment.state)
  }

  /** Records of an abandoned track that were dropped: never settled, nor is any checkpoint after them. */
  drop(segment: Segment, count: number): void {
    segment.state.outstanding -= count
    this.#outstanding -= count
    this.closeIfDone(segment.state)
  }

  /** The track's records are done with: `settled` is called once nothing of it is outstanding; of a leaving one, which has
   *  nothing more to come, once that is committed too. An abandoned track's checkpoints are forgotten, due ones too. */
  close(track: Track, phase: 'complete' | 'leaving' | 'abandoned', settled: () => void): TrackState {
    const state = this.#stateOf(track)
    state.phase = phase
    state.settled = settled
    if (phase !== 'complete') {
      this.#gone ??= new WeakSet()
      this.#gone.add(track)
      this.#lastTrack = undefined
    }
    if (phase === 'abandoned') this.forget(this.segments(track))
    return state
  }

  /** Whether it was abandoned or leaves: what still comes of it is ignored. */
  isGone(track: Track): boolean {
    // called for every record; the track of the record before is known not to be gone
    return this.#gone !== undefined && track !== this.#lastTrack && this.#gone.has(track)
  }

  /** Its segments that are not settled, and all behind them, oldest first. */
  segments(track: Track): readonly Segment[] {
    return this.#epochs.filter(() => true).flatMap(({ lines }) => lines.get(track)?.segments.filter(() => true) ?? [])
  }

  /** Checkpoints that end these segments are never committed: not all of their records will be settled. */
  forget(segments: readonly Segment[]): void {
    for (const segment of segments as readonly HeldSegment<C>[]) {
      if (!segment.held) continue
      this.#bytes -= segment.held.bytes
      this.#checkpoints--
      segment.held = undefined
    }
  }

  /** Calls `settled` of a closed track once nothing of it is outstanding. */
  closeIfDone(state: TrackState): void {
    if (state.phase === 'open' || state.outstanding > 0 || !state.settled) return
    if (state.phase === 'leaving' && this.#isDue(state)) return
    const { settled } = state
    state.settled = undefined
    // one that is assigned again is another track
    if (state.phase !== 'complete') this.#leaveTrack(state.track)
    settled()
  }

  /** Its epochs stay busy: a checkpoint of scope `all` would cover what was forgotten. */
  #leaveTrack(track: Track): void {
    this.#tracks.delete(track)
    for (const epoch of this.#epochs.filter(() => true)) epoch.lines.delete(track)
  }

  /** One that was taken is committed. */
  committed({ state }: Due<C>): void {
    this.#taken = undefined
    if (state?.phase === 'leaving') this.closeIfDone(state)
  }

  /** The next checkpoint to commit, which is then no longer held. */
  take(): Due<C> | undefined {
    let due = this.#due.shift()
    for (; due; due = this.#due.shift()) {
      this.#bytes -= due.bytes
      this.#checkpoints--
      if (due.state?.phase !== 'abandoned') break
    }
    this.#taken = due?.state
    return due
  }

  #settled(segment: Segment): void {
    if (segment.unsettled > 0 || !segment.closed) return
    const oldest = this.#epochs.peek()!
    if (segment.epoch !== oldest.number) return
    const line = oldest.lines.get(segment.state.track)
    // none: it was abandoned, and this was the last of it
    if (line) this.#drain(oldest, line)
    this.#advance()
  }

  /** A checkpoint of it waits to be committed, or is being committed. */
  #isDue(state: TrackState): boolean {
    return this.#taken === state || this.#due.filter((due) => due.state === state).length > 0
  }

  #stateOf(track: Track): TrackState {
    let state = this.#tracks.get(track)
    if (!state) {
      state = { track, outstanding: 0, received: 0, written: 0, rejected: 0, phase: 'open', settled: undefined }
      this.#tracks.set(track, state)
    }
    return state
  }

  /** The segment of the newest epoch that takes the track's records. */
  #open(track: Track): HeldSegment<C> {
    const epoch = this.#newest
    let line = epoch.lines.get(track)
    if (!line) {
      line = { state: this.#stateOf(track), segments: new Fifo(), current: undefined }
      epoch.lines.set(track, line)
    }
    if (line.current) return line.current
    const segment = new HeldSegment<C>(line.state, epoch.number)
    if (line.segments.length === 0) epoch.busy++
    line.segments.push(segment)
    line.current = segment
    return segment
  }

  #endEpoch(held: Held<C>): void {
    const ended = this.#newest
    ended.end = held
    this.#newest = emptyEpoch(ended.number + 1)
    this.#epochs.push(this.#newest)
    for (const line of ended.lines.values()) {
      if (!line.current) continue
      line.current.closed = true
      line.current = undefined
      this.#drain(ended, line)
    }
    this.#advance()
  }

  /** Releases the line's checkpoints from its front, as far as everything is settled. Only the oldest epoch may. */
  #drain(epoch: Epoch<C>, line: Line<C>): void {
    if (epoch !== this.#epochs.peek() || line.segments.length === 0) return
    for (
      let segment = line.segments.peek();
      segment?.closed && segment.unsettled === 0;
      segment = line.segments.peek()
    ) {
      if (line.state.phase === 'abandoned') return
      line.segments.shift()
      const { held } = segment
      // points may still refer to the segment, and the checkpoint may be long
      segment.held = undefined
      if (held) this.#due.push({ ...held, counts: sum(segment, NO_RECORDS), state: line.state })
      else epoch.counts = sum(epoch.counts, segment)
    }
    if (line.segments.length === 0) epoch.busy--
  }

  #advance(): void {
    for (let epoch = this.#epochs.peek()!; epoch.end && epoch.busy === 0; epoch = this.#epochs.peek()!) {
      this.#due.push({ ...epoch.end, counts: epoch.counts, state: undefined })
      this.#epochs.shift()
      const next = this.#epochs.peek()!
      for (const line of next.lines.values()) this.#drain(next, line)
    }
  }
}
