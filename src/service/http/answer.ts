// An HTTP answer as far as it is kept: what its body says, whether it is whole, and of whom it was asked. Judges no status.

import { isUnfinished } from '../../json/unfinished.ts'
import type { JsonShape } from '../../json/unfinished.ts'
import type { Proxy } from './proxy.ts'
import { isObject } from '../../json/is-object.ts'

/** Bytes of a body that are kept, unless another number is given. */
export const KEPT_BYTES = 65_536

/** Characters of the service's own words that reach a message. */
const MAX_WORDS = 500

/** Characters of a body in which words are looked for. */
const MAX_TEXT = 4_096

const BYTE_ORDER_MARK = Buffer.of(0xef, 0xbb, 0xbf)
const BRACE = 0x7b

export interface HttpAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The beginning of the body: KEPT_BYTES, or as many as were asked for. */
  readonly body: Uint8Array
  /** Bytes of the body that were received. */
  readonly length: number
  /** Of a body that is longer than `body`; undefined where it is not. A byte order mark may stand before it. */
  readonly json: JsonShape | undefined
  /** whole: the answer ended as HTTP says it should; endless: it was cut off at a bound of ours. */
  readonly end: 'whole' | 'lost' | 'timeout' | 'aborted' | 'endless'
}

/** Of whom it was asked, for messages. */
export interface Target {
  /** scheme://host:port */
  readonly origin: string
  readonly clientId: number | string
  /** The option that names the address, for remedies: `import_url` or `sandbox_import_url`. */
  readonly addressOption: string
  /** What the way leads through. */
  readonly proxy?: Proxy | undefined
  /** What to do where answers take too long, without an end; absent: to raise the option that limits them. */
  readonly slowRemedy?: string | undefined
  /** Takes every form of every secret out of a text. */
  readonly scrub: (text: string) => string
}

/** `baseUrl` is shown no further than its origin. */
export function targetOf({
  baseUrl,
  clientId,
  addressOption,
  proxy,
  slowRemedy,
  scrub,
}: Omit<Target, 'origin'> & { baseUrl: string }): Target {
  return { origin: new URL(baseUrl).origin, clientId, addressOption, proxy, slowRemedy, scrub }
}

/** Whether there is nothing but white space. */
export function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09)
}

/** How many bytes of a byte order mark a body begins with: all of it, unless the body is shorter. */
export function markLength(body: Uint8Array): number {
  const mark = BYTE_ORDER_MARK.subarray(0, body.length)
  return mark.equals(body.subarray(0, mark.length)) ? mark.length : 0
}

/** The first value of a header. */
export function header(answer: HttpAnswer, name: string): string | undefined {
  const value = answer.headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** decisions.md#a-2xx-with-a-json-object-acknowledges: an empty body or a JSON object. */
export function acknowledges(answer: HttpAnswer): boolean {
  if (answer.end !== 'whole') return false
  const { json, body } = answer
  if (json) return json.verdict === 'blank' || (json.verdict === 'whole' && json.first === BRACE)
  return isBlank(body) || jsonObject(answer) !== undefined
}

/** What an answer's body is, in words: for an answer that should have been something else. Quotes nothing but the
 *  title of a page, as a body may echo records. */
export function describeBody(answer: HttpAnswer, scrub: (text: string) => string): string {
  const text = textOf(answer).trim()
  if (text === '') return 'an empty body'
  const title = titleOf(text)
  if (title !== undefined) return `an HTML page${title === '' ? '' : ` titled "${clean(title, scrub).slice(0, 80)}"`}`
  if (header(answer, 'content-encoding') !== undefined) return 'a compressed body that was not asked for'
  if (isBrace(text)) return jsonObject(answer) === undefined ? 'a broken JSON object' : 'a JSON object'
  if (text.startsWith('[')) return 'a JSON array'
  return answer.length === 1 ? '1 byte that is not a JSON object' : `${answer.length} bytes that are not a JSON object`
}

/** The service's own words: `message` and `reasons` of a JSON body, otherwise its text; '' when there are none.
 *  Scrubbed, one line, at most MAX_WORDS characters. */
export function serviceWords(answer: HttpAnswer, scrub: (text: string) => string): string {
  const object = jsonObject(answer)
  const own = object === undefined ? undefined : ownWords(object)
  const words = clean(own ?? (isEmpty(object) ? '' : plain(textOf(answer))), scrub)
  return words.length > MAX_WORDS ? `${words.slice(0, MAX_WORDS - 1).toWellFormed()}…` : words
}

function isEmpty(object: object | undefined): boolean {
  return object !== undefined && Object.keys(object).length === 0
}

function ownWords(object: Readonly<Record<string, unknown>>): string | undefined {
  const message = typeof object['message'] === 'string' ? object['message'] : ''
  const reasons = Array.isArray(object['reasons'])
    ? object['reasons'].filter((reason) => typeof reason === 'string').join('; ')
    : ''
  const words = [message, reasons].filter((part) => part.trim() !== '').join(': ')
  return words === '' ? undefined : words
}

function plain(text: string): string {
  const start = text.slice(0, MAX_TEXT)
  return titleOf(start) === undefined
    ? start
    : start.replace(/<(script|style)\b[^]*?<\/\1>/gi, ' ').replace(/<[^>]*>/g, ' ')
}

/** undefined: no HTML page. */
function titleOf(text: string): string | undefined {
  const start = text.slice(0, MAX_TEXT)
  if (!/^\s*<(!doctype html|html|head|body)\b/i.test(start)) return undefined
  return /<title>([^<]*)/i.exec(start)?.[1]?.trim() ?? ''
}

/** Scrubbed before and after, since taking characters out may put a secret together. UTF-16 is text with a zero byte beside
 *  each letter. */
function clean(text: string, scrub: (text: string) => string): string {
  return scrub(
    scrub(scrub(text).replaceAll('\0', ''))
      // oxlint-disable-next-line no-control-regex
      .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
      .replace(/ {2,}/g, ' ')
      .trim(),
  )
}

function jsonObject(answer: HttpAnswer): Readonly<Record<string, unknown>> | undefined {
  const text = textOf(answer)
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function textOf({ body }: HttpAnswer): string {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8')
  return text.codePointAt(0) === 0xfe_ff ? text.slice(1) : text
}

function isBrace(text: string): boolean {
  return text.startsWith('{')
}

/** The origin that a redirect leads to, or its scheme where it has none, scrubbed; undefined: nowhere. No more of it: a query
 *  may hold secrets. */
export function leadsTo(answer: HttpAnswer, { origin, scrub }: Target): string | undefined {
  const location = header(answer, 'location')
  if (location === undefined || !URL.canParse(location, origin)) return undefined
  const to = new URL(location, origin)
  return scrub(to.origin === 'null' ? to.protocol : to.origin)
}

const DATE = /^(?:Sun|Mon|Tue|Wed|Thu|Fri|Sat)[a-z]*,? /

/** Milliseconds from `now` (milliseconds since 1970), never negative; undefined when the header says nothing usable:
 *  whole seconds and HTTP dates count, anything else is ignored. Source: RFC 9110, 10.2.3. */
export function retryAfterMs(value: string | undefined, now: number): number | undefined {
  const text = value?.trim()
  if (text === undefined) return undefined
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1_000, Number.MAX_SAFE_INTEGER)
  if (!DATE.test(text)) return undefined
  // The oldest of the three date forms names no zone; all three mean GMT.
  const date = Date.parse(/GMT|UTC|[+-]\d{4}$/.test(text) ? text : `${text} GMT`)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

// Whether an answer was cut off although HTTP has nothing to say against its end: a body with neither a length nor chunks
// ends wherever its connection does.

/** What a body has to begin with that may have been cut off: JSON objects, or arrays too. */
type Openings = '{' | '{['

const BLANKS = Buffer.from(' \t\r\n')

/** Whether the body ends where the connection does, so that a whole one cannot be told from the beginning of one. */
export function endsWithConnection(answer: HttpAnswer): boolean {
  if (header(answer, 'content-length') !== undefined) return false
  return !/(?:^|,)\s*chunked\s*$/i.test(header(answer, 'transfer-encoding') ?? '')
}

/** Whether the connection ended in the middle of a JSON object (or array). */
export function isCutOff(answer: HttpAnswer, openings: Openings = '{'): boolean {
  if (answer.end !== 'whole' || !endsWithConnection(answer)) return false
  const { json, body } = answer
  if (!json) return beginsJson(body, openings)
  return json.verdict === 'unfinished' && openings.includes(String.fromCharCode(json.first!))
}

/** Whether `body` is the beginning of an object (or array), and not the whole of it: more bytes could make it one. As
 *  elsewhere in an answer, a byte order mark may stand before it, and what is no UTF-8 within a string is none of our business. */
export function beginsJson(body: Uint8Array, openings: Openings): boolean {
  const from = markLength(body)
  if (from === body.length) return from > 0
  let at = from
  while (at < body.length && BLANKS.includes(body[at]!)) at++
  return at < body.length && openings.includes(String.fromCharCode(body[at]!)) && isUnfinished(body, from)
}
