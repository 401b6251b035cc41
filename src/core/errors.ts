// The one error that stops a run, in words for the user.

import type { Code } from './codes.ts'

/** config: the user must change something, a retry is useless; transient: a later run may succeed; system: ours. */
export type ErrorKind = 'config' | 'transient' | 'system'

/** The stream an error is about. */
export interface Subject {
  readonly name: string
  readonly namespace?: string | undefined
}

/** What stops a run. `message`: what failed, what was found, what to do; never a secret, never record data. */
export class ConnectorError extends Error {
  override readonly name = 'ConnectorError'
  readonly kind: ErrorKind
  /** undefined: of `serve` and `onboard`, which have none. */
  readonly code: Code | undefined
  readonly track: Subject | undefined

  constructor(
    kind: ErrorKind,
    code: Code | undefined,
    message: string,
    options: { cause?: unknown; track?: Subject | undefined } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.kind = kind
    this.code = code
    this.track = options.track
  }
}

export function asConnectorError(error: unknown): ConnectorError {
  if (error instanceof ConnectorError) return error
  const message = error instanceof Error ? error.message : String(error)
  return new ConnectorError('system', 'program.fault', `An unexpected fault stopped the run: ${message}`, {
    cause: error,
  })
}

/** An error's code, or that of the first of the errors it holds; never its message. */
export function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'unknown'
  if ('code' in error && typeof error.code === 'string' && error.code !== '') return error.code.slice(0, 80)
  if ('errors' in error && Array.isArray(error.errors) && error.errors.length > 0) return codeOf(error.errors[0])
  return error instanceof Error ? error.name.slice(0, 80) : 'unknown'
}
