// The engine's Transport over HTTP: one upsert, one attempt, one outcome. The number of its points is only reported.

import type { Transport } from '../../core/types.ts'
import { upsertPath } from '../contract.ts'
import { targetOf } from '../http/answer.ts'
import { outcomeOf } from '../http/failure.ts'
import { createHttp, type ServiceOptions } from '../http/http.ts'
import { classify } from './classify.ts'

/** A transport that opens nothing before its first upsert. `send` never throws; a body must not change until its outcome is known and
 *  `isQuiet` is true, because an answer may come before all of the body was sent. Disposing breaks off what is in flight, each as a retry,
 *  and closes every connection. */
export function createTransport(options: ServiceOptions): Transport & AsyncDisposable {
  const http = createHttp(options)
  const target = targetOf(options) // what messages may tell of the service, such as its origin
  const wallClock = options.wallClock ?? Date.now // for a Retry-After that is a date
  return {
    async send({ table, body, points }, signal) {
      const path = upsertPath(options.clientId, table)
      const exchange = await http.exchange({ method: 'POST', path, key: options.apiKey, body, points }, signal)
      return exchange.kind === 'answer' ? classify(exchange, target, wallClock()) : outcomeOf(exchange, target)
    },
    isQuiet: () => http.isQuiet(),
    [Symbol.asyncDispose]: () => http[Symbol.asyncDispose](),
  }
}
