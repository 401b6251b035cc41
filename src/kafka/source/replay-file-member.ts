// A file of dead letters in the place of a consumer group's member: it has one partition, the file, whose offsets are bytes of
// it. So one source replays both topics and files.

import { asConnectorError } from '../../core/errors.ts'
import type { ConnectorError } from '../../core/errors.ts'
import { Wakeup } from '../../core/wakeup.ts'
import type { GroupMember } from '../client/group-member.ts'
import type { MemberEvents, PartitionPosition } from '../types.ts'
import type { ReadBatch } from './batch-items.ts'
import type { Replaying } from './kafka-source.ts'
import type { ReplayFile } from './replay-file.ts'

const FILE = { topic: 'dead letters', partition: 0 }

/** One use. Nothing has to be joined or left, and nobody else reads the file. */
export class ReplayFileMember implements Pick<GroupMember, keyof GroupMember>, Replaying {
  readonly isFile = true
  readonly counts = { records: 0, written: 0, rejected: 0 }
  readonly generation = 'file'
  readonly hasLeft = true
  readonly #file: ReplayFile
  readonly #wake = new Wakeup()
  #isPaused = false
  #isHalted = false
  /** Behind the last letter, once all are read. */
  #end: bigint | undefined
  #failure: ConnectorError | undefined
  #events: Pick<MemberEvents, 'assigned' | 'batch' | 'failed'> | undefined

  constructor(file: ReplayFile) {
    this.#file = file
  }

  /** To be called before it runs. */
  use(events: Pick<MemberEvents, 'assigned' | 'batch' | 'failed'>): void {
    this.#events = events
  }

  /** Resolves when `signal` aborted.
   *  @throws ConnectorError when it could not be kept how far the file is replayed */
  async run(signal: AbortSignal): Promise<void> {
    const wake = (): void => this.#wake.notify()
    signal.addEventListener('abort', wake, { once: true })
    this.#events!.assigned([{ ...FILE, offset: this.#file.from }])
    try {
      await this.#read(signal)
    } catch (error) {
      this.#events!.failed(asConnectorError(error))
    }
    while (!signal.aborted) await this.#wake.wait()
    if (this.#failure) throw this.#failure
  }

  async #read(signal: AbortSignal): Promise<void> {
    let place = this.#file.from
    for await (const { records, next, error } of this.#file.read(signal)) {
      const batch: ReadBatch = { ...FILE, records, bytes: Number(next - place), next, highWatermark: next, error }
      this.#events!.batch(batch)
      place = next
      if (error) return
      while (this.#isPaused && !this.#isHalted && !signal.aborted) await this.#wake.wait()
      if (this.#isHalted) return
    }
    this.#end = place
    // the source looks again whether it is at the end
    this.#events!.batch({ ...FILE, records: [], bytes: 0, next: place, highWatermark: place })
  }

  read<T>(batch: T): T {
    return batch
  }

  endOf(): bigint | undefined {
    return this.#end
  }

  pause(): void {
    this.#isPaused = true
  }

  resume(): void {
    this.#isPaused = false
    this.#wake.notify()
  }

  halt(): void {
    this.#isHalted = true
    this.#wake.notify()
  }

  async commit([position]: readonly PartitionPosition[]): Promise<void> {
    if (!position) return
    try {
      await this.#file.commit(position.offset)
    } catch (error) {
      this.#failure = asConnectorError(error)
      this.#events!.failed(this.#failure)
      throw error
    }
  }

  isMember(): boolean {
    return true
  }

  end(): undefined {
    return undefined
  }
}
