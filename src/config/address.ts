// Checks the address of a service. Messages quote at most its scheme, host and port.

import { isIPv4 } from 'node:net'
import { shownName } from './findings.ts'

/** An address, or what is wrong with it. `url` has no slash at its end. `httpHost` is the host of an address whose only fault is http:. */
export type Address = { readonly url: string } | { readonly problem: string; readonly httpHost?: string }

/** A secret that is sent to an address: it must not stand in the address, nor travel unencrypted. */
interface SentSecret {
  /** Words for it. */
  readonly secret: string
  /** The option that it belongs in. */
  readonly option: string
  /** The option that allows http:. `undefined` when none does. */
  readonly allow: string | undefined
}

const API_KEY: SentSecret = { secret: 'the key', option: 'api_key', allow: 'allow_insecure_http' }

/** Reads an address that a secret is sent to.
 *  @param allowsHttp whether http: is allowed to other machines, as it always is to this one (decisions.md#no-address-has-a-default) */
export function readAddress(text: string, allowsHttp: boolean, sent: SentSecret = API_KEY): Address {
  const trimmed = text.trim()
  if (trimmed === '') return { problem: 'is empty' }
  if (trimmed.length > 2_048) return { problem: 'is longer than 2,048 characters' }
  if (!/^https?:/i.test(trimmed))
    return {
      problem: `must begin with https://, or with http:// for a service on this machine: ${foundInstead(trimmed)}`,
    }
  // a URL parser would repair these, perhaps not as the user meant
  // oxlint-disable-next-line no-control-regex
  if (!/^https?:\/\/[^/\\]/i.test(trimmed) || /[\s\\\u0000-\u001f\u007f]/.test(trimmed) || !URL.canParse(trimmed))
    return { problem: 'is not an address like https://host.example.com' }
  const url = new URL(trimmed)
  const surplus = surplusOf(url, trimmed, sent)
  if (surplus !== undefined) return { problem: surplus }
  // a URL has an IPv6 address in brackets
  if (url.protocol === 'http:' && !allowsHttp && !isThisMachine(url.hostname.replace(/^\[(.*)\]$/, '$1')))
    return {
      httpHost: url.hostname,
      problem: `uses http:, which would send ${sent.secret} unencrypted to ${url.hostname}: use https:${sent.allow === undefined ? '' : `, or set ${sent.allow}`}`,
    }
  return { url: urlOf(trimmed) }
}

/** Whether a host is this machine, so that what is sent there cannot be read on the way: localhost, 127.0.0.0/8, ::1.
 *  @param host a name or an IP address, IPv6 without brackets */
export function isThisMachine(host: string): boolean {
  return /^(?:localhost|::1)$/i.test(host) || (host.startsWith('127.') && isIPv4(host))
}

/** Normalises an address that `readAddress` has accepted, to its `url`. */
export function urlOf(text: string): string {
  return new URL(text.trim()).href.replace(/\/+$/, '')
}

/** Words for what stands where http:// or https:// should: another scheme, or a host as in `example.com:8080`; and for what to write. A
 *  text that begins with neither may be a key, and is not shown. */
function foundInstead(text: string): string {
  const scheme = /^[a-z][a-z+.-]{0,9}:\/\//i.exec(text)?.[0]
  if (scheme !== undefined) return `found ${scheme}`
  const [hostAndPort = '', host = ''] = /^([a-z\d-]+(?:\.[a-z\d-]+)+|localhost)(?::\d{1,5})?/.exec(text) ?? []
  const shown = hostAndPort === '' || shownName(host) !== host ? 'host.example.com' : hostAndPort
  return `found neither; write ${isThisMachine(host) ? 'http' : 'https'}://${shown}`
}

/** The problem of an address that has a part too many, such as a password or a query. `undefined` when it has none.
 *  @param text that `url` was parsed from: the parser drops an empty user name, `?` or `#` */
function surplusOf(url: URL, text: string, { secret, option }: SentSecret): string | undefined {
  if (url.username !== '' || url.password !== '' || /^[^/]*\/\/[^/?#]*@/.test(text))
    return `must contain no user name and no password: ${secret} belongs in ${option}`
  if (text.includes('?')) return `must contain no query: ${secret} belongs in ${option}`
  if (text.includes('#')) return 'must contain no fragment (#…)'
  if (/^\/_local(?:\/|$)/.test(url.pathname))
    return `is that of the page of the local service: write ${url.origin}, without /_local`
  return undefined
}
