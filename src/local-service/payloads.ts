// The bodies of the last requests and of their answers, for the page. In bounded memory, and without secrets: what is no
// data of an upsert is masked before it is kept.

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
/** Members and fields that hold a secret (service-interface.md#resources, service-interface.md#authentication). */
const SECRET_NAME =
  /pass(?:word|wd|phrase)|secret|token(?!_type)|credential|service.?account|private|api.?key|ssl.?key|^key$/i

/** Where the first bytes of a body are, counted from the first that was ever kept, and how many bytes it had. */
interface Kept {
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

/** Undefined: there was none. */
interface Bodies<T> {
  readonly request: T | undefined
  readonly answer: T | undefined
}

/** One buffer, filled from its beginning again and again: bodies that live long cost the garbage collector more than a copy. */
export class Payloads {
  readonly #bytes = Buffer.allocUnsafeSlow(MAX_ALL)
  #end = 0
  /** By the numbers of the requests, the oldest first. */
  readonly #all = new Map<number, Bodies<Kept>>()

  /** `n`: more than that of the request before. `isData`: an upsert's, of which nothing is masked. */
  add(n: number, request: Buffer | undefined, answer: Answer['body'] | undefined, isData: boolean): void {
    const text = typeof answer === 'string' ? Buffer.from(answer) : undefined
    this.#all.set(n, { request: this.#keep(request, isData), answer: this.#keep(text, isData) })
    if (this.#all.size > MAX_REQUESTS) this.#all.delete(this.#all.keys().next().value!)
  }

  /** `mask`: takes out what may not be shown even of data. Undefined: they are kept no more. */
  get(n: number, mask: (text: string) => string): Bodies<ShownBody> | undefined {
    const bodies = this.#all.get(n)
    if (bodies === undefined) return undefined
    const { request, answer } = bodies
    const from = (request ?? answer)?.from ?? this.#end
    if (from < this.#end - MAX_ALL) return undefined
    return { request: this.#shown(request, mask), answer: this.#shown(answer, mask) }
  }

  #keep(body: Buffer | undefined, isData: boolean): Kept | undefined {
    if (body === undefined || body.length === 0) return undefined
    const bytes = isData ? body : Buffer.from(masked(body))
    const length = Math.min(bytes.length, MAX_BODY)
    const room = MAX_ALL - (this.#end % MAX_ALL)
    const from = length <= room ? this.#end : this.#end + room
    this.#end = from + length
    bytes.copy(this.#bytes, from % MAX_ALL, 0, length)
    return { from, length, size: bytes.length }
  }

  #shown(body: Kept | undefined, mask: (text: string) => string): ShownBody | undefined {
    if (body === undefined) return undefined
    const { from, length, size } = body
    const start = from % MAX_ALL
    // of a character that was cut in two nothing is shown
    const text = new TextDecoder().decode(this.#bytes.subarray(start, start + length), { stream: length < size })
    return { text: mask(text), kept: length, bytes: size }
  }
}

/** Why a request was refused, in the words of its answer; undefined: it does not say. */
export function reasonIn(answer: Answer['body'], mask: (text: string) => string): string | undefined {
  if (typeof answer !== 'string' || answer.length > MAX_BODY) return undefined
  try {
    const { reasons, message } = JSON.parse(answer) as { reasons?: unknown; message?: unknown }
    const reason = Array.isArray(reasons) ? reasons.join('; ') : message
    return typeof reason === 'string' ? mask(reason).slice(0, MAX_REASON).toWellFormed() : undefined
  } catch {
    return undefined
  }
}

const FORM = /^(?:[\w.%+[\]-]+=[^&=\s]*(?:&|$))+$/

/** The same with stars for every secret. Of what is neither JSON nor a form nobody knows what is secret: nothing is left. */
function masked(body: Buffer): string {
  const text = body.length > MAX_MASKED ? '' : body.toString()
  try {
    JSON.parse(text)
    return maskedJson(text)
  } catch {
    if (!FORM.test(text)) return `(${body.length} bytes are not shown: secrets in them cannot be found)`
    return text.replaceAll(/([^&=]+)=[^&]*/g, (pair, name: string) =>
      SECRET_NAME.test(percentDecoded(name) ?? 'secret') ? `${name}=${MASK}` : pair,
    )
  }
}

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[[\]{}]|[\w.+-]+/g

/** Token by token, so that all else stays as it was sent, digits of numbers too. `json`: valid. */
function maskedJson(json: string): string {
  let depth = 0
  /** Depth of the secret object or array that is open; 0: none is. */
  let secretFrom = 0
  let isSecret = false
  return json.replaceAll(TOKEN, (token: string, colon: string | undefined) => {
    if (colon !== undefined) {
      isSecret = SECRET_NAME.test(JSON.parse(token.slice(0, -colon.length)) as string)
      return token
    }
    const hides = isSecret || secretFrom > 0
    if (token === '{' || token === '[') {
      depth++
      if (isSecret && secretFrom === 0) secretFrom = depth
    } else if (token === '}' || token === ']') {
      if (depth === secretFrom) secretFrom = 0
      depth--
    } else if (hides && token !== 'null') token = `"${MASK}"`
    isSecret = false
    return token
  })
}
