// Counts which records are settled (stored, or durably kept as rejects), and decides which checkpoints may be committed, in order.
//
// The engine's loop tells it of each record by `receive`, which gives a segment, and later by this segment that the record is settled, or
// dropped: never to be settled. It takes checkpoints that are due by `take`, one at a time, and calls `committed` when the source has one.
//
// A checkpoint's scope is a track (a stream or a partition), `all` or `none`. Those of each scope cut what comes into stretches: of a track
// into segments, of `all` into epochs, of `none` into spans. A segment lies within one epoch and one span.

import { Fifo } from './queues.ts'
import { Segment, type Share, type Span, type TrackState } from './segment.ts'
import type { CheckpointItem, Counts, Track } from './types.ts'

const NO_RECORDS: Counts = { written: 0, rejected: 0, superseded: 0 }

function sumOf(one: Counts, other: Counts): Counts {
  return {
    written: one.written + other.written,
    rejected: one.rejected + other.rejected,
    superseded: one.superseded + other.superseded,
  }
}

/** A checkpoint that waits for what is before it. */
type HeldCheckpoint<C> = Pick<CheckpointItem<C>, 'checkpoint' | 'bytes'>

interface HeldSpan<C> extends Span {
  /** The checkpoint that ended it. `undefined` when it has not ended. */
  end: HeldCheckpoint<C> | undefined
}

const emptySpan = <C>(): HeldSpan<C> => ({ unsettled: 0, end: undefined })

/** A checkpoint that may be committed: everything before it is settled. */
interface Due<C> extends HeldCheckpoint<C> {
  readonly counts: Counts
  /** Its track. `undefined` when its scope is `all` or `none`. */
  readonly state: TrackState | undefined
}

class HeldSegment<C> extends Segment {
  /** The checkpoint of its track that ended it. `undefined` when none did; a later one that covers its records counts them. */
  held: HeldCheckpoint<C> | undefined = undefined
}

/** The segments of one track within one epoch, oldest first. `#drain` removes those that are settled from the front. */
interface Line<C> {
  readonly state: TrackState
  readonly segments: Fifo<HeldSegment<C>>
  /** The last of `segments`, if it still takes records. */
  current: HeldSegment<C> | undefined
}

/** Everything between two checkpoints of scope `all`. The one that ends it (`end`) may be committed when all its lines are empty. */
interface Epoch<C> {
  readonly number: number
  readonly lines: Map<Track, Line<C>>
  /** Lines that are not empty. Dropped records keep it above 0, so that `end` is never committed. */
  busy: number
  end: HeldCheckpoint<C> | undefined
  /** Counts of the records that no checkpoint before `end` covers. */
  counts: Counts
}

function emptyEpoch<C>(number: number): Epoch<C> {
  return { number, lines: new Map(), busy: 0, end: undefined, counts: NO_RECORDS }
}

/** Checkpoints of a track become due in arrival order, each when every record of the track before it is settled. A checkpoint of scope
 *  `all` becomes due when everything before it in all tracks is settled, and nothing behind it becomes due earlier. Otherwise tracks do not
 *  wait for each other. One of scope `none` waits for the same records, but nothing waits for it except the next of its kind. Each record
 *  is counted in the first checkpoint that covers it; one of scope `none` covers none. See decisions.md#states-keep-their-streams-order,
 *  decisions.md#each-record-is-counted-once and decisions.md#a-checkpoint-is-no-barrier. */
export class Ledger<C> {
  readonly #tracks = new Map<Track, TrackState>()
  /** Tracks whose counts may have changed since `takeChanged` was last called. */
  readonly #changed = new Set<TrackState>()
  /** Tracks that were lost or revoked. `undefined` when none was. */
  #unassigned: WeakSet<Track> | undefined
  /** Epochs and spans, oldest first. Never empty, as the newest one takes what comes. */
  readonly #epochs = new Fifo<Epoch<C>>()
  readonly #spans = new Fifo<HeldSpan<C>>()
  readonly #due = new Fifo<Due<C>>()
  /** The track of the checkpoint that is being committed. `undefined` when none is, or its scope is no track. */
  #taken: TrackState | undefined
  #newestEpoch: Epoch<C> = emptyEpoch(0)
  #newestSpan: HeldSpan<C> = emptySpan()
  #bytes = 0
  #checkpoints = 0
  #outstanding = 0
  #settledRecords = 0
  /** The segment of the last record, which takes further ones of its track unless it is closed. `undefined` when `#open` must look. */
  #lastSegment: Segment | undefined

  constructor() {
    this.#epochs.push(this.#newestEpoch)
    this.#spans.push(this.#newestSpan)
  }

  /** Bytes of the checkpoints that are held: given by `checkpoint`, and not yet by `take`. */
  get bytes(): number {
    return this.#bytes
  }

  /** Number of the checkpoints that are held. */
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

  /** Returns the tracks of which records were received or settled since the last call, without lost or revoked ones that are over. */
  takeChanged(): readonly TrackState[] {
    const changed = [...this.#changed]
    this.#changed.clear()
    // so that the next record notes its track in `#changed` again
    this.#lastSegment = undefined
    return changed
  }

  /** Counts the records of a track that were received so far. */
  receivedOf(track: Track): number {
    return this.#tracks.get(track)?.received ?? 0
  }

  /** Counts a received record.
   *  @returns the segment with which it must be settled or dropped */
  receive(track: Track): Segment {
    let segment = this.#lastSegment?.state.track === track ? this.#lastSegment : this.#open(track)
    if (segment.closed) segment = this.#open(track)
    this.#lastSegment = segment
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
    this.#lastSegment = undefined
    const held = { checkpoint: item.checkpoint, bytes: item.bytes }
    if (item.scope === 'none') {
      this.#newestSpan.end = held
      this.#newestSpan = emptySpan()
      this.#spans.push(this.#newestSpan)
      this.#endSpans()
      return
    }
    if (item.scope === 'all') return this.#endEpoch(held)
    const segment = this.#open(item.scope)
    const line = this.#newestEpoch.lines.get(item.scope)!
    segment.closed = true
    segment.held = held
    line.current = undefined
    this.#drain(this.#newestEpoch, line)
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
    // before `closeIfDone`, because a revoked track must wait for a checkpoint that becomes due now
    this.#drainSegment(segment)
    this.closeIfDone(segment.state)
    if (segment.span.unsettled === 0) this.#endSpans()
  }

  /** Counts records as dropped. They are never settled, so no checkpoint behind them becomes due. */
  drop({ segment, count }: Pick<Share, 'segment' | 'count'>): void {
    segment.state.outstanding -= count
    this.#outstanding -= count
    this.closeIfDone(segment.state)
  }

  /** Ends a track, of which nothing more comes. `settled` is called once nothing of it is outstanding and, if it is revoked, all is
   *  committed. Checkpoints of a lost track are forgotten, due ones too. */
  close(track: Track, phase: 'complete' | 'revoked' | 'lost', settled: () => void): TrackState {
    const state = this.#stateOf(track)
    state.phase = phase
    state.settled = settled
    if (phase !== 'complete') {
      this.#unassigned ??= new WeakSet()
      this.#unassigned.add(track)
      this.#lastSegment = undefined
    }
    if (phase === 'lost') this.forget(this.segments(track))
    return state
  }

  /** Whether the track was lost or revoked, so that items that still come of it are ignored. */
  isUnassigned(track: Track): boolean {
    // called for every record, so the usual case comes first: the track of the last record is assigned
    return this.#unassigned !== undefined && track !== this.#lastSegment?.state.track && this.#unassigned.has(track)
  }

  /** The track's segments from the first unsettled one on, oldest first. */
  segments(track: Track): readonly Segment[] {
    return this.#epochs.all.flatMap(({ lines }) => lines.get(track)?.segments.all ?? [])
  }

  /** Forgets the checkpoints that end these segments, because records that they cover will never be settled. */
  forget(segments: readonly Segment[]): void {
    for (const segment of segments as readonly HeldSegment<C>[]) {
      if (!segment.held) continue
      this.#bytes -= segment.held.bytes
      this.#checkpoints--
      segment.held = undefined
    }
  }

  /** Calls `settled` of a closed track once nothing of it is outstanding and, if it is revoked, no checkpoint of it is due. */
  closeIfDone(state: TrackState): void {
    if (state.phase === 'open' || state.outstanding > 0 || !state.settled) return
    if (state.phase === 'revoked' && this.#isDue(state)) return
    const { settled } = state
    state.settled = undefined
    // if it is assigned again, it is another track
    if (state.phase !== 'complete') this.#leaveTrack(state.track)
    settled()
  }

  /** Forgets a track that was lost or revoked. Its epochs stay busy, because checkpoints of scope `all` would cover dropped records. */
  #leaveTrack(track: Track): void {
    const state = this.#tracks.get(track)
    if (state) this.#changed.delete(state)
    this.#tracks.delete(track)
    for (const epoch of this.#epochs.all) epoch.lines.delete(track)
  }

  /** Must be called when a checkpoint that `take` gave is committed. */
  committed({ state }: Due<C>): void {
    this.#taken = undefined
    if (state?.phase === 'revoked') this.closeIfDone(state)
  }

  /** Returns the next checkpoint to commit, and no longer holds it. `undefined` when none is due. */
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

  /** Looks for checkpoints that are due because the last records of a segment were settled. */
  #drainSegment(segment: Segment): void {
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

  /** Finds or makes the segment that takes the track's next records. */
  #open(track: Track): HeldSegment<C> {
    const epoch = this.#newestEpoch
    let line = epoch.lines.get(track)
    if (!line) {
      line = { state: this.#stateOf(track), segments: new Fifo(), current: undefined }
      epoch.lines.set(track, line)
    }
    this.#changed.add(line.state)
    const { current } = line
    // a segment without unsettled records moves to the newest span; one that has some cannot, so it ends
    if (current?.unsettled === 0) current.span = this.#newestSpan
    if (current?.span === this.#newestSpan) return current
    if (current) current.closed = true
    const segment = new HeldSegment<C>(line.state, epoch.number, this.#newestSpan)
    if (line.segments.length === 0) epoch.busy++
    line.segments.push(segment)
    line.current = segment
    return segment
  }

  #endEpoch(held: HeldCheckpoint<C>): void {
    const ended = this.#newestEpoch
    ended.end = held
    this.#newestEpoch = emptyEpoch(ended.number + 1)
    this.#epochs.push(this.#newestEpoch)
    for (const line of ended.lines.values()) {
      if (!line.current) continue
      line.current.closed = true
      line.current = undefined
      this.#drain(ended, line)
    }
    this.#advance()
  }

  /** Removes a line's first segments, as far as all their records are settled, and makes their checkpoints due. Does so in the oldest
   *  epoch only, because nothing behind a checkpoint of `all` may be due before it. */
  #drain(epoch: Epoch<C>, line: Line<C>): void {
    if (epoch !== this.#epochs.peek() || line.segments.length === 0) return
    const { segments, state } = line
    for (let segment = segments.peek(); segment?.closed && segment.unsettled === 0; segment = segments.peek()) {
      // its segments stay, so that the epoch stays busy, because its checkpoint would cover records that were dropped
      if (state.phase === 'lost') return
      segments.shift()
      const { held, written, rejected, superseded } = segment
      // the checkpoint may be large, and points may refer to the segment a while longer
      segment.held = undefined
      const next = segments.peek()
      // records of a segment that has no checkpoint are counted by that of the next segment, or else by that of the epoch
      if (held) this.#due.push({ ...held, counts: { written, rejected, superseded }, state })
      else if (next) Object.assign(next, sumOf(next, segment))
      else epoch.counts = sumOf(epoch.counts, segment)
    }
    if (segments.length === 0) epoch.busy--
  }

  /** Makes the checkpoints due that end the first spans, as far as nothing in these is unsettled. */
  #endSpans(): void {
    for (let span = this.#spans.peek()!; span.end && span.unsettled === 0; span = this.#spans.peek()!) {
      this.#due.push({ ...span.end, counts: NO_RECORDS, state: undefined })
      this.#spans.shift()
    }
  }

  /** Makes the checkpoints due that end the first epochs, as far as all lines of these are empty. */
  #advance(): void {
    for (let epoch = this.#epochs.peek()!; epoch.end && epoch.busy === 0; epoch = this.#epochs.peek()!) {
      this.#due.push({ ...epoch.end, counts: epoch.counts, state: undefined })
      this.#epochs.shift()
      const next = this.#epochs.peek()!
      for (const line of next.lines.values()) this.#drain(next, line)
    }
  }
}
