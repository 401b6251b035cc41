// An HTTP answer, with the beginning of its body: what it says, and whether it is complete. What a status means is in statuses.ts.

import { isUnfinished } from '../../json/completeness.ts'
import type { JsonShape } from '../../json/completeness.ts'
import type { Proxy } from './proxy.ts'
import { parseObject } from '../../json/is-object.ts'

/** Bytes of a body that are kept, unless another number is given. */
export const KEPT_BYTES = 65_536

/** The most characters of the service's message that are shown. */
const MAX_WORDS = 500

/** Characters of a body that are searched for a message. */
const MAX_TEXT = 4_096

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
  readonly json: JsonShape | undefined
  /** whole: complete by HTTP; endless: cut off at a limit of ours. */
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
  /** Advice where answers take too long, without an end; to raise the option that limits them when absent. */
  readonly slowRemedy?: string | undefined
  /** Takes the secrets out of a text. */
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

/** Describes an unexpected body. Quotes only the title of a page, because a body may echo records. */
export function describeBody(
  answer: HttpAnswer,
  scrub: (text: string) => string,
  said = (words: string): string => words,
): string {
  const text = textOf(answer).trim()
  if (text === '') return 'an empty body'
  // scrubbed before a part is taken: nothing is masked of a secret that is cut off
  const title = titleOf(scrub(text))
  if (title !== undefined)
    return `an HTML page${said(title === '' ? '' : ` titled "${clean(title, scrub).slice(0, 80)}"`)}`
  if (header(answer, 'content-encoding') !== undefined) return 'a compressed body that was not asked for'
  if (text.startsWith('{')) return jsonObject(answer) === undefined ? 'a broken JSON object' : 'a JSON object'
  if (text.startsWith('[')) return 'a JSON array'
  return answer.length === 1 ? '1 byte that is not a JSON object' : `${answer.length} bytes that are not a JSON object`
}

/** The service's own words: `message` and `reasons` of a JSON body, otherwise its text; '' when there are none.
 *  Scrubbed, one line, at most MAX_WORDS characters.
 *  @param names of members in place of `message` */
export function serviceWords(answer: HttpAnswer, scrub: (text: string) => string, names = ['message']): string {
  const object = jsonObject(answer)
  const isEmpty = object !== undefined && Object.keys(object).length === 0
  const own = isEmpty ? '' : object && ownWords(object, names)
  const words = clean(own ?? plain(scrub(textOf(answer))), scrub)
  return words.length > MAX_WORDS ? `${words.slice(0, MAX_WORDS - 1).toWellFormed()}…` : words
}

function ownWords(object: Readonly<Record<string, unknown>>, names: readonly string[]): string | undefined {
  const message = names.flatMap((name) => (typeof object[name] === 'string' ? object[name] : [])).join(': ')
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

/** The title of a page. `undefined` when it is no HTML page. */
function titleOf(text: string): string | undefined {
  const start = text.slice(0, MAX_TEXT)
  if (!/^\s*<(!doctype html|html|head|body)\b/i.test(start)) return undefined
  return /<title>([^<]*)/i.exec(start)?.[1]?.trim() ?? ''
}

/** Scrubbed before and after, because removing characters may join a secret. Zero bytes are removed for UTF-16. */
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
  return parseObject(textOf(answer))
}

function textOf({ body }: HttpAnswer): string {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8')
  return text.codePointAt(0) === 0xfe_ff ? text.slice(1) : text
}

/** The origin of a redirect's target, or its scheme if it has none, scrubbed. `undefined` when there is no target.
 *  The rest is left out, because a query may hold secrets. */
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

// Whether an answer was cut off although it is complete by HTTP: a body with neither a length nor chunks ends with its connection.

/** The first character of a body that may have been cut off: objects, or arrays too. */
type Openings = '{' | '{['

const BLANKS = Buffer.from(' \t\r\n')

/** Whether the body ends with the connection, so that a complete one and a truncated one look the same. */
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
 *  elsewhere in an answer, a byte order mark may stand before it, and invalid UTF-8 inside a string is ignored. */
export function beginsJson(body: Uint8Array, openings: Openings): boolean {
  const from = markLength(body)
  if (from === body.length) return from > 0
  let at = from
  while (at < body.length && BLANKS.includes(body[at]!)) at++
  return at < body.length && openings.includes(String.fromCharCode(body[at]!)) && isUnfinished(body, from)
}
