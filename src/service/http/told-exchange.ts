// What may be told of an exchange to whoever looks for trouble: never a query, where keys are, never a body.

import type { Exchange } from './attempt.ts'
import { codeOf } from './diagnosis.ts'

export interface ToldExchange {
  readonly method: string
  /** Without its query. */
  readonly path: string
  /** Of the answer; undefined: none came. */
  readonly status: number | undefined
  /** Why no answer came, in a word; undefined: one did. */
  readonly failure: string | undefined
  /** From the wish to send to the end of the answer. */
  readonly ms: number
  /** Data points in the request's body; undefined: it is no upsert. */
  readonly points: number | undefined
  /** Of the request's body. */
  readonly bytes: number
}

interface Told {
  readonly method: string
  readonly path: string
  readonly body?: Uint8Array
  readonly points?: number
}

export function toldExchange({ method, path, body, points }: Told, exchange: Exchange, ms: number): ToldExchange {
  return {
    method,
    path: path.replace(/[?#][^]*$/, ''),
    status: exchange.kind === 'answer' ? exchange.status : undefined,
    failure: exchange.kind === 'answer' ? undefined : failureOf(exchange),
    ms: Math.round(ms),
    points,
    bytes: body?.length ?? 0,
  }
}

function failureOf({ why, error }: Extract<Exchange, { kind: 'failure' }>): string {
  return why === 'error' ? codeOf(error) : why
}
