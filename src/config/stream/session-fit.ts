// Whether a request ends, whatever becomes of it, before a group gives away the partitions of a member that has fallen silent.

interface Times {
  readonly request: number
  readonly session: number
  readonly heartbeat: number
}

/** One may fail now and then: requests begin all the same. */
const HEARTBEATS = 2

/** Of times in one unit: whether requests that begin only while the rest of the session is long enough for them can begin as long
 *  as most heartbeats are answered. */
export function fitsSession({ request, session, heartbeat }: Times): boolean {
  return request + HEARTBEATS * heartbeat <= session
}
