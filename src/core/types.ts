// The few types that carry everything through the engine.

import type { ConnectorError } from './errors.ts'
import type { NetworkCause } from './network.ts'

/** What checkpoints are ordered in: an Airbyte stream or a topic-partition. Compared by identity. */
export interface Track {
  /** For messages and the summary. */
  readonly name: string
  readonly namespace?: string | undefined
}

/** Where points go. Compared by identity: one object a table. */
export interface Table {
  readonly name: string
  /** false: every version is sent, one after another (decisions.md#a-point-counts-its-older-versions). */
  readonly keepLast: boolean
  /** Is shown the cursors of a record that is superseded and of the newer one; decides nothing. */
  readonly watch?: CursorWatch | undefined
}

/** Sees the cursors of a record that is superseded and of the one that supersedes it, as they stand in their data. */
export interface CursorWatch {
  superseded(old: Buffer, oldFrom: number, oldTo: number, newer: Buffer, newerFrom: number, newerTo: number): void
}

/** A key value in comparable form: a canonical integer below 2^53 as a number, anything else as text. */
export type KeyAtom = string | number

/** What identifies a row, at two levels (decisions.md#keys-are-equal-at-two-levels): points merge only when `exact` is
 *  equal, and two points with an equal `fence` are never in one batch nor in flight together. One atom when both are
 *  the same; `undefined`: a row of its own, equal to no other. */
export type Key = KeyAtom | { readonly exact: KeyAtom; readonly fence: KeyAtom } | undefined

/** A point in two pieces, `head[headFrom, headTo)` then `bytes[from, to)`: together one JSON object with `keys`.
 *  Both are views of buffers that are only promised until the item is consumed. */
export interface Pieces {
  readonly head: Buffer
  readonly headFrom: number
  readonly headTo: number
  readonly bytes: Buffer
  readonly from: number
  readonly to: number
}

/** O: opaque origin (a line's number and message; topic, partition, offset, raw record). */
export interface RecordItem<O> extends Pieces {
  readonly kind: 'record'
  readonly track: Track
  readonly table: Table
  readonly key: Key
  /** The cursor's value is bytes[cursorFrom, cursorTo), for the table's watch; absent or empty: none. */
  readonly cursorFrom?: number
  readonly cursorTo?: number
  readonly origin: O
  /** Bytes the origin costs. */
  readonly held: number
}

export interface RejectedItem<O> {
  readonly kind: 'rejected'
  readonly track: Track
  readonly table?: Table
  readonly reason: string
  readonly origin: O
  readonly held: number
}

export interface CheckpointItem<C> {
  readonly kind: 'checkpoint'
  /** none: it covers no record, so it waits for nothing, and nothing waits for it. */
  readonly scope: Track | 'all' | 'none'
  readonly checkpoint: C
  /** Bytes that holding it costs. */
  readonly bytes: number
}

/** The track is complete: its pending points are due now. `settled` is called once nothing of it is pending or in flight. */
export interface ClosedItem {
  readonly kind: 'closed'
  readonly track: Track
  settled(): void
}

/** A track that was taken away, for good: one that comes back is another. `settled` is called once nothing of it is in flight
 *  any more; perhaps never by a run that is stopped, which sends nothing. */
export interface TakenTrack {
  readonly track: Track
  settled(): void
}

/** Reports tracks that were taken away to the engine, at any time, whatever the run is doing. From then on nothing of them is
 *  sent, or sent again, or committed, and what still comes of them is ignored; attempts in flight go on. Tracks that go
 *  together are reported together: a row that stands for records of several is sent as long as one of them is kept. */
export type Abandon = (taken: readonly TakenTrack[]) => void

/** Reports tracks that are about to be given away, in good order, to the engine: what was sent of them, and every record before
 *  that, is still delivered and committed; what lies behind it is dropped at once, and what still comes of them is ignored. `settled` is
 *  called when all of that is committed. A run that fails abandons them instead, and so does one whose service has not
 *  answered well for some seconds, or that has nothing more to wait for than the late-write guard. `Abandon` cuts it short. */
export type GiveAway = (taken: readonly TakenTrack[]) => void

export type Item<C, O> = RecordItem<O> | RejectedItem<O> | CheckpointItem<C> | ClosedItem

/** Records of one checkpoint's segment: written (superseded ones too) + rejected = received. */
export interface Counts {
  readonly written: number
  readonly rejected: number
  /** Those of the written ones that a newer version took the place of before they were sent. */
  readonly superseded: number
}

export interface Source<C, O> {
  /** A chunk's items at a time, in arrival order; not pulled while the byte budget is spent (but see `hold`). Throwing is an input
   *  fault: everything yielded before it is delivered and committed first. Ends early, without error, on `signal`.
   *  @param abandon for a source whose tracks may be taken away; of use also when nothing is read any more
   *  @param giveAway the same, where there is time to give them away in good order */
  read(signal: AbortSignal, abandon: Abandon, giveAway: GiveAway): AsyncIterable<readonly Item<C, O>[]>
  /** Everything before the checkpoint is settled: the source makes that durable, now (a STATE line) or later (offsets). Called one after
   *  another, in order per scope. */
  settled(checkpoint: C, counts: Counts): Promise<void>
  /** For a source that can do without one track at a time (Kafka: pause or resume a partition). It is always pulled: its
   *  chunks are of one track each, and a held track's records are not among them. */
  hold?(track: Track, full: boolean): void
}

/** One upsert's bytes: a JSON array of 1..maxPoints points. */
export interface Request {
  readonly table: string
  readonly body: Uint8Array
  readonly points: number
}

export type RetryCause = 'throttled' | 'server' | 'network' | 'timeout'

/** What one attempt came to. `ambiguous`: the body may have arrived although no answer did. */
export type Outcome =
  | { readonly status: 'delivered' }
  | {
      readonly status: 'retry'
      readonly cause: RetryCause
      readonly ambiguous: boolean
      readonly congestion: boolean
      /** The connection had been closed while it was idle: no sign about the service, so it is tried again at once, but once. */
      readonly stale?: boolean
      /** For the message when retries run out: what was found, and whole sentences on what to do about it. */
      readonly reason: string
      readonly remedy?: string
      /** What was found, in the standard words. */
      readonly why?: NetworkCause
      /** Retry-After, counted from the answer. */
      readonly afterMs?: number
    }
  | { readonly status: 'too-large' }
  | { readonly status: 'refused'; readonly reason: string; readonly points?: readonly number[] }
  | { readonly status: 'stop'; readonly error: ConnectorError }

export interface Transport {
  /** One attempt. Never throws; an aborted `signal` ends it as an ambiguous retry. */
  send(request: Request, signal: AbortSignal): Promise<Outcome>
  /** Whether nothing of any request still waits to leave this process: then a delivered one's body may be written over.
   *  Absent: it is not known, so none ever is. A service may answer before it has read to the end. */
  isQuiet?(): boolean
}

/** How many attempts may be in flight, and when none may. Pure: `now` is the caller's clock in milliseconds. */
export interface Permits {
  /** Takes a permit for one attempt.
   *  @returns false: there is none now */
  take(kind: 'first' | 'retry', now: number): boolean
  /** Gives it back with what the attempt came to and how long it took. */
  give(outcome: Outcome, ms: number, now: number): void
  /** A batch whose last attempt was to be repeated is not: it was abandoned. */
  drop(): void
  /** When `take` may answer differently without a `give`; undefined: only after one. */
  nextChange(now: number): number | undefined
}

export interface Rejected<O> {
  readonly track: Track
  readonly table?: Table
  readonly reason: string
  readonly origin: O
  /** Of the point the service refused; undefined: it has none, or was never a point. */
  readonly key?: Key
  /** How many older versions this one stood for (decisions.md#a-point-counts-its-older-versions). */
  readonly superseded: number
  /** Where the newest of them were read, newest first, at most ten; none unless `Rejects.placeOf` gives places. */
  readonly supersededAt: readonly SupersededPlace<O>[]
}

/** Where a record was read that a newer version of its row superseded before it was sent. */
export interface SupersededPlace<O> {
  readonly track: Track
  /** As `Rejects.placeOf` gave it. */
  readonly origin: O
}

export interface Rejects<O> {
  /** Whether the records behind a rejected one are taken while it is made durable; false where it ends the run. */
  readonly overlaps: boolean
  /** What is kept of a superseded record's origin, to be named in `Rejected.supersededAt`: its place, some dozen bytes.
   *  @returns undefined: nothing is kept */
  placeOf(origin: O): O | undefined
  /** Diverts a rejected record. Durable when it resolves; then, and only then, the record is settled. Throwing a
   *  ConnectorError is the policy `fail`: what was read before is delivered, then the run ends with it.
   *  @returns the points it is delivered as instead, in this order, at least one: the record is settled when the last of
   *  them is. They share one fence, so that none overtakes another; each one's pieces are read when its turn comes, and are
   *  promised until then */
  put(rejected: Rejected<O>, signal: AbortSignal): Promise<readonly RecordItem<O>[] | undefined | void>
}

/** The engine's only source of time and randomness. */
export interface Clock {
  /** Milliseconds, monotonic. */
  now(): number
  /** Resolves after `ms`, or as soon as `signal` aborts. Never throws. */
  wait(ms: number, signal: AbortSignal): Promise<void>
  /** [0, 1). */
  random(): number
}
