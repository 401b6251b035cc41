// An HTTP answer, with the beginning of its body: what kind of body that is, whether it is whole, when to come back. What a status means
// is in statuses.ts, the words that are quoted of an answer in answer-words.ts.

import { JsonPieces } from '../../json/completeness.ts'
import type { Proxy } from './proxy.ts'
import { parseObject } from '../../json/is-object.ts'

/** Bytes of a body that are kept, unless another number is given. */
export const KEPT_BYTES = 65_536

const BYTE_ORDER_MARK = Buffer.of(0xef, 0xbb, 0xbf)
const BRACE = 0x7b

export interface HttpAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The beginning of the body: KEPT_BYTES, or as many as were requested. */
  readonly body: Uint8Array
  /** Bytes of the body that were received. */
  readonly length: number
  /** The shape of a body that is longer than `body`. `undefined` when it is not. A byte order mark may stand before
   *  it. */
  readonly json: JsonPieces | undefined
  /** The end of the body. whole: complete by HTTP; lost: the connection broke off; endless: cut off at a limit of ours. */
  readonly end: 'whole' | 'lost' | 'timeout' | 'aborted' | 'endless'
}

/** The server, for messages. */
export interface Target {
  /** scheme://host:port */
  readonly origin: string
  readonly clientId: number | string
  /** The option that names the address, for remedies: `import_url` or `sandbox_import_url`. */
  readonly addressOption: string
  /** The proxy on the way. */
  readonly proxy?: Proxy | undefined
  /** Advice where answers take too long, without a full stop. Without it the advice is to raise the option that limits them. */
  readonly slowRemedy?: string | undefined
  /** Takes the secrets out of a text. */
  readonly scrub: (text: string) => string
}

/** The server of an address, which messages show no further than its origin. */
export function targetOf(options: Omit<Target, 'origin'> & { readonly baseUrl: string }): Target {
  return { ...options, origin: new URL(options.baseUrl).origin }
}

/** How many bytes of a byte order mark a body begins with: none or all of it, or the whole of a shorter body that may become one. */
function markLength(body: Uint8Array): number {
  const mark = BYTE_ORDER_MARK.subarray(0, body.length)
  return mark.equals(body.subarray(0, mark.length)) ? mark.length : 0
}

/** The first value of a header. */
export function header(answer: HttpAnswer, name: string): string | undefined {
  const value = answer.headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** Tells whether the body of a 2xx acknowledges: it is whole, and empty or a JSON object
 *  (decisions.md#a-2xx-with-a-json-object-acknowledges). */
export function acknowledges(answer: HttpAnswer): boolean {
  const { first, verdict } = answer.json ?? piecesOf(answer.body)
  const isEmpty = first === undefined && markLength(answer.body) === 0
  return answer.end === 'whole' && (isEmpty || (first === BRACE && verdict === 'whole'))
}

/** The JSON of a body, or of its beginning; a byte order mark may stand before it. */
export function piecesOf(body: Uint8Array): JsonPieces {
  return new JsonPieces().add(body.subarray(markLength(body)))
}

/** Reads the body as one JSON object. `undefined` when it is none. */
export function jsonObject(answer: HttpAnswer): Readonly<Record<string, unknown>> | undefined {
  return parseObject(bodyText(answer))
}

/** The text of the body's beginning, without a byte order mark. */
export function bodyText({ body }: HttpAnswer): string {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8')
  return text.codePointAt(0) === 0xfe_ff ? text.slice(1) : text
}

const DATE = /^(?:Sun|Mon|Tue|Wed|Thu|Fri|Sat)[a-z]*,? /

/** Milliseconds from `now` (milliseconds since 1970) that a Retry-After names in whole seconds or as an HTTP date, never negative.
 *  `undefined` when it is anything else. Source: RFC 9110, 10.2.3. */
export function retryAfterMs(value: string | undefined, now: number): number | undefined {
  const text = value?.trim()
  if (text === undefined) return undefined
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1_000, Number.MAX_SAFE_INTEGER)
  if (!DATE.test(text)) return undefined
  // The oldest of the three date forms names no zone; all three mean GMT.
  const date = Date.parse(/GMT|UTC|[+-]\d{4}$/.test(text) ? text : `${text} GMT`)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

/** Tells whether the body ends with the connection, as it has neither a length nor chunks: then a complete one and a truncated one look the
 *  same. */
export function endsWithConnection(answer: HttpAnswer): boolean {
  if (header(answer, 'content-length') !== undefined) return false
  return !/(?:^|,)\s*chunked\s*$/i.test(header(answer, 'transfer-encoding') ?? '')
}

/** Tells whether the connection ended in the middle of a JSON object, or array: more bytes could make one of the body. Invalid UTF-8
 *  inside a string is ignored.
 *  @param openings what the body may begin with, behind a byte order mark */
export function isCutOff(answer: HttpAnswer, openings: '{' | '{[' = '{'): boolean {
  if (answer.end !== 'whole' || !endsWithConnection(answer)) return false
  const { body } = answer
  const { first, verdict } = answer.json ?? piecesOf(body)
  // a byte order mark that nothing follows stood before one
  if (first === undefined) return body.length > 0 && markLength(body) === body.length
  return verdict === 'unfinished' && openings.includes(String.fromCharCode(first))
}
