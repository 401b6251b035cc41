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
/** Names of service-interface.md#onboarding-requests and of answers whose values are no secrets. All else is hidden: a
 *  secret that is shown costs more than a value that is not. */
const PLAIN: ReadonlySet<string> = new Set(
  `username grant_type scope clientId expires_in token_type code message reasons status state pipeline_state
  tier company first_name last_name email role shop customer_id subscription_id signup_id client_id user_id
  force_create client_rights admin billing readonly technical name display_name type integration_type properties
  blackout_hours default_currency has_guest_checkout is_implemented shop_store_db_name shop_store_table_prefix
  timezone week_start_day dbName host port sourceTZ desiredTZ useSSL connections connection_id database table_prefix
  package db id job_id jobs created_at updated_at expires_at established started phase frequency jobType workload workload[connectionId] workload[syncAndSample] data user client`.split(
    /\s+/,
  ),
)
/** Names that are shown, with a value or without. */
const WORD = /^\w{1,40}$/

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

/** Puts stars for all of a body that may be secret; one that is neither JSON nor a form is hidden whole. */
function masked(body: Buffer): string {
  const text = body.length > MAX_MASKED ? '' : body.toString()
  const shown = maskedJson(text) ?? maskedForm(text)
  return shown ?? `(${body.length} bytes are not shown: secrets in them cannot be found)`
}

function maskedJson(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? JSON.stringify(shownOf(value, false)) : undefined
  } catch {
    return undefined
  }
}

/** @param isPlain whether the member that holds the value is */
function shownOf(value: unknown, isPlain: boolean): unknown {
  if (value === null) return null
  if (Array.isArray(value)) return value.map((item) => shownOf(item, isPlain))
  if (typeof value !== 'object') return isPlain ? value : MASK
  return Object.fromEntries(
    Object.entries(value).map(([name, member]: [string, unknown]) =>
      PLAIN.has(name) ? [name, shownOf(member, true)] : [WORD.test(name) ? name : MASK, MASK],
    ),
  )
}

const FORM = /^(?:[\w.%+[\]-]+=[^&=\s]+(?:&|$))+$/

function maskedForm(form: string): string | undefined {
  if (!FORM.test(form)) return undefined
  return form.replaceAll(/([^&=]+)=([^&]*)/g, (pair, name: string) =>
    PLAIN.has(percentDecoded(name) ?? '') ? pair : `${name}=${MASK}`,
  )
}
