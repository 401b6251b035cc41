// Checks the address of a service. Messages quote no more of it than its host.

import { isIPv4 } from 'node:net'

import { shownName } from './findings.ts'

/** `url` is normalised, without a slash at the end. `httpHost` is there if http: is the only problem. */
export type Address = { readonly url: string } | { readonly problem: string; readonly httpHost?: string }

/** Words for the secrets that must not be in an address, the option for them, and the option that allows http:. */
interface SecretOptions {
  readonly secret: string
  readonly option: string
  /** `undefined` when no option allows it. */
  readonly allow: string | undefined
}

const KEY: SecretOptions = { secret: 'the key', option: 'api_key', allow: 'allow_insecure_http' }

/** Reads an address that something secret is sent to.
 *  @param allowsHttp beyond this machine too (decisions.md#no-address-has-a-default)
 *  @param kept what an address must not hold or send unencrypted */
export function readAddress(text: string, allowsHttp: boolean, kept: SecretOptions = KEY): Address {
  const trimmed = text.trim()
  if (trimmed === '') return { problem: 'is empty' }
  if (trimmed.length > 2_048) return { problem: 'is longer than 2,048 characters' }
  if (!/^https?:/i.test(trimmed))
    return {
      problem: `must begin with https://, or with http:// for a service on this machine: ${begunOtherwise(trimmed)}`,
    }
  // a URL parser would repair these, perhaps not as the user meant
  // oxlint-disable-next-line no-control-regex
  if (!/^https?:\/\/[^/\\]/i.test(trimmed) || /[\s\\\u0000-\u001f\u007f]/.test(trimmed) || !URL.canParse(trimmed)) {
    return { problem: 'is not an address like https://host.example.com' }
  }
  const url = new URL(trimmed)
  const surplus = surplusOf(url, trimmed, kept)
  if (surplus !== undefined) return { problem: surplus }
  if (url.protocol === 'http:' && !allowsHttp && !isThisMachine(url.hostname.replace(/^\[(.*)\]$/, '$1'))) {
    return {
      httpHost: url.hostname,
      problem: `uses http:, which would send ${kept.secret} unencrypted to ${url.hostname}: use https:${kept.allow === undefined ? '' : `, or set ${kept.allow}`}`,
    }
  }
  return { url: urlOf(trimmed) }
}

/** Whether a host is this machine, so that what is sent there cannot be read on the way: localhost, 127.0.0.0/8, ::1.
 *  @param host without brackets */
export function isThisMachine(host: string): boolean {
  return /^(?:localhost|::1)$/i.test(host) || (host.startsWith('127.') && isIPv4(host))
}

/** The `url` of an address that `readAddress` takes. */
export function urlOf(text: string): string {
  return new URL(text.trim()).href.replace(/\/+$/, '')
}

/** Words for what an address without http begins with, and for what to write. A text that is neither a scheme nor a host's name may
 *  be a key, and is not shown. */
function begunOtherwise(text: string): string {
  const scheme = /^[a-z][a-z+.-]{0,9}:\/\//i.exec(text)?.[0]
  if (scheme !== undefined) return `found ${scheme}`
  const [host = '', name = ''] = /^([a-z\d-]+(?:\.[a-z\d-]+)+|localhost)(?::\d{1,5})?/.exec(text) ?? []
  const shown = host === '' || shownName(name) !== name ? 'host.example.com' : host
  return `found neither; write ${isThisMachine(name) ? 'http' : 'https'}://${shown}`
}

/** The problem of what an address has too much. `undefined` when there is none. */
function surplusOf(url: URL, text: string, { secret, option }: SecretOptions): string | undefined {
  if (url.username !== '' || url.password !== '' || /^[^/]*\/\/[^/?#]*@/.test(text)) {
    return `must contain no user name and no password: ${secret} belongs in ${option}`
  }
  if (text.includes('?')) return `must contain no query: ${secret} belongs in ${option}`
  if (text.includes('#')) return 'must contain no fragment (#…)'
  if (/^\/_local(?:\/|$)/.test(url.pathname))
    return `is that of the page of the local service: write ${url.origin}, without /_local`
  return undefined
}
