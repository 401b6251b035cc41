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

/** The first bytes of a body, and how many it had. */
interface Kept {
  readonly bytes: Buffer
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

export class Payloads {
  readonly #all = new Map<number, Bodies<Kept>>()
  #bytes = 0

  /** `n`: of the request, the one before was less. A buffer is kept as it is: nobody may change it.
   *  `isData`: an upsert's, of which nothing is masked. */
  add(n: number, request: Buffer | undefined, answer: Answer['body'] | undefined, isData: boolean): void {
    const bodies = {
      request: kept(request, isData),
      answer: kept(typeof answer === 'string' ? Buffer.from(answer) : undefined, isData),
    }
    this.#all.set(n, bodies)
    this.#bytes += sizeOf(bodies)
    for (const [oldest, old] of this.#all) {
      if (this.#all.size <= MAX_REQUESTS && this.#bytes <= MAX_ALL) return
      this.#all.delete(oldest)
      this.#bytes -= sizeOf(old)
    }
  }

  /** `mask`: takes out what may not be shown even of data. Undefined: they are kept no more. */
  get(n: number, mask: (text: string) => string): Bodies<ShownBody> | undefined {
    const bodies = this.#all.get(n)
    return bodies && { request: shown(bodies.request, mask), answer: shown(bodies.answer, mask) }
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

function kept(body: Buffer | undefined, isData: boolean): Kept | undefined {
  if (body === undefined || body.length === 0) return undefined
  return cut(isData ? body : Buffer.from(masked(body)))
}

/** A small part of a large buffer would keep all of it. */
function cut(body: Buffer): Kept {
  const bytes = body.length <= MAX_BODY ? body : Buffer.from(body.subarray(0, MAX_BODY))
  return { bytes, size: body.length }
}

function sizeOf({ request, answer }: Bodies<Kept>): number {
  return (request?.bytes.length ?? 0) + (answer?.bytes.length ?? 0)
}

function shown(body: Kept | undefined, mask: (text: string) => string): ShownBody | undefined {
  if (body === undefined) return undefined
  const { bytes, size } = body
  // of a character that was cut in two nothing is shown
  const text = new TextDecoder().decode(bytes, { stream: size > bytes.length })
  return { text: mask(text), kept: bytes.length, bytes: size }
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
