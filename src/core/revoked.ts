// Tracks that this process no longer owns: lost at once, or revoked in good order. Of a revoked track, what was sent, what lies before
// that, and what goes out with it (kept-segments.ts) is still delivered and committed. What lies behind is dropped, because nothing of
// it was acknowledged. Either way the track's `settled` is called once, by the ledger.

import { keptSegments } from './kept-segments.ts'
import type { Ledger } from './ledger.ts'
import type { Segment, TrackState } from './segment.ts'
import type { SendQueue } from './send-queue.ts'
import { isLost } from './shares.ts'
import type { ShareTest } from './shares.ts'
import type { Tables } from './tables.ts'
import type { UnassignedTrack, Track } from './types.ts'

/** Lets tracks go, and has those that were revoked and are not settled yet. Never throws, never waits. */
export class RevokedTracks<O> {
  readonly #ledger: Ledger<unknown>
  readonly #tables: Tables<O>
  readonly #queue: SendQueue<O>
  readonly #revoked = new Map<Track, UnassignedTrack>()

  constructor(ledger: Ledger<unknown>, tables: Tables<O>, queue: SendQueue<O>) {
    this.#ledger = ledger
    this.#tables = tables
    this.#queue = queue
  }

  /** Whether a revoked track has something to be delivered or committed. */
  get isAny(): boolean {
    return this.#revoked.size > 0
  }

  get all(): readonly UnassignedTrack[] {
    return [...this.#revoked.values()]
  }

  /** Drops everything of the tracks at once, except what is in flight. */
  lose(tracks: readonly UnassignedTrack[], now: number): void {
    const states = tracks.map((one) => this.#ledger.close(one.track, 'lost', () => one.settled()))
    for (const { track } of tracks) this.#revoked.delete(track)
    // a point may stand for records of several tracks, and is kept until all of them are lost
    this.#letGo(states, isLost, now)
  }

  /** Drops what need not be delivered, and makes the rest due at once. */
  revoke(tracks: readonly UnassignedTrack[], now: number): void {
    const states = tracks.map((one) => this.#ledger.close(one.track, 'revoked', () => this.#done(one)))
    const lines = states.map(({ track }) => this.#ledger.segments(track))
    const kept = keptSegments(lines, this.#tables.unsent())
    const behind = new Set<Segment>(lines.flat().filter((segment) => !kept.has(segment)))
    this.#ledger.forget([...behind])
    for (const one of tracks) this.#revoked.set(one.track, one)
    this.#tables.expire(({ segment }) => segment.state.phase === 'revoked')
    this.#letGo(states, ({ segment }) => behind.has(segment), now)
  }

  #done(one: UnassignedTrack): void {
    this.#revoked.delete(one.track)
    one.settled()
  }

  #letGo(states: readonly TrackState[], matches: ShareTest, now: number): void {
    for (const share of this.#tables.forget(matches)) this.#ledger.drop(share)
    this.#queue.forget(now)
    for (const state of states) this.#ledger.closeIfDone(state)
  }
}
