// Topics as a source of the engine: what a group's member fetches becomes items, partition by partition, and comes back as checkpoints, whose
// offsets are committed.
//
// How partitions end:
// - revoked, in good order: `finish` (no more is read, and the engine settles what it has), `commit`, `#forget`; `#lose` if time runs out
// - lost, at once: `#lose` (no more is read, and the engine drops what it has), `#forget`
// - at the end of a run: the run calls `finish`, `commit`, and `end`, which releases what still waits to be settled

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
  /** Resolves when the event loop has turned, so that whatever arrived meanwhile was seen to. */
  readonly turn: () => Promise<void>
  /** Called when something of a topic was counted. */
  readonly onCounted?: ((topic: string) => void) | undefined
  /** The end of reading. `undefined` when it goes on until the run is stopped. */
  readonly upTo?: ReadUpTo | undefined
  log(level: 'info' | 'warn', message: string, fields?: LogFields): void
}

/** The end of a run that ends by itself, as a dry run or a replay of dead letters does. */
export interface ReadUpTo {
  /** Whether it is a dry run: nothing is committed. */
  readonly isDry?: boolean
  /** Whether there is nothing to read. */
  readonly isEmpty?: boolean
  /** Leaves of a batch the records before the run's end; of dead letters (`letters`), the records that they hold. */
  read(batch: FetchedBatch): ReadBatch
  /** The offset at which a partition ends for this run, which is over when all are taken up to there. `undefined` when not known yet. */
  endOf(partition: TopicPartition): bigint | undefined
  /** Counts of dead letters, where their topic is read. Absent when topics themselves are read. */
  readonly letters?: SettledCounts
}

/** One for a run. The member of the group is made with it as its events, and given to it by `use` before either runs. The member calls
 *  `assigned`, `batch`, `revoked`, `lost` and `failed`; the engine `read`, `hold` and `settled`; the run `commit`, `finish`, `rejected` and,
 *  when the engine is done, `end`. */
export class KafkaSource implements Source<KafkaCheckpoint, KafkaOrigin>, MemberEvents {
  /** Assignments since the start. */
  generations = 0
  /** Commits since the start, by whether the group took them. */
  readonly commits = { taken: 0, failed: 0 }
  /** Records settled since the start: stored, superseded, rejected or ignored, with nothing before them unsettled. */
  settledRecords = 0
  /** Records stored or rejected since the last commit began. */
  uncommitted = 0
  readonly #options: KafkaSourceOptions
  readonly #items: BatchItems
  #member!: Pick<GroupMember, 'pause' | 'resume' | 'commit'>
  readonly #owned = new Map<string, OwnedPartition>()
  /** Partitions unassigned since the last assignment. */
  #unassigned: readonly OwnedPartition[] = []
  /** Partitions with something fetched that wait for their turn, in order. Each comes in with its first batch, is taken out for its turn, and
   *  comes in again at the end if it has more. */
  #queue: OwnedPartition[] = []
  /** Tell the engine of partitions that end: functions that `read` is given. Before and after `read`, the engine has nothing of any. */
  #tellLost: TracksLost = settleAll
  #tellRevoked: TracksRevoked = settleAll
  readonly #wake = new Wakeup()
  #failure: ConnectorError | undefined
  /** When the event loop last turned, by `clock`. */
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

  /** How many partitions have settled offsets that are not committed yet. Unassigned ones count until the next assignment. */
  get uncommittedPartitions(): number {
    return [...this.#unassigned, ...this.partitions].filter(({ isDue }) => isDue).length
  }

  /** Records that the next owner of their partitions will read again. Those of unassigned partitions count until the next assignment. */
  get unsettledRecords(): number {
    return [...this.#unassigned, ...this.partitions].reduce((sum, { unsettledRecords }) => sum + unsettledRecords, 0)
  }

  /** When the oldest batch was fetched of which not all is settled, by the run's clock. `undefined` when there is none. */
  get oldestAt(): number | undefined {
    const times = this.partitions.flatMap(({ oldestAt }) => oldestAt ?? [])
    return times.length > 0 ? Math.min(...times) : undefined
  }

  /** The time since when batches wait for schemas. `undefined` when none does. */
  get schemasSince(): number | undefined {
    return this.#options.schemas?.since
  }

  /** Yields chunks of one partition each, partitions in turn. Ends on `signal`, or when all is read up to the run's end (`upTo`).
   *  @throws ConnectorError what the member failed with, or of a record at which a policy ends the run */
  async *read(signal: AbortSignal, lost: TracksLost, revoked: TracksRevoked): AsyncGenerator<readonly KafkaItem[]> {
    this.#tellLost = lost
    this.#tellRevoked = revoked
    const wake = (): void => this.#wake.notify()
    signal.addEventListener('abort', wake, { once: true })
    this.#turnedAt = this.#options.clock.now()
    try {
      while (!signal.aborted) {
        const partition = this.#takeNext()
        if (partition) yield* this.#chunks(partition, signal)
        else if (this.#failure && !this.#hasReadable()) throw this.#failure
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

  /** Notes that a record is kept as rejected, before it is settled. */
  rejected({ track, table, superseded }: Rejected<KafkaOrigin>): void {
    const { topic } = track as KafkaTrack
    // only a topic with several tables has a route; dead letters are counted only together
    const route = this.#options.upTo?.letters ? undefined : this.#options.topic(topic).mapper.route
    if (!route) return
    const counts = table && route.counts.get(table)
    const records = 1 + superseded
    this.#find(track as KafkaTrack)?.rejected(counts ?? route.unroutedCounts, records)
  }

  /** Pauses a track that the engine wants nothing of for now (`isHeld`), or resumes it. */
  hold(track: Track, isHeld: boolean): void {
    const partition = this.#find(track as KafkaTrack)
    // the track may be of an earlier assignment of the same partition
    if (partition?.track !== track) return
    partition.isHeld = isHeld
    this.#setFetching(partition)
    if (!isHeld) this.#wake.notify()
  }

  /** Commits offsets that are settled and not yet committed. Never throws: what the group did not take is sent again by the next call. */
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
      const committedAt = this.#options.wallClock()
      due.forEach((partition, index) => partition.committed(positions[index]!.offset, committedAt))
    } catch (error) {
      this.commits.failed++
      const words = error instanceof Error ? error.message : String(error)
      this.log('warn', `Offsets were not committed and will be retried: ${words}`, { event: 'group.commit-failed' })
    }
  }

  /** Ends the source: the engine is done, so nothing more will be settled. */
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
    for (const position of positions) this.#owned.set(partitionName(position), this.#ownedAt(position))
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

  /** Stops reading, and has the engine settle what was sent with everything before it, and drop the rest. Resolves when that is done, or
   *  `signal` aborts. */
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
        // it can be taken now
        this.#countAhead(partition)
        this.#wake.notify()
      }
    })
    // one that had batches before is in the queue already, or has its turn
    if (partition.batches.length === 1) this.#queue.push(partition)
    this.#countAhead(partition)
    this.#wake.notify()
  }

  /** Ends `read` with this error, once what was fetched is yielded: the topic may no longer have it. */
  failed(error: ConnectorError): void {
    if (!this.#failure && this.#hasReadable())
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
    // the record of any dead letter may need them
    if (upTo?.letters) return new OwnedPartition(position, upTo.letters, schemas !== undefined)
    const { counts, encoding } = this.#options.topic(position.topic)
    return new OwnedPartition(position, counts, encoding !== undefined)
  }

  /** Whether all is taken up to the run's end; false when it has none. */
  #isRead(): boolean {
    const { upTo } = this.#options
    if (upTo?.isEmpty === true) return true
    if (!upTo || this.#owned.size === 0) return false
    // what is fetched of a partition is still to be taken, even if it is held; what was fetched of a closed one is dropped, not read
    return this.partitions.every(({ track, fetchedTo, batches, isClosed }) => {
      const end = upTo.endOf(track)
      return !isClosed && batches.length === 0 && end !== undefined && fetchedTo >= end
    })
  }

  /** Whether something fetched can still be taken, now or later: not what needs schemas that will never come. */
  #hasReadable(): boolean {
    return this.#queue.some(({ batches }) => batches[0]?.schemas !== 'refused')
  }

  /** Takes out of the queue the first partition that is neither held nor waits for schemas; `#chunks` puts it back at the end. */
  #takeNext(): OwnedPartition | undefined {
    const index = this.#queue.findIndex(({ isHeld, isAwaiting }) => !isHeld && !isAwaiting)
    if (index === -1) return undefined
    const [partition] = this.#queue.splice(index, 1)
    return partition
  }

  /** Yields the chunks of the partition's first batch, until the partition ends or is held. */
  async *#chunks(partition: OwnedPartition, signal: AbortSignal): AsyncGenerator<readonly KafkaItem[]> {
    const { clock, turn, onCounted } = this.#options
    try {
      for (const chunk of this.#items.of(partition)) {
        onCounted?.(partition.track.topic)
        yield chunk
        // the engine waits, and so lets the loop turn, only when it is full: rejected and ignored records never fill it
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
        // its next batch, or what is left of this one, has its turn after the others
        if (partition.batches.length > 0) this.#queue.push(partition)
        this.#countAhead(partition)
      }
    }
  }

  /** Counts anew what is fetched ahead, and pauses or resumes this partition, or all if that concerns them. */
  #countAhead(partition: OwnedPartition): void {
    if (this.#options.ahead.count(partition)) for (const each of this.#owned.values()) this.#setFetching(each)
    else this.#setFetching(partition)
  }

  /** Pauses or resumes fetching, by what is fetched ahead. */
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

  /** Has the engine send nothing more of any partition, those that are being revoked among them. */
  #lose(): void {
    this.#close()
    this.#tellLost(tracksOf(this.partitions))
  }

  /** Stops reading all partitions.
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

  /** Drops all partitions; until the next assignment they are still counted (`#unassigned`). */
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

/** Stands in for an engine that has nothing of the tracks: they are settled at once. */
export function settleAll(tracks: readonly UnassignedTrack[]): void {
  for (const one of tracks) one.settled()
}

/** Most topics that a line of the log names. */
const MOST_NAMED = 20

/** The assignment in words: `2 partitions of "a", 1 partition of "b"`, or that there is none. */
export function partitionsInWords(positions: readonly TopicPartition[]): string {
  const topics = [...Map.groupBy(positions, ({ topic }) => topic)]
  if (topics.length === 0) return 'no partition is left for this member'
  const named = topics
    .slice(0, MOST_NAMED)
    .map(([topic, { length }]) => `${counted(length, 'partition')} of "${topic}"`)
  const more = topics.length > MOST_NAMED ? `, and those of ${counted(topics.length - MOST_NAMED, 'more topic')}` : ''
  return `${named.join(', ')}${more}`
}
