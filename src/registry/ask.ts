// One question to a registry and what came back: what whoever speaks HTTP has to bring along. Types only. Knows no schema.

import type { NetworkCause } from '../core/outage-events.ts'

/** One attempt. Resolves also when `signal` aborts, with whatever. Redirects are not followed.
 *  @param path below the registry's address, with its query
 *  @throws ConnectorError when no attempt can ever succeed: a certificate nobody trusts */
export type Ask = (path: string, signal: AbortSignal) => Promise<Asked>

/** failed: no whole answer came: what was found, without a full stop. remedy: what to do if it stays so, a sentence. why:
 *  what was found, in the standard words. */
export type Asked = Answered | { readonly failed: string; readonly remedy?: string; readonly why?: NetworkCause }

export interface Answered {
  readonly status: number
  /** Its text; undefined: it is no UTF-8. */
  readonly body: string | undefined
  /** Whether the body is longer, and this only its beginning. */
  readonly isCut: boolean
  /** What the registry says about it in its own words, one line, scrubbed; '' if nothing. For errors. */
  readonly words: string
  /** Retry-After, counted from now; undefined: there is none, or none that can be used. */
  readonly retryAfterMs: number | undefined
  /** The origin a redirect leads to, scrubbed. */
  readonly leadsTo: string | undefined
}
