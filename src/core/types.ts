// The engine's main types: the items that sources give it, the outcomes that transports answer, and what else it needs around it.

import type { ConnectorError } from './errors.ts'
import type { NetworkCause } from './network.ts'

/** The stretch of input in which checkpoints are ordered: an Airbyte stream, or a partition as it was assigned. Compared by identity. */
export interface Track {
  /** The name for messages and the summary. */
  readonly name: string
  readonly namespace?: string | undefined
}

/** The destination of points. Compared by identity, so there must be one object per table. */
export interface Table {
  readonly name: string
  /** Whether a newer version of a row replaces one that waits. If not, every version is sent, one after another
   *  (decisions.md#a-point-counts-its-older-versions). */
  readonly keepLast: boolean
  /** Called for superseded records, which a newer version of their row replaced before they were sent, if both have a cursor. */
  readonly watch?: CursorWatch | undefined
}

/** Compares cursors, the values by which a source orders versions of a row. */
export interface CursorWatch {
  /** Gets the cursor of a superseded record, old[oldFrom, oldTo), and that of the newer one, as they are written in the data. */
  superseded(old: Buffer, oldFrom: number, oldTo: number, newer: Buffer, newerFrom: number, newerTo: number): void
}

/** A key value in comparable form: a canonical integer below 2^53 as a number, anything else as text. */
export type KeyAtom = string | number

/** The identity of a row, at two levels (decisions.md#keys-are-equal-at-two-levels): points are merged only if `exact` is
 *  equal, and two points with an equal `fence` are never in one batch or in flight together. One atom if both levels are the
 *  same. `undefined` when the row equals no other. */
export type Key = KeyAtom | { readonly exact: KeyAtom; readonly fence: KeyAtom } | undefined

/** A point (the JSON object that is sent for a record) in two pieces, `head[headFrom, headTo)` and then `bytes[from, to)`, neither of which
 *  need be JSON alone. The buffers may be reused as soon as the item is consumed. */
export interface Pieces {
  readonly head: Buffer
  readonly headFrom: number
  readonly headTo: number
  readonly bytes: Buffer
  readonly from: number
  readonly to: number
}

/** One message's data on its way in. O: where it was read, as the source notes it; the engine only keeps it, for messages and rejects. */
export interface RecordItem<O> extends Pieces {
  readonly kind: 'record'
  readonly track: Track
  readonly table: Table
  readonly key: Key
  /** The cursor, for the table's watch, is bytes[cursorFrom, cursorTo). Both are absent, or equal, if there is none. */
  readonly cursorFrom?: number
  readonly cursorTo?: number
  readonly origin: O
  /** Bytes of memory that the origin takes. */
  readonly held: number
}

/** A record that the source itself rejects, for it cannot become a point. */
export interface RejectedItem<O> {
  readonly kind: 'rejected'
  readonly track: Track
  readonly table?: Table
  readonly reason: string
  /** Sentences that help to correct the cause. `undefined` when the reason says all that is known. */
  readonly hint?: string | undefined
  readonly origin: O
  /** Bytes of memory that the origin takes. */
  readonly held: number
}

/** Something that the source wants back when everything before it is settled: each record is stored, or its reject is durable. C: what the
 *  source wants back (a STATE message; a partition and its next offset), in which the engine never looks. */
export interface CheckpointItem<C> {
  readonly kind: 'checkpoint'
  /** The records that it covers, unless an earlier one did: those of a track, or all. With `none` it covers no records. It waits for all
   *  before it, but nothing waits for it except the next of its kind. */
  readonly scope: Track | 'all' | 'none'
  readonly checkpoint: C
  /** Bytes of memory that it takes. */
  readonly bytes: number
}

/** The end of a track, whose waiting points are due now. `settled` is called once none of its records waits or is in flight. */
export interface ClosedItem {
  readonly kind: 'closed'
  readonly track: Track
  settled(): void
}

/** A track that this process no longer owns; if it is assigned again, it is another track. `settled` is called once nothing of it is
 *  in flight. A run that is being stopped may never call it. */
export interface UnassignedTrack {
  readonly track: Track
  settled(): void
}

/** Tells the engine that tracks were lost: taken away at once. May be called at any time. From then on nothing of them is sent, sent again
 *  or committed, and items that still come of them are ignored; attempts in flight go on. Report tracks together if they go together: a
 *  point that stands for records of several tracks is sent as long as one of them is kept. */
export type TracksLost = (tracks: readonly UnassignedTrack[]) => void

/** Tells the engine that tracks are revoked, with time to end them in good order. Every record that was sent, and those before it in its
 *  track, are still delivered and committed. Records behind are dropped at once, and items that still come are ignored. `settled` is called
 *  when all is committed. The tracks are treated as lost if the run fails, if the service has been failing for some seconds, or
 *  if only the late-write guard (send-queue.ts) is left to wait for. `TracksLost` cuts it short. */
export type TracksRevoked = (tracks: readonly UnassignedTrack[]) => void

export type Item<C, O> = RecordItem<O> | RejectedItem<O> | CheckpointItem<C> | ClosedItem

/** Counts of the records that a checkpoint covers: written (superseded ones too) + rejected = received. */
export interface Counts {
  readonly written: number
  readonly rejected: number
  /** How many of the written ones were replaced by a newer version before they were sent. */
  readonly superseded: number
}

/** The origin of items, to which checkpoints go back. */
export interface Source<C, O> {
  /** Yields the items of one chunk at a time, in arrival order. It is not pulled while the byte budget is spent (but see `hold`).
   *  If it throws, everything yielded before is delivered and committed first. Ends early, without an error, on `signal`.
   *  @param lost for a source whose tracks may be lost; may be called even when nothing is read any more
   *  @param revoked the same, for tracks that are revoked */
  read(signal: AbortSignal, lost: TracksLost, revoked: TracksRevoked): AsyncIterable<readonly Item<C, O>[]>
  /** Called when everything before the checkpoint is settled. The source makes that durable, now (a STATE line) or later (offsets).
   *  Calls come one after another, in order per scope. */
  settled(checkpoint: C, counts: Counts): Promise<void>
  /** Pauses a track, and resumes it, in a source that can do so with single tracks (Kafka's partitions). Such a source is always pulled:
   *  each of its chunks is of one track, and none is of a paused track. */
  hold?(track: Track, isHeld: boolean): void
}

/** An upsert: its body is a JSON array of 1..maxPoints points. */
export interface Request {
  readonly table: string
  readonly body: Uint8Array
  readonly points: number
}

/** throttled: 429 · server: another answer that is not final · network: no connection, or one that broke · timeout: no answer in time */
export type RetryCause = 'throttled' | 'server' | 'network' | 'timeout'

/** The end of one attempt. too-large: 413. refused: the service does not accept one or more of the points (400, 422). stop: no other
 *  attempt helps, and the run ends. retry: another attempt may help. It is `ambiguous` if the service may have received the body although
 *  no answer of its own came (a gateway's 502 is none), and shows `congestion` if too much may be sent (429, 503, a timeout). */
export type Outcome =
  | { readonly status: 'delivered' }
  | {
      readonly status: 'retry'
      readonly cause: RetryCause
      readonly ambiguous: boolean
      readonly congestion: boolean
      /** The connection had been closed while it was idle. That says nothing about the service, so one retry follows at once. */
      readonly stale?: boolean
      /** For the message when retries run out: what was found, and in whole sentences what to do about it. */
      readonly reason: string
      readonly remedy?: string
      /** The same failure in the words that people search for. */
      readonly why?: NetworkCause
      /** Retry-After in milliseconds, counted from the answer. Absent if the service asked for no pause. */
      readonly afterMs?: number
    }
  | { readonly status: 'too-large' }
  | { readonly status: 'refused'; readonly reason: string }
  | { readonly status: 'stop'; readonly error: ConnectorError }

/** The maker of attempts: over HTTP, or in a test. */
export interface Transport {
  /** Makes one attempt. Never throws; if `signal` aborts, it ends as an ambiguous retry. */
  send(request: Request, signal: AbortSignal): Promise<Outcome>
  /** Whether no bytes of any request wait to be sent. Only then may the buffer of a delivered body be reused, because a service may
   *  answer before it has read everything. A transport without this method has no buffer reused. */
  isQuiet?(): boolean
}

/** An observer of a delivery, called as things happen and never per record. An attempt is known by its request: the same object when
 *  it begins and ends, with one attempt at a time. If a watch throws, that is a fault of the program: what was read is still delivered
 *  and committed, then the run ends with that error. */
export interface DeliveryWatch<C> {
  attemptBegan(request: Request): void
  /** @param ms how long the attempt took */
  attemptEnded(request: Request, outcome: Outcome, ms: number): void
  /** Called when the source has the checkpoint back. */
  committed(checkpoint: C): void
  /** Called when the input has ended, or no more of it is read. */
  readingEnded(): void
}

/** Limits how many attempts are in flight, and how often they begin. Pure: `now` is the caller's clock in milliseconds. */
export interface Permits {
  /** Takes a permit for one attempt.
   *  @returns false if there is none now */
  take(kind: 'first' | 'retry', now: number): boolean
  /** Returns a permit, with the attempt's outcome and duration. After `retry`, the batch waits until it takes another, or until `drop`. */
  give(outcome: Outcome, ms: number, now: number): void
  /** Notes that a batch that waited for its retry is dropped. */
  drop(): void
  /** Returns the time at which `take` may answer differently even if no permit is returned. `undefined` when there is none. */
  nextChange(now: number): number | undefined
}

/** A rejected record, as the policy gets it: one that the source rejected, or a point that the service refused. */
export interface Rejected<O> extends Omit<RejectedItem<O>, 'kind' | 'held'> {
  /** The key of the point that the service refused. `undefined` when it has none, or the record never became a point. */
  readonly key?: Key
  /** How many older versions the point stood for (decisions.md#a-point-counts-its-older-versions). */
  readonly superseded: number
  /** The places where the newest of these were read, newest first, at most ten. Empty unless `Rejects.placeOf` gives places. */
  readonly supersededAt: readonly SupersededPlace<O>[]
}

/** The place where a superseded record was read. */
export interface SupersededPlace<O> {
  readonly track: Track
  /** The place that `Rejects.placeOf` gave. */
  readonly origin: O
}

/** The policy for rejected records: what is done with them. */
export interface Rejects<O> {
  /** Whether records behind a rejected one are taken in while its reject is made durable; false if a reject ends the run. */
  readonly overlaps: boolean
  /** Returns what to keep of a superseded record's origin for `Rejected.supersededAt`: its place, a few dozen bytes.
   *  @returns `undefined` when nothing is to be kept */
  placeOf(origin: O): O | undefined
  /** Stores a rejected record elsewhere. The record is settled when this resolves, so it must be durable by then. Under the policy
   *  `stop` it throws a ConnectorError: what was read before is delivered, then the run ends with that error.
   *  @returns points to deliver in the record's place, at least one, in this order; the record is then settled with the last of
   *  them. They share one fence, so that none overtakes another. Their pieces are read when their turn comes, and must stay
   *  valid until then. `undefined` when none is needed */
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
