// Which endpoint a request line names (service-interface.md#import-requests, service-interface.md#our-own-paths).

import { localPath, type LocalRoute } from './local-paths.ts'
import { onboardingPath, type OnboardingRoute } from './onboarding/answer-call.ts'
import { percentDecoded } from './path-table.ts'

export type Route =
  | { readonly kind: 'status'; readonly sandbox: boolean }
  | ({ readonly kind: 'authenticate' } & ImportRoute)
  /** An upsert. `table` is `undefined` when its percent-encoding is malformed. */
  | ({ readonly kind: 'upsert'; readonly table: string | undefined } & ImportRoute)
  | LocalRoute
  | OnboardingRoute
  | { readonly kind: 'none'; readonly reason: string }

export interface ImportRoute {
  readonly sandbox: boolean
  /** The client as in the path, percent-decoded. `undefined` when malformed. */
  readonly client: string | undefined
  readonly query: string
}

/** The routes at one path, by the methods it is served for. */
type Methods = Readonly<Record<string, Route>>

const ORIGIN = /^https?:\/\/[^/?]*/i
const UNKNOWN = 'there is no such path'

/** The path in the request line's target, which is in origin or absolute form. */
export function pathOf(target: string): string {
  return splitTarget(target).path
}

function splitTarget(target: string): { readonly path: string; readonly query: string } {
  const relative = target.replace(ORIGIN, '')
  const mark = relative.indexOf('?')
  if (mark === -1) return { path: relative || '/', query: '' }
  return { path: relative.slice(0, mark) || '/', query: relative.slice(mark + 1) }
}

/** Tells whether it is one of our own paths, served or not (`localPath`, local-paths.ts, finds what one of them serves). */
export function isLocalPath(path: string): boolean {
  return path === '/_local' || path.startsWith('/_local/')
}

/** Finds the endpoint that a request line names.
 *  @param target in origin or absolute form */
export function routeOf(method: string, target: string): Route {
  const { path, query } = splitTarget(target)
  const segments = path.split('/').slice(1)
  const ownOrImport = segments[0] === '_local' ? localPath : importPath
  // no path has routes of both
  const found = onboardingPath(segments, query) ?? ownOrImport(segments, query)
  if (found === undefined) return { kind: 'none', reason: whyUnknown(segments) }
  const route = Object.hasOwn(found, method) ? found[method] : undefined
  return route ?? { kind: 'none', reason: `${method} is not served here: use ${Object.keys(found).join(' or ')}` }
}

function importPath(path: readonly string[], query: string): Methods | undefined {
  const sandbox = path[0] === 'sandbox'
  const segments = path.slice(sandbox ? 1 : 0)
  if (segments.length === 0 || (segments.length === 1 && segments[0] === ''))
    return { GET: { kind: 'status', sandbox } }
  const [version, noun, rawClient = '', what, rawTable = '', data] = segments
  if (version !== 'v2' || noun !== 'client') return undefined
  const client = percentDecoded(rawClient)
  if (what === 'authenticate' && segments.length === 4) {
    return { GET: { kind: 'authenticate', sandbox, client, query } }
  }
  if (what === 'table' && data === 'data' && segments.length === 6) {
    return { POST: { kind: 'upsert', sandbox, client, table: percentDecoded(rawTable), query } }
  }
  return undefined
}

function whyUnknown(segments: readonly string[]): string {
  const [first, second] = segments
  // as where a client was given http://localhost:8080/_local as the address, for http://localhost:8080
  if (first === '_local' && second === 'v2')
    return `${UNKNOWN}: /_local is the page, and the import address ends before it`
  const [version, noun] = first === 'sandbox' ? segments.slice(1) : segments
  return version === 'v1' && noun === 'client'
    ? 'the import interface v1 is not served here: use v2, /v2/client/{cid}/…'
    : UNKNOWN
}
