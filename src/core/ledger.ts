// Counts which records are settled, per segment between two checkpoints, and decides which checkpoints may be committed, in order.
//
// The engine's loop tells it of each record by `receive`, and later, by the segment that this gave, that the record is settled or
// dropped. Checkpoints that are due by then are fetched by `take`, one at a time; `committed` follows when the source has one back.
//
// Checkpoints of each scope cut what comes into stretches of their own: of a track into segments, of `all` into epochs, of `none` into
// spans. A segment lies within one epoch and one span.

import { Fifo } from './queues.ts'
import { Segment, type Share, type Span, type TrackState } from './segment.ts'
import type { CheckpointItem, Counts, Track } from './types.ts'

const NO_RECORDS: Counts = { written: 0, rejected: 0, superseded: 0 }

function sum(some: Counts, more: Counts): Counts {
  return {
    written: some.written + more.written,
    rejected: some.rejected + more.rejected,
    superseded: some.superseded + more.superseded,
  }
}

/** A checkpoint that waits for what is before it. */
type Held<C> = Pick<CheckpointItem<C>, 'checkpoint' | 'bytes'>

/** A span, and the checkpoint that ended it. */
interface HeldSpan<C> extends Span {
  end: Held<C> | undefined
}

const emptySpan = <C>(): HeldSpan<C> => ({ unsettled: 0, end: undefined })

/** A checkpoint that may be committed: everything before it is settled. */
interface Due<C> extends Held<C> {
  readonly counts: Counts
  /** Its track. `undefined` when its scope is `all` or `none`. */
  readonly state: TrackState | undefined
}

/** A segment, with the checkpoint that ended it if that was one of its track. It has none when an epoch ended it, or
 *  a span, and then the next segment counts its records. */
class HeldSegment<C> extends Segment {
  held: Held<C> | undefined = undefined
}

/** A track's segments of one epoch, oldest first. */
interface Line<C> {
  readonly state: TrackState
  readonly segments: Fifo<HeldSegment<C>>
  /** The last of `segments`, if it still takes records. */
  current: HeldSegment<C> | undefined
}

/** Everything between two checkpoints of scope `all`. The one that ends it may be committed when all its lines are empty. */
interface Epoch<C> {
  readonly number: number
  readonly lines: Map<Track, Line<C>>
  /** Lines that are not empty. */
  busy: number
  end: Held<C> | undefined
  /** Counts of the records that only `end` covers. */
  counts: Counts
}

function emptyEpoch<C>(number: number): Epoch<C> {
  return { number, lines: new Map(), busy: 0, end: undefined, counts: NO_RECORDS }
}

/** Checkpoints of a track become due in arrival order, each when every record of the track before it is settled. A checkpoint of
 *  scope `all` becomes due when everything before it in all tracks is settled, and nothing behind it becomes due earlier.
 *  Otherwise tracks do not wait for each other. One of scope `none` waits for the same records, but nothing waits for it except the
 *  next of its kind. Each record is counted in the first checkpoint that covers it; one of scope `none` covers none.
 *  See decisions.md#states-keep-their-streams-order, decisions.md#each-record-is-counted-once and
 *  decisions.md#a-checkpoint-is-no-barrier. */
export class Ledger<C> {
  readonly #tracks = new Map<Track, TrackState>()
  /** Tracks that may have other counts than when they were last taken. */
  readonly #changed = new Set<TrackState>()
  /** Tracks that were lost or revoked. */
  #unassigned: WeakSet<Track> | undefined
  readonly #epochs = new Fifo<Epoch<C>>()
  readonly #spans = new Fifo<HeldSpan<C>>()
  readonly #due = new Fifo<Due<C>>()
  /** The track of the checkpoint that was taken last, until it is committed. */
  #taken: TrackState | undefined
  #newest: Epoch<C> = emptyEpoch(0)
  #span: HeldSpan<C> = emptySpan()
  #bytes = 0
  #checkpoints = 0
  #outstanding = 0
  #settledRecords = 0
  /** The segment of the last record, while it may take the next one. */
  #last: Segment | undefined

  constructor() {
    this.#epochs.push(this.#newest)
    this.#spans.push(this.#span)
  }

  /** Bytes of the checkpoints that are held, up to `take`. */
  get bytes(): number {
    return this.#bytes
  }

  /** Number of checkpoints that are held, up to `take`. */
  get checkpoints(): number {
    return this.#checkpoints
  }

  /** Records of all tracks that are neither settled nor dropped. */
  get outstanding(): number {
    return this.#outstanding
  }

  /** Records settled so far, of all tracks. */
  get settled(): number {
    return this.#settledRecords
  }

  /** Tracks of which records were received or settled since the last call, but none that was revoked or lost. */
  takeChanged(): readonly TrackState[] {
    const changed = [...this.#changed]
    this.#changed.clear()
    // the next record of the same track is a change too
    this.#last = undefined
    return changed
  }

  /** Records of a track received so far. */
  receivedOf(track: Track): number {
    return this.#tracks.get(track)?.received ?? 0
  }

  /** Counts a received record.
   *  @returns the segment it must be settled with */
  receive(track: Track): Segment {
    let segment = this.#last?.state.track === track ? this.#last : this.#open(track)
    if (segment.closed) segment = this.#open(track)
    this.#last = segment
    segment.unsettled++
    segment.span.unsettled++
    segment.state.received++
    segment.state.outstanding++
    this.#outstanding++
    return segment
  }

  /** Holds a checkpoint until everything that it covers is settled. Drops it if its track is unassigned. */
  checkpoint(item: CheckpointItem<C>): void {
    if (typeof item.scope !== 'string' && this.isUnassigned(item.scope)) return
    this.#bytes += item.bytes
    this.#checkpoints++
    this.#last = undefined
    const held = { checkpoint: item.checkpoint, bytes: item.bytes }
    if (item.scope === 'none') {
      this.#span.end = held
      this.#span = emptySpan()
      this.#spans.push(this.#span)
      this.#endSpans()
      return
    }
    if (item.scope === 'all') return this.#endEpoch(held)
    const segment = this.#open(item.scope)
    const line = this.#newest.lines.get(item.scope)!
    segment.closed = true
    segment.held = held
    line.current = undefined
    this.#drain(this.#newest, line)
    this.#advance()
  }

  /** Counts records of a segment as settled: written (superseded ones too) or rejected.
   *  @param superseded how many of them were replaced by a newer version; counted only if they are written */
  settle(segment: Segment, count: number, how: 'written' | 'rejected', superseded = 0): void {
    segment.unsettled -= count
    segment.span.unsettled -= count
    segment[how] += count
    if (how === 'written') segment.superseded += superseded
    segment.state[how] += count
    this.#changed.add(segment.state)
    this.#settledRecords += count
    segment.state.outstanding -= count
    this.#outstanding -= count
    // first its checkpoint: a revoked track must wait until that is committed
    this.#settled(segment)
    this.closeIfDone(segment.state)
    if (segment.span.unsettled === 0) this.#endSpans()
  }

  /** Counts records as dropped. They are never settled, so no checkpoint behind them becomes due. */
  drop({ segment, count }: Pick<Share, 'segment' | 'count'>): void {
    segment.state.outstanding -= count
    this.#outstanding -= count
    this.closeIfDone(segment.state)
  }

  /** Nothing more comes of the track. `settled` is called once nothing of it is outstanding and, if it is revoked, all is committed.
   *  Checkpoints of a lost track are forgotten, due ones too. */
  close(track: Track, phase: 'complete' | 'revoked' | 'lost', settled: () => void): TrackState {
    const state = this.#stateOf(track)
    state.phase = phase
    state.settled = settled
    if (phase !== 'complete') {
      this.#unassigned ??= new WeakSet()
      this.#unassigned.add(track)
      this.#last = undefined
    }
    if (phase === 'lost') this.forget(this.segments(track))
    return state
  }

  /** Whether the track was lost or revoked, so that items that still come of it are ignored. */
  isUnassigned(track: Track): boolean {
    // quick, because it is called for every record: the track of the last record is assigned
    return this.#unassigned !== undefined && track !== this.#last?.state.track && this.#unassigned.has(track)
  }

  /** The track's segments from the first unsettled one on, oldest first. */
  segments(track: Track): readonly Segment[] {
    return this.#epochs.all.flatMap(({ lines }) => lines.get(track)?.segments.all ?? [])
  }

  /** Forgets the checkpoints that end these segments of the ledger, because some of their records will never be settled. */
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
    if (state.phase === 'revoked' && this.#isDue(state)) return
    const { settled } = state
    state.settled = undefined
    // if it is assigned again, it is another track
    if (state.phase !== 'complete') this.#leaveTrack(state.track)
    settled()
  }

  /** Forgets a track that was lost or revoked, but leaves its epochs busy, because a checkpoint of scope `all` would cover records that
   *  were dropped. */
  #leaveTrack(track: Track): void {
    const state = this.#tracks.get(track)
    if (state) this.#changed.delete(state)
    this.#tracks.delete(track)
    for (const epoch of this.#epochs.all) epoch.lines.delete(track)
  }

  /** Call this when a checkpoint from `take` is committed. */
  committed({ state }: Due<C>): void {
    this.#taken = undefined
    if (state?.phase === 'revoked') this.closeIfDone(state)
  }

  /** Returns the next checkpoint to commit, and no longer holds it. */
  take(): Due<C> | undefined {
    let due = this.#due.shift()
    for (; due; due = this.#due.shift()) {
      this.#bytes -= due.bytes
      this.#checkpoints--
      if (due.state?.phase !== 'lost') break
    }
    this.#taken = due?.state
    return due
  }

  /** Looks for checkpoints that are due because records of a segment were settled. */
  #settled(segment: Segment): void {
    if (segment.unsettled > 0 || !segment.closed) return
    const oldest = this.#epochs.peek()!
    if (segment.epoch !== oldest.number) return
    const line = oldest.lines.get(segment.state.track)
    // there is none if the track was lost and this was its last segment
    if (line) this.#drain(oldest, line)
    this.#advance()
  }

  /** Whether a checkpoint of the track is due or being committed. */
  #isDue(state: TrackState): boolean {
    return this.#taken === state || this.#due.all.some((due) => due.state === state)
  }

  #stateOf(track: Track): TrackState {
    let state = this.#tracks.get(track)
    if (!state) {
      state = { track, outstanding: 0, received: 0, written: 0, rejected: 0, phase: 'open', settled: undefined }
      this.#tracks.set(track, state)
    }
    return state
  }

  /** The segment that takes the track's next records. */
  #open(track: Track): HeldSegment<C> {
    const epoch = this.#newest
    let line = epoch.lines.get(track)
    if (!line) {
      line = { state: this.#stateOf(track), segments: new Fifo(), current: undefined }
      epoch.lines.set(track, line)
    }
    this.#changed.add(line.state)
    const { current } = line
    if (current?.unsettled === 0) current.span = this.#span
    if (current?.span === this.#span) return current
    if (current) current.closed = true
    const segment = new HeldSegment<C>(line.state, epoch.number, this.#span)
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

  /** Makes the line's first checkpoints due, as far as all their records are settled. Does so in the oldest epoch only. */
  #drain(epoch: Epoch<C>, line: Line<C>): void {
    if (epoch !== this.#epochs.peek() || line.segments.length === 0) return
    const { segments, state } = line
    for (let segment = segments.peek(); segment?.closed && segment.unsettled === 0; segment = segments.peek()) {
      if (state.phase === 'lost') return
      segments.shift()
      const { held, written, rejected, superseded } = segment
      // the checkpoint may be large, and points may refer to the segment for longer
      segment.held = undefined
      const next = segments.peek()
      if (held) this.#due.push({ ...held, counts: { written, rejected, superseded }, state })
      else if (next) Object.assign(next, sum(next, segment))
      else epoch.counts = sum(epoch.counts, segment)
    }
    if (segments.length === 0) epoch.busy--
  }

  #endSpans(): void {
    for (let span = this.#spans.peek()!; span.end && span.unsettled === 0; span = this.#spans.peek()!) {
      this.#due.push({ ...span.end, counts: NO_RECORDS, state: undefined })
      this.#spans.shift()
    }
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
