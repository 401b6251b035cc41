// One HTTP attempt as undici reports it: deadline, abort, a bounded body, settled exactly once. undici calls onRequestStart once there is
// a connection, then those of the answer in their order, at last onResponseEnd or onResponseError. InFlight (attempts-in-flight.ts) calls
// breakOff at the deadline or when the signal aborts. What comes after the first ending is ignored.

import type { Dispatcher } from 'undici'
import { codeOf } from '../../core/errors.ts'
import type { JsonPieces } from '../../json/completeness.ts'
import { KEPT_BYTES, piecesOf, type HttpAnswer } from './answer.ts'
import type { Failure } from './failure.ts'

/** A longer body is read no further: its socket is destroyed. */
const MAX_BODY_BYTES = 16 * 1_048_576

export type Exchange = ({ readonly kind: 'answer' } & HttpAnswer) | Failure

/** Given in place of an assertion error that undici has while it reads an answer, such as one with the status 099. */
const NO_HTTP = Object.assign(new Error('the answer is not HTTP/1.1'), { code: 'HPE_INVALID_STATUS' })
/** Given in place of undici's error for a 101 that was not asked for, which only its message tells. */
const SWITCHED = Object.assign(new Error('another protocol'), { code: 'HPE_PAUSED_UPGRADE' })

type End = HttpAnswer['end']

export class Attempt implements Dispatcher.DispatchHandler {
  readonly signal: AbortSignal
  /** Milliseconds by the clock of InFlight. */
  readonly deadline: number
  /** Neighbours in the list of attempts in flight (attempts-in-flight.ts). */
  before: Attempt | undefined = undefined
  behind: Attempt | undefined = undefined
  /** Whether a byte of an answer came. */
  heard = false
  readonly #settled: (exchange: Exchange, attempt: Attempt) => void
  readonly #keptBytes: number
  #controller: Dispatcher.DispatchController | undefined
  #done = false
  /** 0 while no status line came. */
  #status = 0
  #headers: HttpAnswer['headers'] = {}
  #chunks: Buffer[] = []
  #kept = 0
  #length = 0
  /** The shape of the whole body. `undefined` while all of it is kept. */
  #json: JsonPieces | undefined

  /** @param settled called once: with an answer where a status line came in, however the body ended, else with why none did
   *  @param keptBytes of the answer's body */
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
    // it ended while it waited for a connection: throwing here keeps that connection, aborting would close it
    if (this.#done) throw new Error('broken off')
    this.#controller = controller
  }

  onResponseStarted(): void {
    this.heard = true
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: HttpAnswer['headers']): void {
    // a 1xx comes before the answer itself
    if (status < 200) return
    this.#status = status
    this.#headers = headers
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#done) return
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

  breakOff(end: 'timeout' | 'aborted' | 'endless'): void {
    this.#end(end)
    this.#controller?.abort(new Error('broken off'))
  }

  #end(end: End, error?: unknown): void {
    if (this.#done) return
    this.#done = true
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
