// What may be told of an exchange and its failure to whoever looks for trouble: whom we talk to, and codes, never the
// messages of others, as these may quote an address; never a query, where keys are, never a body.

import type { NetworkCause } from '../../core/network.ts'
import type { Exchange } from './attempt.ts'
import type { Proxy } from './proxy.ts'

export interface ToldExchange {
  readonly method: string
  /** Without its query. */
  readonly path: string
  /** Of the answer; undefined: none came. */
  readonly status: number | undefined
  /** Why no answer came, in a word; undefined: one did. */
  readonly failure: string | undefined
  /** From the wish to send to the end of the answer. */
  readonly ms: number
  /** Data points in the request's body; undefined: it is no upsert. */
  readonly points: number | undefined
  /** Of the request's body. */
  readonly bytes: number
}

interface Told {
  readonly method: string
  readonly path: string
  readonly body?: Uint8Array
  readonly points?: number
}

export function toldExchange({ method, path, body, points }: Told, exchange: Exchange, ms: number): ToldExchange {
  return {
    method,
    path: path.replace(/[?#][^]*$/, ''),
    status: exchange.kind === 'answer' ? exchange.status : undefined,
    failure: exchange.kind === 'answer' ? undefined : failureOf(exchange),
    ms: Math.round(ms),
    points,
    bytes: body?.length ?? 0,
  }
}

function failureOf({ why, error }: Extract<Exchange, { kind: 'failure' }>): string {
  return why === 'error' ? codeOf(error) : why
}

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

export interface Target {
  /** scheme://host:port */
  readonly origin: string
  readonly clientId: number | string
  /** The option that names the address, for remedies: `import_url` or `sandbox_import_url`. */
  readonly addressOption: string
  /** What the way leads through. */
  readonly proxy?: Proxy | undefined
  /** What to do where answers take too long, without an end; absent: to raise the option that limits them. */
  readonly slowRemedy?: string | undefined
  /** Takes every form of every secret out of a text. */
  readonly scrub: (text: string) => string
}

/** `baseUrl` is shown no further than its origin. */
export function targetOf({
  baseUrl,
  clientId,
  addressOption,
  proxy,
  slowRemedy,
  scrub,
}: Omit<Target, 'origin'> & { baseUrl: string }): Target {
  return { origin: new URL(baseUrl).origin, clientId, addressOption, proxy, slowRemedy, scrub }
}
