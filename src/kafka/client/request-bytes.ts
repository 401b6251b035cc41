// Reads the bytes of requests to a broker as kafkajs writes them, and changes some before they are sent. (Kafka protocol: size, api key,
// version, correlation id, client id, body. A text begins with its length in 2 bytes, a list with its count in 4.) Places are in bytes.

/** The protocol's numbers (api keys) of the kinds of requests that matter here. */
export const API = {
  fetch: 1,
  listOffsets: 2,
  metadata: 3,
  joinGroup: 11,
  heartbeat: 12,
  leaveGroup: 13,
  syncGroup: 14,
  describeGroups: 15,
  saslHandshake: 17,
  apiVersions: 18,
  saslAuthenticate: 36,
} as const

/** The head of a request, and for JoinGroup and SyncGroup what is needed of the body. `memberId` is '' before the group has given one. */
export type RequestHead = { readonly api: number; readonly version: number; readonly correlationId: number } & (
  | { readonly kind: 'join'; readonly memberId: string }
  | { readonly kind: 'sync'; readonly generation: number; readonly memberId: string }
  | { readonly kind: 'other' }
)

/** The size, which a request begins with, counts the bytes behind itself. */
const SIZE_BYTES = 4
const API_AT = SIZE_BYTES
export const VERSION_AT = 6
export const CORRELATION_AT = 8
/** The last place that is the same in all requests: client ids differ in length. */
const CLIENT_ID_AT = 12

/** Reads the head of a request. @param request one whole request, as it is written to a socket
 *  @returns `undefined` when it is not whole, or no request but raw bytes of a login */
export function requestHead(request: Buffer): RequestHead | undefined {
  if (request.length < CLIENT_ID_AT + 2 || request.readInt32BE(0) !== request.length - SIZE_BYTES) return undefined
  const api = request.readInt16BE(API_AT)
  const version = request.readInt16BE(VERSION_AT)
  const head = { api, version, correlationId: request.readInt32BE(CORRELATION_AT) }
  if (api !== API.joinGroup && api !== API.syncGroup) return { ...head, kind: 'other' }
  // the body begins with the group's name; then a sync has its generation (4 bytes), a join its session and rebalance timeouts (4 each)
  const afterGroup = skipString(request, skipString(request, CLIENT_ID_AT))
  if (afterGroup === undefined || afterGroup + 4 > request.length) return undefined
  // version 0 of JoinGroup has no rebalance timeout before the member id
  const memberAt = afterGroup + (api === API.syncGroup || version === 0 ? 4 : 8)
  const end = skipString(request, memberAt)
  if (end === undefined) return undefined
  const memberId = request.toString('utf8', memberAt + 2, end)
  if (api === API.joinGroup) return { ...head, kind: 'join', memberId }
  return { ...head, kind: 'sync', generation: request.readInt32BE(afterGroup), memberId }
}

/** Milliseconds for which a login is good: the 8 bytes that the answer to SaslAuthenticate ends with. `undefined` when the broker sets no
 *  bound (0). @param version of the request; answers to version 0 have no bound @param answer whole, with its size */
export function sessionIn(version: number, answer: Buffer): number | undefined {
  if (version !== 1 || answer.length < 8) return undefined
  return Number(answer.readBigInt64BE(answer.length - 8)) || undefined
}

/** A text as the protocol has it: its length in bytes (16 bits), then the bytes. */
export function kafkaText(value: string): Buffer {
  const bytes = Buffer.from(value)
  const size = Buffer.alloc(2)
  size.writeInt16BE(bytes.length)
  return Buffer.concat([size, bytes])
}

/** The place where the text at `at` (see `kafkaText`) ends. `undefined` when that is outside of the request, or `at` is `undefined`. */
function skipString(request: Buffer, at: number | undefined): number | undefined {
  if (at === undefined || at + 2 > request.length) return undefined
  const end = at + 2 + Math.max(0, request.readInt16BE(at))
  return end > request.length ? undefined : end
}

/** The place where the body begins, for versions whose head ends with the client id; Infinity if that is outside of the request. */
function bodyAt(request: Buffer): number {
  return skipString(request, CLIENT_ID_AT) ?? Infinity
}

// Positions in the body of a fetch of FETCH_VERSION (log/fetch-answer.ts), the only version that wire.ts lets pass.
/** Place of the time for which the broker may hold the fetch, behind the replica id. */
const WAIT_AT = 4
/** Place of the most bytes of the answer, behind wait and minimum bytes. */
const MOST_BYTES_AT = WAIT_AT + 4 + 4
/** Place of the number of topics, behind maximum bytes, isolation level, session id and epoch. */
const TOPICS_AT = MOST_BYTES_AT + 4 + 1 + 4 + 4
/** Partition, leader epoch, offset, log start offset, maximum bytes. */
const PARTITION_BYTES = 4 + 4 + 8 + 8 + 4
/** Place of the offset within a partition. */
const OFFSET_AT = 4 + 4

/** The values that are written into a fetch instead of kafkajs's. */
export interface FetchChanges {
  /** Whole milliseconds for which the broker may hold the fetch. */
  readonly waitMs: number
  /** @param wanted the number that kafkajs wrote @returns the most bytes of the answer */
  mostBytes(wanted: number): number
  /** @returns the offset to begin at; `undefined` when kafkajs's stays */
  offsetOf(topic: string, partition: number): bigint | undefined
  /** How many topics, and of each topic how many partitions, go from the front to the end (modulo their number): brokers fill an answer in
   *  the order of the request until it has the most bytes, and kafkajs always asks in the same order. */
  readonly turn: number
}

/** Changes a fetch; one that is not understood stays as it is. @param request one whole fetch of FETCH_VERSION */
export function changeFetch(request: Buffer, { waitMs, turn, ...change }: FetchChanges): void {
  const body = bodyAt(request)
  const topics = topicsIn(request, body + TOPICS_AT)
  if (!topics) return
  request.writeInt32BE(waitMs, body + WAIT_AT)
  request.writeInt32BE(change.mostBytes(request.readInt32BE(body + MOST_BYTES_AT)), body + MOST_BYTES_AT)
  for (const { at, partitionsAt, end } of topics) {
    const topic = request.toString('utf8', at + 2, partitionsAt)
    // the first partition stands behind their number
    for (let from = partitionsAt + 4; from < end; from += PARTITION_BYTES) {
      const offset = change.offsetOf(topic, request.readInt32BE(from))
      if (offset !== undefined) request.writeBigInt64BE(offset, from + OFFSET_AT)
    }
    rotateRange(request, partitionsAt + 4, end, turn, PARTITION_BYTES)
  }
  if (topics.length < 2) return
  const first = turn % topics.length
  const bytes = topics.map(({ at, end }) => request.subarray(at, end))
  Buffer.concat([...bytes.slice(first), ...bytes.slice(0, first)]).copy(request, topics[0]!.at)
}

/** Places of a topic in a fetch: of its name, of the number of its partitions, and of its end. */
interface TopicPlace {
  readonly at: number
  readonly partitionsAt: number
  readonly end: number
}

/** The places of a fetch's topics. `undefined` when the request is not understood. @param from the place of their number */
function topicsIn(request: Buffer, from: number): readonly TopicPlace[] | undefined {
  if (from + 4 > request.length) return undefined
  const topics: TopicPlace[] = []
  let at = from + 4
  for (let left = request.readInt32BE(from); left > 0; left--) {
    const partitionsAt = skipString(request, at)
    if (partitionsAt === undefined || partitionsAt + 4 > request.length) return undefined
    const end = partitionsAt + 4 + request.readInt32BE(partitionsAt) * PARTITION_BYTES
    if (end < at || end > request.length) return undefined
    topics.push({ at, partitionsAt, end })
    at = end
  }
  return topics
}

/** Moves the first `turn` items of `size` bytes to the end of the range. */
function rotateRange(bytes: Buffer, from: number, to: number, turn: number, size: number): void {
  const count = (to - from) / size
  if (count < 2) return
  const middle = from + (turn % count) * size
  Buffer.concat([bytes.subarray(middle, to), bytes.subarray(from, middle)]).copy(bytes, from)
}

const REPLICA_ID_BYTES = 4
/** The first version of ListOffsets with an isolation level. */
const FIRST_WITH_ISOLATION = 2
const READ_UNCOMMITTED = 0

/** Makes ListOffsets return high watermarks, as `kafka-consumer-groups` does. kafkajs's admin asks for committed records only, so it gets
 *  the last stable offset, which stands still during an open transaction.
 *  @param request one whole ListOffsets; changed only where its version has an isolation level */
export function askUncommitted(request: Buffer): void {
  const isolationAt = bodyAt(request) + REPLICA_ID_BYTES
  if (request.readInt16BE(VERSION_AT) >= FIRST_WITH_ISOLATION) request.writeInt8(READ_UNCOMMITTED, isolationAt)
}
