// An HTTP answer with the beginning of its body, and questions about it: is the body JSON, is it whole, after what time to try again. What a
// status means is in statuses.ts, words about an answer are in answer-words.ts.

import { JsonPieces } from '../../json/completeness.ts'
import type { Proxy } from './proxy.ts'
import { parseObject } from '../../json/is-object.ts'

/** How many bytes of a body are kept, unless another number is given. */
export const KEPT_BYTES = 65_536

const BYTE_ORDER_MARK = Buffer.of(0xef, 0xbb, 0xbf)
const BRACE = 0x7b

export interface HttpAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The beginning of the body: KEPT_BYTES, or as many as were requested. */
  readonly body: Uint8Array
  /** How many bytes of the body were received. */
  readonly length: number
  /** Tells whether all that was received (behind a byte order mark) is JSON. `undefined` when `body` is all of it: see `piecesOf`. */
  readonly json: JsonPieces | undefined
  /** How the body ended. whole: complete by HTTP; lost: the connection broke off; endless: cut off, because it was too long. */
  readonly end: 'whole' | 'lost' | 'timeout' | 'aborted' | 'endless'
}

/** The server that is asked, as messages show it. */
export interface Target {
  /** scheme://host:port */
  readonly origin: string
  readonly clientId: number | string
  /** The option that names the address, for remedies: `import_url` or `sandbox_import_url`. */
  readonly addressOption: string
  /** The proxy on the way. `undefined` when there is none. */
  readonly proxy?: Proxy | undefined
  /** What to do when answers take too long, without a full stop. By default: raise the option that limits the time. */
  readonly slowRemedy?: string | undefined
  /** Takes the secrets out of a text. */
  readonly scrub: (text: string) => string
}

/** The Target for an address, of which messages show only the origin. */
export function targetOf(options: Omit<Target, 'origin'> & { readonly baseUrl: string }): Target {
  return { ...options, origin: new URL(options.baseUrl).origin }
}

/** How many bytes of a byte order mark a body begins with: 3, or fewer if the body ends within the mark; else 0. */
function markLength(body: Uint8Array): number {
  const mark = BYTE_ORDER_MARK.subarray(0, body.length)
  return mark.equals(body.subarray(0, mark.length)) ? mark.length : 0
}

/** The first value of a header. */
export function header(answer: HttpAnswer, name: string): string | undefined {
  const value = answer.headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** Whether a 2xx acknowledges its request by a whole body, empty or an object (decisions.md#a-2xx-with-a-json-object-acknowledges). */
export function acknowledges(answer: HttpAnswer): boolean {
  const { first, verdict } = answer.json ?? piecesOf(answer.body)
  const isEmpty = first === undefined && markLength(answer.body) === 0
  return answer.end === 'whole' && (isEmpty || (first === BRACE && verdict === 'whole'))
}

/** Tells whether a body, or its beginning, is JSON. A byte order mark is passed over. More of the body can be added. */
export function piecesOf(body: Uint8Array): JsonPieces {
  return new JsonPieces().add(body.subarray(markLength(body)))
}

/** Reads what is kept of the body as one JSON object. `undefined` when it is none. */
export function jsonObject(answer: HttpAnswer): Readonly<Record<string, unknown>> | undefined {
  return parseObject(bodyText(answer))
}

/** The text of the body's beginning, without a byte order mark. */
export function bodyText({ body }: HttpAnswer): string {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8')
  return text.codePointAt(0) === 0xfe_ff ? text.slice(1) : text
}

/** The beginning of an HTTP date: "Sun, ", "Sunday, " or "Sun ". */
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

/** Whether only the end of the connection ends the body, as it has neither a length nor chunks. Then a truncated one looks complete. */
export function endsWithConnection(answer: HttpAnswer): boolean {
  if (header(answer, 'content-length') !== undefined) return false
  return !/(?:^|,)\s*chunked\s*$/i.test(header(answer, 'transfer-encoding') ?? '')
}

/** Whether the body was cut off although HTTP takes it for complete (`endsWithConnection`): it is the beginning of a JSON object or array.
 *  @param openings which of the two it may be */
export function isCutOff(answer: HttpAnswer, openings: '{' | '{[' = '{'): boolean {
  if (answer.end !== 'whole' || !endsWithConnection(answer)) return false
  const { body } = answer
  const { first, verdict } = answer.json ?? piecesOf(body)
  // a byte order mark alone, or a part of one, is the beginning of such a body too
  if (first === undefined) return body.length > 0 && markLength(body) === body.length
  return verdict === 'unfinished' && openings.includes(String.fromCharCode(first))
}
