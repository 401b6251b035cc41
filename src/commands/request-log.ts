// Logs a line a request, for the search of faults (LOG_LEVEL=debug). Never shows data or a key.

import type { ExchangeReport } from '../service/http/http.ts'
import type { Log, LogFields } from '../process/io.ts'
import { counted, thousands } from '../text/figures.ts'

/** Most lines that wait to be read: a reader that is slow must not cost memory without bound. */
const MOST_WAITING = 1000

/** Makes what logs requests. @param log resolves when its reader is ready for more
 *  @returns to be called for every exchange; never throws */
export function requestLog(log: Log): (exchange: ExchangeReport) => void {
  let waiting = 0
  let dropped = 0
  return (exchange) => {
    if (waiting >= MOST_WAITING) {
      dropped++
      return
    }
    const gap =
      dropped === 0
        ? ''
        : `; ${counted(dropped, 'request')} before it not logged, because the log was not read fast enough`
    dropped = 0
    waiting++
    log('debug', `${requestWords(exchange)}${gap}`, fieldsOf(exchange))
      .catch(() => {})
      .finally(() => waiting--)
  }
}

/** Words such as "POST /v2/client/7/table/orders/data: 201 after 12 ms, 100 points, 12,345 bytes". */
export function requestWords({ method, path, status, failure, ms, points, bytes }: ExchangeReport): string {
  const end = status === undefined ? `no answer (${failure})` : String(status)
  const sent = [
    ...(points === undefined ? [] : [counted(points, 'point')]),
    ...(bytes > 0 ? [counted(bytes, 'byte')] : []),
  ]
  return `${method} ${path}: ${[`${end} after ${thousands(ms)} ms`, ...sent].join(', ')}`
}

function fieldsOf({ method, path, status, failure, ms, points, bytes }: ExchangeReport): LogFields {
  return {
    method,
    path,
    status: status ?? null,
    ...(failure === undefined ? {} : { failure }),
    ms,
    points: points ?? null,
    bytes,
  }
}
