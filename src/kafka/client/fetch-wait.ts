// How long a broker is asked to hold a fetch that finds nothing. Knows no socket.

import { CLIENT_ID_AT, skipString } from './request-head.ts'

const REPLICA_ID_BYTES = 4

/** Writes another wait into a fetch, of any version: kafkajs has one number for it and for how long it sleeps itself whenever
 *  all its partitions are paused.
 *  @param request one whole request for records; one that is too short stays as it is
 *  @param waitMs whole milliseconds */
export function setFetchWait(request: Buffer, waitMs: number): void {
  const replicaAt = skipString(request, CLIENT_ID_AT)
  const waitAt = replicaAt === undefined ? Infinity : replicaAt + REPLICA_ID_BYTES
  if (waitAt + 4 <= request.length) request.writeInt32BE(waitMs, waitAt)
}
