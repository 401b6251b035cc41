// What is said about a failure, and what it is made from: codes, never the messages of others, as these may quote an
// address.

import type { NetworkCause } from '../../core/outage-events.ts'

export interface Diagnosis {
  readonly found: string
  readonly remedy: string
  /** unusable: no retry heals it; ours: a defect of this program. */
  readonly nature: 'timeout' | 'network' | 'unusable' | 'ours'
  /** What was found, in the standard words. */
  readonly why: NetworkCause
}

/** An error's code, or that of the first of the errors it holds; never its message. */
export function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'unknown'
  if ('code' in error && typeof error.code === 'string' && error.code !== '') return error.code.slice(0, 80)
  if ('errors' in error && Array.isArray(error.errors) && error.errors.length > 0) return codeOf(error.errors[0])
  return error instanceof Error ? error.name.slice(0, 80) : 'unknown'
}
