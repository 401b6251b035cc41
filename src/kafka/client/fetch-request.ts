// What a fetch asks of a broker: how long it may hold it, for how many bytes, and in which order of partitions. Knows no socket.

import type { FetchBudget, Hold } from '../log/fetch-budget.ts'
import { bodyAt, skipString } from './request-head.ts'

/** Replica. */
const WAIT_AT = 4
/** The same, then wait and least bytes. */
const MOST_BYTES_AT = WAIT_AT + 4 + 4
/** The same, then most bytes, isolation, session and its epoch. */
const TOPICS_AT = MOST_BYTES_AT + 4 + 1 + 4 + 4
/** Number, leader's epoch, offset, start of the log, most bytes. */
const PARTITION_BYTES = 4 + 4 + 8 + 8 + 4

/** Writes another wait into a fetch, of any version: kafkajs has one number for it and for how long it sleeps itself whenever
 *  all its partitions are paused.
 *  @param request one whole request for records; one that is too short stays as it is
 *  @param waitMs whole milliseconds */
export function setFetchWait(request: Buffer, waitMs: number): void {
  const at = bodyAt(request) + WAIT_AT
  if (at + 4 <= request.length) request.writeInt32BE(waitMs, at)
}

/** Asks for no more than there is room for; one that is too short stays as it is.
 *  @param request one whole request for records, of FETCH_VERSION @returns what counts it */
export function boundFetch(request: Buffer, budget: FetchBudget): Hold | undefined {
  const at = bodyAt(request) + MOST_BYTES_AT
  if (!(at + 4 <= request.length)) return undefined
  const asked = budget.ask(request.readInt32BE(at))
  request.writeInt32BE(asked.bytes, at)
  return asked
}

/** Another topic and partition is the first in each turn: brokers fill an answer in the order of the request, and the client asks
 *  in the same order always. One that is not understood stays as it is.
 *  @param request one whole request for records, of FETCH_VERSION */
export function turnFetch(request: Buffer, turn: number): void {
  const from = bodyAt(request) + TOPICS_AT
  if (!(from + 4 <= request.length)) return
  const topics: Buffer[] = []
  let at = from + 4
  for (let left = request.readInt32BE(from); left > 0; left--) {
    const partitionsAt = skipString(request, at)
    if (partitionsAt === undefined || partitionsAt + 4 > request.length) return
    const end = partitionsAt + 4 + request.readInt32BE(partitionsAt) * PARTITION_BYTES
    if (end < at || end > request.length) return
    topics.push(request.subarray(at, end))
    turnWithin(request, partitionsAt + 4, end, turn, PARTITION_BYTES)
    at = end
  }
  if (topics.length < 2) return
  const first = turn % topics.length
  Buffer.concat([...topics.slice(first), ...topics.slice(0, first)]).copy(request, from + 4)
}

function turnWithin(bytes: Buffer, from: number, to: number, turn: number, size: number): void {
  const count = (to - from) / size
  if (count < 2) return
  const middle = from + (turn % count) * size
  Buffer.concat([bytes.subarray(middle, to), bytes.subarray(from, middle)]).copy(bytes, from)
}
