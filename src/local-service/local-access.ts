// Who may ask for paths under /_local, which want no key: programs, and the page itself; not pages of other origins, by
// whatever name they reach this machine (CSRF, DNS rebinding). Knows no endpoint.

import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'

/** Names that no public name server answers for: a page cannot have been loaded under one from elsewhere. */
const OWN_DOMAINS = ['localhost', 'local', 'internal', 'test', 'svc', 'home.arpa']

/** Why a request is refused; undefined: it is not. `listensAt`: the host the local service was told to listen at. */
export function accessFault(
  method: string,
  headers: Readonly<IncomingHttpHeaders>,
  listensAt: string,
): string | undefined {
  const { host, origin } = headers
  if (host !== undefined && !isOwnName(nameIn(host), listensAt)) {
    return 'paths under /_local are not served under this name: use an address, localhost, a name without dots, or the name given with --host'
  }
  if (origin !== undefined && !isSameOrigin(origin, host))
    return 'pages of other origins may not use paths under /_local'
  const site = headers['sec-fetch-site']
  if (site === undefined || site === 'same-origin' || site === 'none') return undefined
  // Somebody who follows a link sees what is there; the page with the link does not.
  const isVisit =
    method === 'GET' && headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'
  return isVisit ? undefined : 'pages of other origins may not use paths under /_local'
}

/** Without the port; in brackets: an IPv6 address. */
function nameIn(host: string): string {
  return host
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
    .toLowerCase()
}

function isOwnName(name: string, listensAt: string): boolean {
  if (isIP(name) !== 0 || name === listensAt.toLowerCase()) return true
  if (!/^[\w-]+(?:\.[\w-]+)*$/.test(name)) return name === ''
  return !name.includes('.') || OWN_DOMAINS.some((domain) => name.endsWith(`.${domain}`))
}

function isSameOrigin(origin: string, host: string | undefined): boolean {
  if (host === undefined || !/^https?:\/\//i.test(origin) || !URL.canParse(origin)) return false
  const { protocol, host: found } = new URL(origin)
  const asked = `${protocol}//${host}`
  return URL.canParse(asked) && new URL(asked).host === found
}
