// Decides who may use the local service: programs, its own page, and pages of allowed origins; no page of another origin, by whatever name
// it reaches this machine (CSRF, DNS rebinding). Paths under /_local ask for no key, so they are also refused under unsafe names.

import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import type { Context } from './context.ts'

/** The options that decide. `host` is the name or address at which the service listens (serve --host). */
type Guard = Pick<Context, 'host' | 'allowedOrigins'>

/** Names that no public name server answers for: a page cannot have been loaded under one from elsewhere. */
const OWN_DOMAINS = ['localhost', 'local', 'internal', 'test', 'svc', 'home.arpa']

/** Ends with advice for a request without the header Origin, as for an image: it is refused even when an allowed page sends it. */
const FOREIGN_PAGE =
  'pages of other origins may not use this service: serve --allow-origin ORIGIN names one that may, and its browser must say its Origin'

/** Says why a request is refused that a page of another origin sent, to whatever path. `undefined` when it is let through, as a program's
 *  is, which has neither Origin nor Sec-Fetch-Site, or one for an address that the user typed (`none`). */
export function pageFault(headers: Readonly<IncomingHttpHeaders>, guard: Guard): string | undefined {
  const { host, origin } = headers
  if (origin !== undefined && guard.allowedOrigins.has(origin)) return undefined
  if (origin !== undefined && !isOwnOrigin(origin, host, guard.host)) return FOREIGN_PAGE
  const site = headers['sec-fetch-site']
  return site === undefined || site === 'same-origin' || site === 'none' ? undefined : FOREIGN_PAGE
}

/** Says why a request to a path under /_local is refused. `undefined` when it is let through. */
export function accessFault(method: string, headers: Readonly<IncomingHttpHeaders>, guard: Guard): string | undefined {
  // what sends no Host is a program, for every browser sends it
  if (headers.host !== undefined && !isOwnName(nameIn(headers.host), guard.host)) {
    return 'paths under /_local are not served under this name: use an address, localhost, a name without dots, or the name given with --host'
  }
  return isVisit(method, headers) ? undefined : pageFault(headers, guard)
}

/** Tells whether a request opens a page of ours in a tab, as following a link does. Any page may cause that: it cannot read the answer. */
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

/** Tells whether a name is safe: no name server of others can make it lead to this machine. Any IP address is safe, since DNS
 *  rebinding needs a name; so is an empty Host, under which no page can have been loaded. */
function isOwnName(name: string, serveHost: string): boolean {
  if (isIP(name) !== 0 || name === serveHost.toLowerCase()) return true
  if (!/^[\w-]+(?:\.[\w-]+)*$/.test(name)) return name === ''
  return !name.includes('.') || OWN_DOMAINS.some((domain) => name.endsWith(`.${domain}`))
}

/** Tells whether an origin is this service's own. Under a name that is not safe, even a page of the same origin may come from elsewhere.
 *  So does a page that was loaded by HTTPS, which this service does not speak. */
function isOwnOrigin(origin: string, host: string | undefined, serveHost: string): boolean {
  if (host === undefined || !isOwnName(nameIn(host), serveHost)) return false
  const own = `http://${host}`
  return (
    /^http:\/\//i.test(origin) &&
    URL.canParse(origin) &&
    URL.canParse(own) &&
    new URL(own).host === new URL(origin).host
  )
}
