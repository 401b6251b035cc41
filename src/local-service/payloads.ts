// The bodies of the last requests and of their answers, for the page. Their memory is bounded, and they hold no
// secrets: what is no data of an upsert is masked before it is kept.

import type { Mask } from './clients.ts'
import { percentDecoded } from './read-request.ts'
import type { Answer } from './types.ts'

/** Requests whose bodies are kept. */
const MAX_REQUESTS = 200
/** Bytes of one body that are kept. */
const MAX_BODY = 64 * 1024
/** Bytes of all that is kept. The oldest go first. */
const MAX_ALL = 8 * 1024 * 1024
/** Bytes of a body in which secrets are looked for. */
const MAX_MASKED = 1024 * 1024
/** Characters of a reason. */
const MAX_REASON = 300

const MASK = '******'
/** Members and fields that hold a secret (service-interface.md#resources, service-interface.md#authentication). Rather too
 *  many: a hidden value costs little. */
const SECRET_NAME =
  /pass|pwd|secret|token(?!_type)|credential|service.?account|private|key$|auth|cookie|sess|jwt|bearer|signature|^pin|pin$|_pin|otp$|^values?$/i
/** Names whose value may name what the value beside it is, as in `[{"name":"password","value":"…"}]`; '' in an array.
 */
const NAMING = /^$|^[kn]$|^(?:id|type)$|(?:key|name|field|header|param|parameter|property|option|label)$/i
/** Texts that hold others: JSON, XML, an encoded form, a URL with a password, a PEM key, options, a JWT, `password=…`, `Bearer …`. */
const TELLING =
  /^\s*[[{"<]|%[\da-f]{2}|(?<=:\/\/[^\s@]{0,200})@|-----BEGIN|--[a-z]|\beyJ|(?:pass|pwd|secret|token|key|auth|cookie|sess|jwt|pin)[\w"'\]-]{0,20} ?[=:]|\b(?:bearer|basic)\s/i

/** Where the first bytes of a body are, counted from the first that was ever kept, and how many bytes it had. */
interface KeptBody {
  readonly from: number
  readonly length: number
  readonly size: number
}

/** A body as the page gets it. `text`: of its first `kept` bytes; a byte that is no UTF-8 becomes U+FFFD. */
export interface ShownBody {
  readonly text: string
  readonly kept: number
  readonly bytes: number
}

/** A request's body and its answer's. `undefined` when there was none. */
interface Bodies<T> {
  readonly request: T | undefined
  readonly answer: T | undefined
}

/** One buffer, filled from its beginning again and again: bodies that live long cost the garbage collector more than a copy. */
export class Payloads {
  readonly #bytes = Buffer.allocUnsafeSlow(MAX_ALL)
  #end = 0
  /** Bodies by the numbers of the requests, the oldest first. */
  readonly #all = new Map<number, Bodies<KeptBody>>()

  /** `n`: the number of the request, which increases. `isData`: an upsert's, of which nothing is masked. */
  add(n: number, request: Buffer | undefined, answer: Answer['body'] | undefined, isData: boolean): void {
    const text = typeof answer === 'string' ? Buffer.from(answer) : undefined
    this.#all.set(n, { request: this.#keep(request, isData), answer: this.#keep(text, isData) })
    if (this.#all.size > MAX_REQUESTS) this.#all.delete(this.#all.keys().next().value!)
  }

  /** Bodies of request `n`; `mask` takes out what may not be shown even of data. `undefined` when they are kept no
   *  more. */
  get(n: number, mask: Mask): Bodies<ShownBody> | undefined {
    const bodies = this.#all.get(n)
    if (bodies === undefined) return undefined
    const { request, answer } = bodies
    const from = (request ?? answer)?.from ?? this.#end
    if (from < this.#end - MAX_ALL) return undefined
    return { request: this.#shown(request, mask), answer: this.#shown(answer, mask) }
  }

  #keep(body: Buffer | undefined, isData: boolean): KeptBody | undefined {
    if (body === undefined || body.length === 0) return undefined
    const bytes = isData ? body : Buffer.from(masked(body))
    const length = Math.min(bytes.length, MAX_BODY)
    const room = MAX_ALL - (this.#end % MAX_ALL)
    const from = length <= room ? this.#end : this.#end + room
    this.#end = from + length
    bytes.copy(this.#bytes, from % MAX_ALL, 0, length)
    return { from, length, size: bytes.length }
  }

  #shown(body: KeptBody | undefined, mask: Mask): ShownBody | undefined {
    if (body === undefined) return undefined
    const { from, length, size } = body
    const start = from % MAX_ALL
    // of a character that was cut in two nothing is shown
    const text = new TextDecoder().decode(this.#bytes.subarray(start, start + length), { stream: length < size })
    return { text: mask(text, length < size), kept: length, bytes: size }
  }
}

/** Why a request was refused, in the words of its answer. `undefined` when it does not say. */
export function reasonIn(answer: Answer['body'], mask: Mask): string | undefined {
  if (typeof answer !== 'string' || answer.length > MAX_BODY) return undefined
  try {
    const { reasons, message } = JSON.parse(answer) as { reasons?: unknown; message?: unknown }
    const reason = Array.isArray(reasons) ? reasons.join('; ') : message
    if (typeof reason !== 'string') return undefined
    const isCut = reason.length > MAX_REASON
    return mask(isCut ? reason.slice(0, MAX_REASON - 1) : reason, isCut).toWellFormed() + (isCut ? '…' : '')
  } catch {
    return undefined
  }
}

/** The same with stars for every secret. A body whose format is unknown is masked whole, and so is one in which a value names
 *  another: what of it is secret cannot be told. */
function masked(body: Buffer): string {
  const text = body.length > MAX_MASKED ? '' : body.toString()
  const shown = isJson(text) ? maskedJson(text) : maskedForm(text)
  return shown ?? `(${body.length} bytes are not shown: secrets in them cannot be found)`
}

/** A text or a number alone may be anything. */
function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object'
  } catch {
    return false
  }
}

function namesAnother(name: string, value: string): boolean {
  return NAMING.test(name) && SECRET_NAME.test(value) && (name !== '' || /^\S+$/.test(value))
}

const FORM = /^(?:[\w.%+[\]-]+=[^&=\s]+(?:&|$))+$/

function maskedForm(form: string): string | undefined {
  if (!FORM.test(form)) return undefined
  let isClear = true
  const shown = form.replaceAll(/([^&=]+)=([^&]*)/g, (pair, rawName: string, rawValue: string) => {
    const [name = 'secret', value = ''] = [rawName, rawValue].map((raw) => percentDecoded(raw.replaceAll('+', ' ')))
    isClear &&= !namesAnother(name, value)
    return value === '' || SECRET_NAME.test(name) || TELLING.test(value) ? `${rawName}=${MASK}` : pair
  })
  return isClear ? shown : undefined
}

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[[\]{}]|[\w.+-]+/g

/** Token by token, so that all else stays as it was sent, digits of numbers too. `json`: valid. */
function maskedJson(json: string): string | undefined {
  let depth = 0
  /** Depth of the secret object or array that is open; 0: none is. */
  let secretFrom = 0
  let name = ''
  let isClear = true
  const shown = json.replaceAll(TOKEN, (token: string, colon: string | undefined) => {
    if (colon !== undefined) {
      name = JSON.parse(token.slice(0, -colon.length)) as string
      return TELLING.test(name) ? `"${MASK}"${colon}` : token
    }
    const isSecret = SECRET_NAME.test(name)
    if (token === '{' || token === '[') {
      depth++
      if (isSecret && secretFrom === 0) secretFrom = depth
    } else if (token === '}' || token === ']') {
      if (depth === secretFrom) secretFrom = 0
      depth--
    } else if (token !== 'null') {
      const value = String(JSON.parse(token))
      isClear &&= !namesAnother(name, value)
      if (isSecret || secretFrom > 0 || TELLING.test(value)) token = `"${MASK}"`
    }
    name = ''
    return token
  })
  return isClear ? shown : undefined
}
