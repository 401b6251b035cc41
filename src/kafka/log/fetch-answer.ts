// Where a fetch answer holds what lies in the log, partition by partition (Kafka protocol: Fetch, version 11).

/** The version that is understood: the newest that the client asks for. */
export const FETCH_VERSION = 11

/** A transaction that was rolled back: its producer's batches from there on, up to that producer's abort marker. */
export interface AbortedTransaction {
  readonly producerId: bigint
  readonly firstOffset: bigint
}

export interface FetchedLog {
  /** Of the topic's name with its length, in the answer. */
  readonly topicAt: number
  /** Of the partition's number, in the answer. */
  readonly partitionAt: number
  /** Of the partition's error code, in the answer. */
  readonly errorAt: number
  /** By their first offset. */
  readonly aborted: readonly AbortedTransaction[]
  /** Of the batches, in the answer. The last one may be cut. */
  readonly from: number
  /** Beyond the answer's end where that comes too early: nothing behind it is understood then. */
  readonly to: number
}

/** Of the number of topics, in the answer. */
export const RESPONSES_AT = 4 + 4 + 4 + 2 + 4

/** @param frame a whole answer with its size and correlation id
 *  @throws RangeError where it ends too early */
export function* fetchedLogs(frame: Buffer): Generator<FetchedLog> {
  const cursor = { at: RESPONSES_AT }
  for (let topics = int32(frame, cursor); topics > 0; topics--) {
    const topicAt = cursor.at
    cursor.at += 2 + Math.max(0, frame.readInt16BE(cursor.at))
    for (let partitions = int32(frame, cursor); partitions > 0; partitions--) yield logOf(frame, cursor, topicAt)
  }
}

function logOf(frame: Buffer, cursor: { at: number }, topicAt: number): FetchedLog {
  const partitionAt = cursor.at
  const errorAt = partitionAt + 4
  // partition, error, high watermark, last stable offset, start of the log
  cursor.at += 4 + 2 + 8 + 8 + 8
  const aborted: AbortedTransaction[] = []
  for (let left = int32(frame, cursor); left > 0; left--) {
    aborted.push({ producerId: frame.readBigInt64BE(cursor.at), firstOffset: frame.readBigInt64BE(cursor.at + 8) })
    cursor.at += 16
  }
  // preferred replica
  cursor.at += 4
  const size = Math.max(0, int32(frame, cursor))
  const from = cursor.at
  cursor.at += size
  return { topicAt, partitionAt, errorAt, aborted, from, to: cursor.at }
}

function int32(frame: Buffer, cursor: { at: number }): number {
  const value = frame.readInt32BE(cursor.at)
  cursor.at += 4
  return value
}

// What a broker's socket brings, answer by answer: the client keeps the part of one that was cut off, and takes what its next
// connection brings for the rest. Another answer passes in the place of each to a fetch. Knows how answers are framed (size,
// correlation id), and nothing of what is in them.

const SIZE_BYTES = 4
const HEAD_BYTES = 8
/** A larger one is none that was asked for. */
const LARGEST = 256 * 1024 * 1024
/** Bytes that are looked at of an answer that is refused. */
const REFUSED_BYTES = 256 * 1024

/** What becomes of answers to fetches; must not throw, but for RangeError where an answer is not understood. */
export interface FetchAnswers {
  /** One begins. @param bytes of all of it
   *  @returns `later`, `refused`: it is not kept, and that is called when it has passed */
  begun(bytes: number): 'read' | 'later' | 'refused'
  /** @param frame with size and correlation id, in memory of its own @returns what passes in its place */
  whole(frame: Buffer): Buffer
  later(correlationId: number): Buffer
  /** @param head its beginning */
  refused(head: Buffer): Buffer
}

/** One socket's. */
export class FetchFrames {
  readonly #answers: FetchAnswers
  /** Correlation ids of fetches without an answer so far. */
  readonly #asked = new Set<number>()
  /** Who looks at answers to other requests, by correlation id. */
  readonly #watched = new Map<number, (frame: Buffer) => void>()
  readonly #head = Buffer.alloc(HEAD_BYTES)
  /** What is filled: the head's part, then the frame. */
  #frame = this.#head.subarray(0, SIZE_BYTES)
  #filled = 0
  /** Bytes behind the frame that are not kept. */
  #dropped = 0
  #end: (frame: Buffer) => Buffer = passed

  constructor(answers: FetchAnswers) {
    this.#answers = answers
  }

  /** A fetch went out. */
  asked(correlationId: number): void {
    this.#asked.add(correlationId)
  }

  /** Another request went out. @param look is given its whole answer, before that passes; what it throws is thrown by `push` */
  watch(correlationId: number, look: (frame: Buffer) => void): void {
    this.#watched.set(correlationId, look)
  }

  /** @param chunk as it came @param pass is given each answer when it is whole, in order
   *  @throws RangeError where an answer has no possible size: nothing behind it can be told apart */
  push(chunk: Buffer, pass: (bytes: Buffer) => void): void {
    for (let at = 0; at < chunk.length;) {
      if (this.#filled < this.#frame.length) {
        const copied = chunk.copy(this.#frame, this.#filled, at)
        at += copied
        this.#filled += copied
      } else {
        const dropped = Math.min(this.#dropped, chunk.length - at)
        at += dropped
        this.#dropped -= dropped
      }
      if (this.#filled < this.#frame.length) continue
      if (this.#frame.buffer === this.#head.buffer && this.#begins()) continue
      if (this.#dropped === 0) this.#pass(pass)
    }
  }

  /** @returns whether there is more of it to come */
  #begins(): boolean {
    const size = this.#head.readInt32BE(0)
    if (size < 0) throw new RangeError(`it announces an answer of ${size} bytes`)
    // what is exchanged for a login may be shorter
    if (this.#frame.length === SIZE_BYTES && size >= SIZE_BYTES) {
      this.#frame = this.#head
      return true
    }
    const id = this.#filled === HEAD_BYTES ? this.#head.readInt32BE(SIZE_BYTES) : undefined
    const bytes = SIZE_BYTES + size
    const kept = this.#keptOf(bytes, id !== undefined && this.#asked.delete(id) ? id : undefined)
    const look = id === undefined ? undefined : this.#watched.get(id)
    if (look) this.#end = (frame) => (look(frame), frame)
    if (look) this.#watched.delete(id!)
    this.#frame = Buffer.allocUnsafeSlow(kept)
    this.#head.copy(this.#frame, 0, 0, this.#filled)
    this.#dropped = bytes - kept
    return this.#filled < kept || this.#dropped > 0
  }

  /** @param fetch its id, if it answers one @returns how many of its bytes are kept */
  #keptOf(bytes: number, fetch: number | undefined): number {
    this.#end = passed
    const fate = fetch === undefined ? undefined : this.#answers.begun(bytes)
    if (fate === undefined || fate === 'read') {
      if (bytes > LARGEST) throw new RangeError(`it announces an answer of ${bytes - SIZE_BYTES} bytes`)
      if (fate) this.#end = (frame) => this.#answers.whole(frame)
      return bytes
    }
    if (fate === 'refused') {
      this.#end = (head) => this.#answers.refused(head)
      return Math.min(bytes, REFUSED_BYTES)
    }
    this.#end = () => this.#answers.later(fetch!)
    return HEAD_BYTES
  }

  #pass(pass: (bytes: Buffer) => void): void {
    const answer = this.#end(this.#frame)
    this.#frame = this.#head.subarray(0, SIZE_BYTES)
    this.#filled = 0
    this.#end = passed
    pass(answer)
  }
}

function passed(frame: Buffer): Buffer {
  return frame
}
