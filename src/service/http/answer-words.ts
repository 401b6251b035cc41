// Words about an answer, for messages: the service's own message, what kind of body it sent, where a redirect leads. All of them are
// scrubbed (secrets are masked) and cut, because an answer may repeat records and secrets.

import { header, jsonObject, bodyText, type HttpAnswer, type Target } from './answer.ts'

/** The most characters that are shown of the service's message, and of the title of a page. */
const MOST_SHOWN = 500
const MOST_OF_TITLE = 80
/** How much of a body's beginning is looked at, in characters. */
const MOST_SEARCHED = 4_096

/** Describes an unexpected body. Only the title of a page is quoted, because a body may repeat records.
 *  @param said goes around the title, which may be from a record (MessageParts of core/errors.ts)
 *  @returns `kind`: page or compressed when the service cannot have sent the body, because its own are JSON or empty */
export function describeBody(
  answer: HttpAnswer,
  scrub: (text: string) => string,
  said = (words: string): string => words,
): { readonly kind: 'page' | 'compressed' | 'other'; readonly words: string } {
  const text = bodyText(answer).trim()
  if (text === '') return { kind: 'other', words: 'an empty body' }
  // scrubbed before the title is taken: a secret that is cut in two would not be found
  const title = titleOf(scrub(text))
  if (title !== undefined) {
    const titled = title === '' ? '' : ` titled "${clean(title, scrub).slice(0, MOST_OF_TITLE)}"`
    return { kind: 'page', words: `an HTML page${said(titled)}` }
  }
  if (header(answer, 'content-encoding') !== undefined)
    return { kind: 'compressed', words: 'a compressed body that was not asked for' }
  return { kind: 'other', words: otherWords(answer, text) }
}

/** Words for a body that the service itself may have sent. */
function otherWords(answer: HttpAnswer, text: string): string {
  if (text.startsWith('{')) return jsonObject(answer) === undefined ? 'a broken JSON object' : 'a JSON object'
  if (text.startsWith('[')) return 'a JSON array'
  return answer.length === 1 ? '1 byte that is not a JSON object' : `${answer.length} bytes that are not a JSON object`
}

/** The service's own words: `message` and `reasons` of a JSON body, otherwise its text; '' when there are none. Without secrets, on one
 *  line, at most MOST_SHOWN characters.
 *  @param names the members to read in place of `message` */
export function serviceWords(answer: HttpAnswer, scrub: (text: string) => string, names = ['message']): string {
  const object = jsonObject(answer)
  const isEmpty = object !== undefined && Object.keys(object).length === 0
  // an object without these members is shown as the text that it is, but an empty one says nothing
  const message = isEmpty ? '' : object && messageOf(object, names)
  const words = clean(message ?? withoutTags(scrub(bodyText(answer))), scrub)
  return words.length > MOST_SHOWN ? `${words.slice(0, MOST_SHOWN - 1).toWellFormed()}…` : words
}

/** The words in an object's members. `undefined` when it has none. */
function messageOf(object: Readonly<Record<string, unknown>>, names: readonly string[]): string | undefined {
  const message = names.flatMap((name) => (typeof object[name] === 'string' ? object[name] : [])).join(': ')
  const reasons = Array.isArray(object['reasons'])
    ? object['reasons'].filter((reason) => typeof reason === 'string').join('; ')
    : ''
  const words = [message, reasons].filter((part) => part.trim() !== '').join(': ')
  return words === '' ? undefined : words
}

/** The beginning of a body, of an HTML page without tags. */
function withoutTags(text: string): string {
  const start = text.slice(0, MOST_SEARCHED)
  return titleOf(start) === undefined
    ? start
    : start.replace(/<(script|style)\b[^]*?<\/\1>/gi, ' ').replace(/<[^>]*>/g, ' ')
}

/** The title of an HTML page; '' when it has none. `undefined` when the text is no such page. */
function titleOf(text: string): string | undefined {
  const start = text.slice(0, MOST_SEARCHED)
  if (!/^\s*<(!doctype html|html|head|body)\b/i.test(start)) return undefined
  return /<title>([^<]*)/i.exec(start)?.[1]?.trim() ?? ''
}

/** Puts a text on one line, without secrets. Scrubbed again whenever characters were removed, because that may put a secret together. Zeros
 *  are removed first: in UTF-16 they stand between the characters. */
function clean(text: string, scrub: (text: string) => string): string {
  return scrub(
    scrub(scrub(text).replaceAll('\0', ''))
      // oxlint-disable-next-line no-control-regex
      .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
      .replace(/ {2,}/g, ' ')
      .trim(),
  )
}

/** The origin that a redirect leads to, or its scheme if it has none, without secrets. `undefined` when the answer names no address. The
 *  rest of the address is left out, because a query may hold secrets. */
export function leadsTo(answer: HttpAnswer, { origin, scrub }: Target): string | undefined {
  const location = header(answer, 'location')
  if (location === undefined || !URL.canParse(location, origin)) return undefined
  const address = new URL(location, origin)
  return scrub(address.origin === 'null' ? address.protocol : address.origin)
}
