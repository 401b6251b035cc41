// The words of an answer, for messages: what the service says of itself, what kind of body it sent, where a redirect leads. All of it
// is scrubbed and cut, because an answer may echo records and secrets.

import { header, jsonObject, bodyText, type HttpAnswer, type Target } from './answer.ts'

/** The most characters that are shown: of the service's message, of a page's title. */
const MOST_SHOWN = 500
const MOST_OF_TITLE = 80

/** Characters of a body that are searched for a message. */
const SEARCHED = 4_096

/** Describes an unexpected body. Quotes only the title of a page, because a body may echo records.
 *  @param said put around the title, which the service may have taken from a record (MessageParts)
 *  @returns `kind` is page or compressed when it cannot be the service's own, which is JSON or empty */
export function describeBody(
  answer: HttpAnswer,
  scrub: (text: string) => string,
  said = (words: string): string => words,
): { readonly kind: 'page' | 'compressed' | 'other'; readonly words: string } {
  const text = bodyText(answer).trim()
  if (text === '') return { kind: 'other', words: 'an empty body' }
  // scrubbed before a part is taken: nothing is masked of a secret that is cut off
  const title = titleOf(scrub(text))
  if (title !== undefined) {
    const titled = title === '' ? '' : ` titled "${clean(title, scrub).slice(0, MOST_OF_TITLE)}"`
    return { kind: 'page', words: `an HTML page${said(titled)}` }
  }
  if (header(answer, 'content-encoding') !== undefined)
    return { kind: 'compressed', words: 'a compressed body that was not asked for' }
  return { kind: 'other', words: otherWords(answer, text) }
}

function otherWords(answer: HttpAnswer, text: string): string {
  if (text.startsWith('{')) return jsonObject(answer) === undefined ? 'a broken JSON object' : 'a JSON object'
  if (text.startsWith('[')) return 'a JSON array'
  return answer.length === 1 ? '1 byte that is not a JSON object' : `${answer.length} bytes that are not a JSON object`
}

/** The service's own words: `message` and `reasons` of a JSON body, otherwise its text; '' when there are none.
 *  Scrubbed, one line, at most MOST_SHOWN characters.
 *  @param names of members in place of `message` */
export function serviceWords(answer: HttpAnswer, scrub: (text: string) => string, names = ['message']): string {
  const object = jsonObject(answer)
  const isEmpty = object !== undefined && Object.keys(object).length === 0
  // an object without words is shown as it is, but an empty one says nothing
  const own = isEmpty ? '' : object && ownWords(object, names)
  const words = clean(own ?? plain(scrub(bodyText(answer))), scrub)
  return words.length > MOST_SHOWN ? `${words.slice(0, MOST_SHOWN - 1).toWellFormed()}…` : words
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
  const start = text.slice(0, SEARCHED)
  return titleOf(start) === undefined
    ? start
    : start.replace(/<(script|style)\b[^]*?<\/\1>/gi, ' ').replace(/<[^>]*>/g, ' ')
}

/** The title of a page. `undefined` when it is no HTML page. */
function titleOf(text: string): string | undefined {
  const start = text.slice(0, SEARCHED)
  if (!/^\s*<(!doctype html|html|head|body)\b/i.test(start)) return undefined
  return /<title>([^<]*)/i.exec(start)?.[1]?.trim() ?? ''
}

/** The text on one line, without secrets. Scrubbed before and after, because removing characters may join a secret. Zero bytes are removed for UTF-16. */
function clean(text: string, scrub: (text: string) => string): string {
  return scrub(
    scrub(scrub(text).replaceAll('\0', ''))
      // oxlint-disable-next-line no-control-regex
      .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
      .replace(/ {2,}/g, ' ')
      .trim(),
  )
}

/** The origin of a redirect's target, or its scheme if it has none, scrubbed. `undefined` when there is no target.
 *  The rest is left out, because a query may hold secrets. */
export function leadsTo(answer: HttpAnswer, { origin, scrub }: Target): string | undefined {
  const location = header(answer, 'location')
  if (location === undefined || !URL.canParse(location, origin)) return undefined
  const to = new URL(location, origin)
  return scrub(to.origin === 'null' ? to.protocol : to.origin)
}
