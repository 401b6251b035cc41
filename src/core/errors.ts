// The one error that stops a run, in words for the user.

import type { Code } from './codes.ts'

/** config: the user must change something, a retry is useless; transient: a later run may succeed; system: anything else. */
export type ErrorKind = 'config' | 'transient' | 'system'

/** The stream or topic that an error is about. */
export interface Subject {
  readonly name: string
  readonly namespace?: string | undefined
}

/** Makes a message of our words and quoted ones. It calls `said` with each text that quotes others, such as a service, colon or brackets
 *  included, because quoted words may repeat data of records; `said` returns what is to stand in their place. */
export type MessageParts = (said: (words: string) => string) => string

/** The message with quoted words, as it goes into a log or a TRACE. */
export function wholeMessage(message: MessageParts): string {
  return message((words) => words)
}

/** The code of an error that has none, as those of `serve` and `onboard`. */
export const NO_CODE = undefined

/** The one error that stops a run. Its `message` says what failed, what was found and what to do, without secrets. */
export class ConnectorError extends Error {
  override readonly name = 'ConnectorError'
  readonly kind: ErrorKind
  readonly code: Code | undefined
  readonly track: Subject | undefined
  readonly #parts: MessageParts

  /** @param message a string if it quotes nothing */
  constructor(
    kind: ErrorKind,
    code: Code | undefined,
    message: string | MessageParts,
    options: { cause?: unknown; track?: Subject | undefined } = {},
  ) {
    const parts = typeof message === 'string' ? () => message : message
    super(wholeMessage(parts), options.cause === undefined ? undefined : { cause: options.cause })
    this.#parts = parts
    this.kind = kind
    this.code = code
    this.track = options.track
  }

  /** The message without quoted words, for summary and report. */
  get ownWords(): string {
    return this.#parts((words) => (words === '' ? '' : ' (its words are in the log)'))
  }

  /** Makes the same error without secrets, which `scrub` takes out. */
  scrubbed(scrub: (text: string) => string): ConnectorError {
    const { kind, code, cause, track } = this
    return new ConnectorError(kind, code, (said) => scrub(this.#parts(said)), { cause, track })
  }
}

/** The error itself if it is a ConnectorError, else one that calls it an unexpected fault of the program. */
export function asConnectorError(error: unknown): ConnectorError {
  if (error instanceof ConnectorError) return error
  const message = error instanceof Error ? error.message : String(error)
  const parts: MessageParts = (said) => `An unexpected fault stopped the run${said(`: ${message.replace(/\.$/, '')}`)}.`
  return new ConnectorError('system', 'program.fault', parts, { cause: error })
}

/** Most characters of a code, which a library or a server may have chosen. */
const LONGEST_CODE = 80

/** An error's code, such as ECONNREFUSED, or that of the first in an AggregateError; else its name, as its message may hold anything. */
export function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'unknown'
  if ('code' in error && typeof error.code === 'string' && error.code !== '') return error.code.slice(0, LONGEST_CODE)
  if ('errors' in error && Array.isArray(error.errors) && error.errors.length > 0) return codeOf(error.errors[0])
  return error instanceof Error ? error.name.slice(0, LONGEST_CODE) : 'unknown'
}
