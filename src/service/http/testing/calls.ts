// For tests: calls as an upsert makes them, and what came of each.

import { readFileSync } from 'node:fs'
import { Secret } from '../../../core/secret.ts'
import type { Outcome } from '../../../core/types.ts'
import { targetOf, type HttpAnswer } from '../answer.ts'
import { outcomeOf } from '../failure.ts'
import { createHttp, type Http, type HttpCall, type HttpOptions } from '../http.ts'

export const CALL: HttpCall = {
  method: 'POST',
  path: '/v2/client/7/table/orders/data',
  key: new Secret('canary'),
  body: Buffer.from('[{"keys":["id"],"id":1}]'),
}

/** A whole answer of 200. */
export const DONE = { status: 200, end: 'whole' } as const

/** The answer, or what the engine is told where none came. */
export type Told = HttpAnswer | Outcome

export interface Calls extends Pick<Http, 'isQuiet'>, AsyncDisposable {
  send(call?: Partial<HttpCall>, signal?: AbortSignal): Promise<Told>
}

export function callsTo(baseUrl: string, more: Partial<HttpOptions> = {}): Calls {
  const options = { baseUrl, requestTimeoutMs: 10_000, ...more }
  const target = targetOf({ ...options, clientId: 7, addressOption: 'import_url', scrub: (text) => text })
  const http = createHttp(options)
  return {
    async send(call = {}, signal = new AbortController().signal) {
      const exchange = await http.exchange({ ...CALL, ...call }, signal)
      return exchange.kind === 'answer' ? exchange : outcomeOf(exchange, target)
    },
    isQuiet: () => http.isQuiet(),
    [Symbol.asyncDispose]: () => http[Symbol.asyncDispose](),
  }
}

/** One call over connections of its own. */
export async function sent(baseUrl: string, more: Partial<HttpOptions> = {}): Promise<Told> {
  await using calls = callsTo(baseUrl, more)
  return await calls.send()
}

/** Why no answer came. */
export function wordsOf(told: Told): string {
  return told.status === 'stop' ? told.error.message : told.status === 'retry' ? told.reason : String(told.status)
}

/** PEM. */
export interface Pair {
  readonly certificate: string
  readonly key: string
}

export const CERTIFICATES = JSON.parse(
  readFileSync(new URL('../certificates.test.json', import.meta.url), 'utf8'),
) as Readonly<Record<'trusted' | 'otherHost' | 'expired' | 'client', Pair>>
