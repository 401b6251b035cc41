// kafkajs's admin asks for ends of partitions as one that reads committed records only: what it is told then stands still before
// an open transaction. Knows no partition.

import type { ISocketFactory } from 'kafkajs'
import { API, VERSION_AT, bodyAt, requestHead } from './request-head.ts'

const REPLICA_ID_BYTES = 4
/** The first version of ListOffsets that says how its client reads. */
const FIRST_WITH_ISOLATION = 2
const READ_UNCOMMITTED = 0

/** The same sockets; whoever asks for offsets over them is told of open transactions' records too: the end that brokers and
 *  `kafka-consumer-groups` count by (the high watermark). */
export function uncommittedEnds(factory: ISocketFactory): ISocketFactory {
  return (options) => {
    const socket = factory(options)
    const write = socket.write.bind(socket) as (...written: unknown[]) => boolean
    const asking = (chunk: unknown, ...more: unknown[]): boolean => {
      if (Buffer.isBuffer(chunk)) askUncommitted(chunk)
      return write(chunk, ...more)
    }
    return Object.assign(socket, { write: asking })
  }
}

/** Changes a request for offsets, of a version that has the isolation level; leaves any other as it is.
 *  @param request one whole request */
export function askUncommitted(request: Buffer): void {
  if (requestHead(request)?.api !== API.listOffsets || request.readInt16BE(VERSION_AT) < FIRST_WITH_ISOLATION) return
  const isolationAt = bodyAt(request) + REPLICA_ID_BYTES
  if (isolationAt < request.length) request.writeInt8(READ_UNCOMMITTED, isolationAt)
}
