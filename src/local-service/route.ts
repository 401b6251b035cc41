// Finds the endpoint that a request line names (service-interface.md#import-requests, service-interface.md#our-own-paths).

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
  /** Whether the path is in the sandbox, which stores nothing. */
  readonly sandbox: boolean
  /** The client as in the path, percent-decoded. `undefined` when malformed. */
  readonly client: string | undefined
  readonly query: string
}

/** The routes at one path, by their methods. */
type RoutesByMethod = Readonly<Record<string, Route>>

const ORIGIN = /^https?:\/\/[^/?]*/i
const UNKNOWN = 'there is no such path'

/** The path in the target of a request line, which may be a whole address too (absolute form): `/v2` of `http://localhost:80/v2?a=b`. */
export function pathOf(target: string): string {
  return splitTarget(target).path
}

function splitTarget(target: string): { readonly path: string; readonly query: string } {
  const relative = target.replace(ORIGIN, '')
  const mark = relative.indexOf('?')
  if (mark === -1) return { path: relative || '/', query: '' }
  return { path: relative.slice(0, mark) || '/', query: relative.slice(mark + 1) }
}

/** Tells whether a path is under /_local, whether it is served or not. */
export function isLocalPath(path: string): boolean {
  return path === '/_local' || path.startsWith('/_local/')
}

/** Finds the endpoint that a request line names.
 *  @param target a path with its query, or a whole address */
export function routeOf(method: string, target: string): Route {
  const { path, query } = splitTarget(target)
  const segments = path.split('/').slice(1)
  const otherPath = segments[0] === '_local' ? localPath : importPath
  // no path of the onboarding interface is also one of the others
  const routes = onboardingPath(segments, query) ?? otherPath(segments, query)
  if (routes === undefined) return { kind: 'none', reason: whyUnknown(segments) }
  const route = Object.hasOwn(routes, method) ? routes[method] : undefined
  return route ?? { kind: 'none', reason: `${method} is not served here: use ${Object.keys(routes).join(' or ')}` }
}

/** Finds the routes of imports: `/`, `/v2/client/7/authenticate`, `/v2/client/7/table/orders/data`, each also behind `/sandbox`. */
function importPath(path: readonly string[], query: string): RoutesByMethod | undefined {
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
  // the address of the page was configured as the import address: http://localhost:8080/_local for http://localhost:8080
  if (first === '_local' && second === 'v2')
    return `${UNKNOWN}: /_local is the page, and the import address ends before it`
  const [version, noun] = first === 'sandbox' ? segments.slice(1) : segments
  return version === 'v1' && noun === 'client'
    ? 'the import interface v1 is not served here: use v2, /v2/client/{cid}/…'
    : UNKNOWN
}
