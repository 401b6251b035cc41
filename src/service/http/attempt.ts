// One HTTP attempt, as undici's handler of it: it collects the answer, and ends exactly once. undici calls onRequestStart when the attempt
// gets a connection, then the methods for the answer in their order, and at last onResponseEnd or onResponseError. InFlight
// (attempts-in-flight.ts) calls breakOff at the deadline, or when the signal aborts. What comes after the first ending is ignored.

import type { Dispatcher } from 'undici'
import { codeOf } from '../../core/errors.ts'
import type { JsonPieces } from '../../json/completeness.ts'
import { KEPT_BYTES, piecesOf, type HttpAnswer } from './answer.ts'
import type { Failure } from './failure.ts'

/** A longer body is not read to its end: the connection is closed. */
const MAX_BODY_BYTES = 16 * 1_048_576

export type Exchange = ({ readonly kind: 'answer' } & HttpAnswer) | Failure

/** Stands in for undici's assertion errors while it reads an answer, such as one with the status 099. */
const NO_HTTP = Object.assign(new Error('the answer is not HTTP/1.1'), { code: 'HPE_INVALID_STATUS' })
/** Stands in for undici's error for a 101 that was not asked for, which can be told by its message only. */
const SWITCHED = Object.assign(new Error('another protocol'), { code: 'HPE_PAUSED_UPGRADE' })

type End = HttpAnswer['end']

export class Attempt implements Dispatcher.DispatchHandler {
  readonly signal: AbortSignal
  readonly deadline: number
  /** Neighbours in the list of attempts in flight (attempts-in-flight.ts). */
  before: Attempt | undefined = undefined
  behind: Attempt | undefined = undefined
  /** Whether any byte of an answer came. */
  heard = false
  readonly #settled: (exchange: Exchange, attempt: Attempt) => void
  readonly #keptBytes: number
  #controller: Dispatcher.DispatchController | undefined
  #hasEnded = false
  /** The status of the answer; 0 while none came. */
  #status = 0
  #headers: HttpAnswer['headers'] = {}
  /** The beginning of the body, `keptBytes` at most, and how many bytes of it there are. */
  #chunks: Buffer[] = []
  #kept = 0
  /** How many bytes of the whole body came. */
  #length = 0
  /** Whether the whole body is JSON (`json` of HttpAnswer). `undefined` while all of it is kept. */
  #json: JsonPieces | undefined

  /** @param deadline by the clock of InFlight
   *  @param settled called once, when it ends: with an answer if a status came, however the body ended, else with a failure
   *  @param keptBytes how much of the body is kept */
  constructor(
    deadline: number,
    signal: AbortSignal,
    settled: (exchange: Exchange, attempt: Attempt) => void,
    keptBytes = KEPT_BYTES,
  ) {
    this.deadline = deadline
    this.signal = signal
    this.#settled = settled
    this.#keptBytes = keptBytes
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // it ended while it waited for a connection: if this throws, the connection stays, while aborting would close it
    if (this.#hasEnded) throw new Error('broken off')
    this.#controller = controller
  }

  onResponseStarted(): void {
    this.heard = true
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: HttpAnswer['headers']): void {
    // a 1xx comes in front of the answer itself
    if (status < 200) return
    this.#status = status
    this.#headers = headers
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#hasEnded) return
    const part = chunk.subarray(0, this.#keptBytes - this.#kept)
    if (part.length > 0) this.#chunks.push(part)
    this.#kept += part.length
    this.#length += chunk.length
    if (part.length < chunk.length) {
      this.#json ??= piecesOf(this.#body())
      this.#json.add(chunk.subarray(part.length))
    }
    if (this.#length > MAX_BODY_BYTES) this.breakOff('endless')
  }

  onResponseEnd(): void {
    this.#end('whole')
  }

  onResponseError(_: unknown, error: unknown): void {
    if (error instanceof Error && error.message === 'bad upgrade') return this.#end('lost', SWITCHED)
    const isNoHttp = this.heard && codeOf(error) === 'ERR_ASSERTION'
    this.#end('lost', isNoHttp ? NO_HTTP : error)
  }

  /** Ends it early. `endless`: its body is longer than MAX_BODY_BYTES. */
  breakOff(end: 'timeout' | 'aborted' | 'endless'): void {
    this.#end(end)
    this.#controller?.abort(new Error('broken off'))
  }

  #end(end: End, error?: unknown): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#settled(this.#status === 0 ? this.#failure(end, error) : this.#answer(end), this)
  }

  #failure(end: End, error: unknown): Failure {
    const why = end === 'timeout' || end === 'aborted' ? end : 'error'
    return { kind: 'failure', why, begun: this.#controller !== undefined, error }
  }

  #answer(end: End): Exchange {
    return {
      kind: 'answer',
      status: this.#status,
      headers: this.#headers,
      body: this.#body(),
      length: this.#length,
      json: this.#json,
      end,
    }
  }

  #body(): Uint8Array {
    const [only, ...rest] = this.#chunks
    if (only === undefined) return new Uint8Array()
    return rest.length === 0 ? only : Buffer.concat(this.#chunks)
  }
}
