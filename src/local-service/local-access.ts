// Who may ask the local service: programs, and its own page; not pages of other origins, by whatever name they reach this
// machine (CSRF, DNS rebinding). Paths under /_local want no key, so that their guard is the stricter.

import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import type { Context } from './context.ts'

type Guard = Pick<Context, 'host' | 'allowedOrigins'>

/** Names that no public name server answers for: a page cannot have been loaded under one from elsewhere. */
const OWN_DOMAINS = ['localhost', 'local', 'internal', 'test', 'svc', 'home.arpa']

/** Its last words are for requests without the header Origin, as for an image: they are refused even of an allowed page. */
const FOREIGN_PAGE =
  'pages of other origins may not use this service: serve --allow-origin ORIGIN names one that may, and its browser must say its Origin'

/** Why a request to any path is refused that a page of another origin sent. `undefined` when none did, or it is
 *  allowed. A program sends neither header, and is let through. */
export function pageFault(headers: Readonly<IncomingHttpHeaders>, guard: Guard): string | undefined {
  const { host, origin } = headers
  if (origin !== undefined && guard.allowedOrigins.has(origin)) return undefined
  if (origin !== undefined && !isOwnOrigin(origin, host, guard.host)) return FOREIGN_PAGE
  const site = headers['sec-fetch-site']
  return site === undefined || site === 'same-origin' || site === 'none' ? undefined : FOREIGN_PAGE
}

/** Why a request to a path under /_local is refused. `undefined` when it is not. */
export function accessFault(method: string, headers: Readonly<IncomingHttpHeaders>, guard: Guard): string | undefined {
  // no browser leaves Host out: what does is a program
  if (headers.host !== undefined && !isOwnName(nameIn(headers.host), guard.host)) {
    return 'paths under /_local are not served under this name: use an address, localhost, a name without dots, or the name given with --host'
  }
  return isVisit(method, headers) ? undefined : pageFault(headers, guard)
}

/** Tells a visit, which any page may cause: the person who follows its link reads the answer, and the page with the link cannot. */
function isVisit(method: string, headers: Readonly<IncomingHttpHeaders>): boolean {
  return (
    method === 'GET' &&
    headers.origin === undefined &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document'
  )
}

/** The name in a Host header, without port, brackets and the dot of the root, in small letters. */
function nameIn(host: string): string {
  return host
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
    .toLowerCase()
}

/** Tells whether others cannot point a name here. Any address will do, since DNS rebinding needs a name; so will an empty Host, under which
 *  no page can have been loaded. */
function isOwnName(name: string, listensAt: string): boolean {
  if (isIP(name) !== 0 || name === listensAt.toLowerCase()) return true
  if (!/^[\w-]+(?:\.[\w-]+)*$/.test(name)) return name === ''
  return !name.includes('.') || OWN_DOMAINS.some((domain) => name.endsWith(`.${domain}`))
}

/** Tells whether an origin is this service's own. Under a name that others may point here, even the same origin may
 *  be another's page. The service speaks HTTP alone: what is served by HTTPS under its name and port is another's. */
function isOwnOrigin(origin: string, host: string | undefined, listensAt: string): boolean {
  if (host === undefined || !isOwnName(nameIn(host), listensAt)) return false
  const asked = `http://${host}`
  return (
    /^http:\/\//i.test(origin) &&
    URL.canParse(origin) &&
    URL.canParse(asked) &&
    new URL(asked).host === new URL(origin).host
  )
}
