// Topics as a source of the engine: what a group's member fetches becomes items, partition by partition, and goes back as
// committed offsets.
//
// How partitions go:
// - `revoked` calls `finish` (`#close`, and the engine settles what it has), `commit`, `#forget`; and `#lose` when its time is over
// - `lost` calls `#lose` (`#close`, and the engine drops what it has), `#forget`
// - at the end of a run, the run calls `finish` and `commit`; `end` releases what still waits to be settled

import type { LogFields } from '../../process/io.ts'
import type { ConnectorError } from '../../core/errors.ts'
import type { TracksLost, Counts, TracksRevoked, Rejected, Source, UnassignedTrack, Track } from '../../core/types.ts'
import { Wakeup } from '../../core/wakeup.ts'
import type { GroupMember } from '../client/group-member.ts'
import { until } from '../../process/waiting.ts'
import type { AwaitedSchemas } from './awaited-schemas.ts'
import { BatchItems, CHUNK_MS, type BatchItemsOptions, type KafkaItem } from './batch-items.ts'
import type { FetchedAhead } from './fetched-ahead.ts'
import { OwnedPartition, type KafkaCheckpoint } from './owned-partition.ts'
import { partitionName, type KafkaOrigin, type KafkaTrack } from './kafka-origin.ts'
import type { SettledCounts } from './stream-topics.ts'
import type { ReadBatch } from './types.ts'
import type { FetchedBatch, MemberEvents, PartitionPosition, TopicPartition } from '../types.ts'
import { counted } from '../../text/figures.ts'

export interface KafkaSourceOptions extends BatchItemsOptions {
  /** Milliseconds since 1970. */
  readonly wallClock: () => number
  readonly ahead: FetchedAhead
  readonly schemas?: Pick<AwaitedSchemas, 'since' | 'prepare' | 'forget' | 'end'> | undefined
  /** Resolves when the event loop has turned: whatever arrived meanwhile is seen to. */
  readonly turn: () => Promise<void>
  /** Called when something of a topic was counted. */
  readonly onCounted?: ((topic: string) => void) | undefined
  /** The end of reading; absent when it goes on until it is stopped. */
  readonly upTo?: ReadUpTo | undefined
  log(level: 'info' | 'warn', message: string, fields?: LogFields): void
}

/** The end of a run that comes to an end by itself. */
export interface ReadUpTo {
  /** Whether nothing is committed. */
  readonly isDry?: boolean
  /** Whether there is nothing to read. */
  readonly isEmpty?: boolean
  /** The records to read of a batch, up to the run's end; for dead letters (`letters`), the records that they hold. */
  read(batch: FetchedBatch): ReadBatch
  /** The offset at which a partition ends for this run, which is over when all are taken. `undefined` when not known yet. */
  endOf(partition: TopicPartition): bigint | undefined
  /** Counts of dead letters, where their topic is read: they hold records of other topics. */
  readonly letters?: SettledCounts
}

/** One use. The member of the group is made with it as its events, and given to it by `use` before either runs: the member calls
 *  `assigned`, `batch`, `revoked`, `lost` and `failed`, the engine `read`, `hold` and `settled`, and the run `commit`, `finish` and, when
 *  the engine is done, `end`. */
export class KafkaSource implements Source<KafkaCheckpoint, KafkaOrigin>, MemberEvents {
  /** Assignments since the start. */
  generations = 0
  readonly commits = { taken: 0, failed: 0 }
  /** Records settled since the start: stored, superseded, rejected or ignored, and nothing before them is unsettled. */
  settledRecords = 0
  /** Records settled since the last commit began. */
  uncommitted = 0
  readonly #options: KafkaSourceOptions
  readonly #items: BatchItems
  #member!: Pick<GroupMember, 'pause' | 'resume' | 'commit'>
  readonly #owned = new Map<string, OwnedPartition>()
  /** Partitions unassigned since the last assignment. */
  #unassigned: readonly OwnedPartition[] = []
  /** Partitions with something fetched, in the order they came: the first has its turn. Each is in it once, or not while it has its turn:
   *  it comes in with its first batch, and again after its turn if it has more. */
  #queue: OwnedPartition[] = []
  /** Tell the engine of partitions that go: functions that `read` is given. Outside of `read`, the engine has nothing of any. */
  #tellLost: TracksLost = settleAll
  #tellRevoked: TracksRevoked = settleAll
  readonly #wake = new Wakeup()
  #failure: ConnectorError | undefined
  /** When the event loop last turned, by the clock of the options. */
  #turnedAt = -Infinity

  constructor(options: KafkaSourceOptions) {
    this.#options = options
    this.#items = new BatchItems(options)
  }

  /** Takes the member of the group, which is made after this. */
  use(member: Pick<GroupMember, 'pause' | 'resume' | 'commit'>): void {
    this.#member = member
  }

  get partitions(): readonly OwnedPartition[] {
    return [...this.#owned.values()]
  }

  /** How many partitions have settled offsets that are not committed yet; after a rebalance also those that were unassigned, until
   *  the next assignment. */
  get uncommittedPartitions(): number {
    return [...this.#unassigned, ...this.partitions].filter(({ isDue }) => isDue).length
  }

  /** Records that were read and will be read again by the next owner of their partitions, whether the engine still has them or has
   *  dropped them; after a rebalance also of partitions that were unassigned, until the next assignment. */
  get unsettledRecords(): number {
    return [...this.#unassigned, ...this.partitions].reduce((sum, { unsettledRecords }) => sum + unsettledRecords, 0)
  }

  /** When the oldest batch was fetched of which not all is settled. */
  get oldestAt(): number | undefined {
    const times = this.partitions.flatMap(({ oldestAt }) => oldestAt ?? [])
    return times.length > 0 ? Math.min(...times) : undefined
  }

  /** The time since when batches wait for schemas. `undefined` when none does. */
  get schemasSince(): number | undefined {
    return this.#options.schemas?.since
  }

  /** Yields chunks of one partition each, partitions in turn.
   *  Ends on `signal`, or where the run goes to an end; throws what the member failed with, or a policy's stop. */
  async *read(signal: AbortSignal, lost: TracksLost, revoked: TracksRevoked): AsyncGenerator<readonly KafkaItem[]> {
    this.#tellLost = lost
    this.#tellRevoked = revoked
    const wake = (): void => this.#wake.notify()
    signal.addEventListener('abort', wake, { once: true })
    this.#turnedAt = this.#options.clock.now()
    try {
      while (!signal.aborted) {
        const partition = this.#next()
        if (partition) yield* this.#chunks(partition, signal)
        else if (this.#failure && !this.#hasMore()) throw this.#failure
        else if (this.#isRead()) return
        else {
          await this.#wake.wait()
          this.#turnedAt = this.#options.clock.now()
        }
      }
    } finally {
      signal.removeEventListener('abort', wake)
    }
  }

  settled({ partition, next, readRecords, isMove }: KafkaCheckpoint, { written, rejected }: Counts): Promise<void> {
    this.settledRecords += partition.settle(next, written, rejected, readRecords)
    if (isMove) partition.moved(next)
    this.uncommitted += written + rejected
    this.#options.onCounted?.(partition.track.topic)
    return Promise.resolve()
  }

  /** A record is kept as rejected, and will be settled. */
  rejected({ track, table, superseded }: Rejected<KafkaOrigin>): void {
    const { topic } = track as KafkaTrack
    // only a topic with several tables has a route
    const route = this.#options.upTo?.letters ? undefined : this.#options.topic(topic).mapper.route
    if (!route) return
    const counts = table && route.counts.get(table)
    const records = 1 + superseded
    this.#find(track as KafkaTrack)?.rejected(counts ?? route.unroutedCounts, records)
  }

  hold(track: Track, isFull: boolean): void {
    const partition = this.#find(track as KafkaTrack)
    // the track may be one of an earlier assignment of the same partition
    if (partition?.track !== track) return
    partition.isHeld = isFull
    this.#setFetching(partition)
    if (!isFull) this.#wake.notify()
  }

  /** Sends offsets that are settled and not yet committed. Never throws: what was not taken is sent again. */
  async commit(): Promise<void> {
    this.uncommitted = 0
    const due = this.partitions.filter(({ isDue }) => isDue)
    if (due.length === 0 || this.#options.upTo?.isDry === true) return
    const positions = due.map(({ track, settledTo }): PartitionPosition => {
      return { topic: track.topic, partition: track.partition, offset: settledTo }
    })
    try {
      await this.#member.commit(positions)
      this.commits.taken++
      const at = this.#options.wallClock()
      due.forEach((partition, index) => partition.committed(positions[index]!.offset, at))
    } catch (error) {
      this.commits.failed++
      const words = error instanceof Error ? error.message : String(error)
      this.#options.log('warn', `Offsets were not committed and will be retried: ${words}`, {
        event: 'group.commit-failed',
      })
    }
  }

  /** The engine is done: nothing more will be settled. */
  end(): void {
    this.#tellLost = this.#tellRevoked = settleAll
    this.#options.schemas?.end()
    for (const partition of this.#owned.values()) partition.finished.resolve()
  }

  assigned(positions: readonly PartitionPosition[]): void {
    this.generations++
    this.#unassigned = []
    this.log('info', `Joined the group: ${partitionsInWords(positions)}.`, { event: 'group.joined' })
    this.#wake.notify()
    for (const position of positions) {
      this.#owned.set(partitionName(position), this.#ownedAt(position))
    }
  }

  async revoked(signal: AbortSignal): Promise<void> {
    const lose = (): void => this.#lose()
    signal.addEventListener('abort', lose, { once: true })
    if (signal.aborted) lose()
    await this.finish(signal)
    signal.removeEventListener('abort', lose)
    await this.commit()
    this.#forget()
  }

  /** Stops reading. Settles what was sent and everything before it, drops the rest. Resolves when that is done, or `signal`
   *  aborts. */
  async finish(signal: AbortSignal): Promise<void> {
    const closing = this.partitions
    this.#tellRevoked(tracksOf(this.#close()))
    await until(Promise.all(closing.map(({ finished }) => finished.promise)), signal).catch(() => undefined)
  }

  lost(): void {
    this.#lose()
    this.#forget()
  }

  batch(fetched: FetchedBatch): void {
    const partition = this.#find(fetched)
    if (!partition || partition.isClosed) return
    const batch: ReadBatch = this.#options.upTo?.read(fetched) ?? fetched
    partition.fetched(batch, this.#options.clock.now())
    this.#options.schemas?.prepare(batch, (error) => {
      if (error) {
        batch.schemas = 'refused'
        this.failed(error)
      } else {
        // it has schemas that it waited for
        this.#countAhead(partition)
        this.#wake.notify()
      }
    })
    // with more it is in the queue, or has its turn
    if (partition.batches.length === 1) this.#queue.push(partition)
    this.#countAhead(partition)
    this.#wake.notify()
  }

  /** Ends `read` with this error, once what was fetched is delivered: the topic may no longer have it. */
  failed(error: ConnectorError): void {
    if (!this.#failure && this.#hasMore())
      this.log('warn', `Reading has stopped; what was fetched is still delivered: ${error.message}`, {
        event: 'group.reading-stopped',
        ...(error.code && { code: error.code }),
      })
    this.#failure ??= error
    this.#wake.notify()
  }

  log(level: 'info' | 'warn', message: string, fields?: LogFields): void {
    this.#options.log(level, message, fields)
  }

  #ownedAt(position: PartitionPosition): OwnedPartition {
    const { upTo, schemas } = this.#options
    // any dead letter may need schemas
    if (upTo?.letters) return new OwnedPartition(position, upTo.letters, schemas !== undefined)
    const { counts, encoding } = this.#options.topic(position.topic)
    return new OwnedPartition(position, counts, encoding !== undefined)
  }

  /** Tells whether all that is to be read is taken, if there is an end. */
  #isRead(): boolean {
    const { upTo } = this.#options
    if (upTo?.isEmpty === true) return true
    if (!upTo || this.#owned.size === 0) return false
    // what was fetched of one that is held is still to be taken, and what a closed one had was dropped
    return this.partitions.every(({ track, fetchedTo, batches, isClosed }) => {
      const end = upTo.endOf(track)
      return !isClosed && batches.length === 0 && end !== undefined && fetchedTo >= end
    })
  }

  /** Whether something fetched may still be taken: not if it waits for schemas that will never come. */
  #hasMore(): boolean {
    return this.#queue.some(({ batches }) => batches[0]?.schemas !== 'refused')
  }

  /** Takes the next partition that has something to read and is not held out of the queue; `#chunks` puts it back at its end. */
  #next(): OwnedPartition | undefined {
    const index = this.#queue.findIndex(({ isHeld, isAwaiting }) => !isHeld && !isAwaiting)
    if (index === -1) return undefined
    const [partition] = this.#queue.splice(index, 1)
    return partition
  }

  /** Chunks of one batch, as far as the partition is not unassigned or held meanwhile. */
  async *#chunks(partition: OwnedPartition, signal: AbortSignal): AsyncGenerator<readonly KafkaItem[]> {
    const { clock, turn, onCounted } = this.#options
    try {
      for (const chunk of this.#items.of(partition)) {
        onCounted?.(partition.track.topic)
        yield chunk
        // records that are rejected or ignored never fill the engine, which would make it wait
        if (clock.now() - this.#turnedAt >= CHUNK_MS) {
          await turn()
          this.#turnedAt = clock.now()
        }
        if (signal.aborted || partition.isClosed) return
        if (partition.isHeld) break
      }
    } finally {
      if (!partition.isClosed) {
        partition.dropTaken()
        // what is left has its turn again
        if (partition.batches.length > 0) this.#queue.push(partition)
        this.#countAhead(partition)
      }
    }
  }

  /** Counts anew what is fetched ahead, and pauses or resumes the partitions which that concerns. */
  #countAhead(partition: OwnedPartition): void {
    if (this.#options.ahead.count(partition)) for (const some of this.#owned.values()) this.#setFetching(some)
    else this.#setFetching(partition)
  }

  /** Pauses or resumes it, as much as is fetched ahead. */
  #setFetching(partition: OwnedPartition): void {
    if (partition.isClosed) return
    const wasPaused = partition.pauseReason !== undefined
    partition.pauseReason = this.#options.ahead.whyEnough(partition)
    const isPaused = partition.pauseReason !== undefined
    if (isPaused === wasPaused) return
    if (!isPaused) return this.#member.resume(partition.track)
    this.#member.pause(partition.track)
    this.#countPause(partition)
  }

  #countPause(partition: OwnedPartition): void {
    this.#options.ahead.pauseBegan(partition)
    this.#options.onCounted?.(partition.track.topic)
  }

  /** Tells the engine to send nothing of any partition from now on, those that are being revoked among them. */
  #lose(): void {
    this.#close()
    this.#tellLost(tracksOf(this.partitions))
  }

  /** Stops reading every partition.
   *  @returns those that were read until now */
  #close(): readonly OwnedPartition[] {
    const closing = this.partitions.filter(({ isClosed }) => !isClosed)
    for (const partition of closing) {
      this.#options.schemas?.forget(partition.batches)
      partition.close()
      // nothing more of it is fetched, so this is a pause too, for a rebalance
      this.#countPause(partition)
      this.#options.ahead.count(partition)
    }
    this.#queue = this.#queue.filter(({ isClosed }) => !isClosed)
    this.#wake.notify()
    return closing
  }

  /** Drops all partitions, but for what is still counted of them. */
  #forget(): void {
    this.#unassigned = [...this.#unassigned, ...this.partitions]
    this.#owned.clear()
  }

  #find(of: TopicPartition): OwnedPartition | undefined {
    return this.#owned.get(partitionName(of))
  }
}

function tracksOf(partitions: readonly OwnedPartition[]): UnassignedTrack[] {
  return partitions.map(({ track, finished }) => ({ track, settled: () => finished.resolve() }))
}

/** Settles tracks that are taken away at once, as nothing of them is under way. */
export function settleAll(tracks: readonly UnassignedTrack[]): void {
  for (const one of tracks) one.settled()
}

/** Topics that a line names. */
const NAMED = 20

/** `2 partitions of "a", 1 partition of "b"`, or that there are none. */
export function partitionsInWords(positions: readonly TopicPartition[]): string {
  const topics = [...Map.groupBy(positions, ({ topic }) => topic)]
  if (topics.length === 0) return 'no partition is left for this member'
  const named = topics.slice(0, NAMED).map(([topic, { length }]) => `${counted(length, 'partition')} of "${topic}"`)
  const more = topics.length > NAMED ? `, and those of ${counted(topics.length - NAMED, 'more topic')}` : ''
  return `${named.join(', ')}${more}`
}
