// Checks the address of a service. Messages quote no more of it than its host.

import { isThisMachine } from './this-machine.ts'
import { shownName } from './findings.ts'

/** `httpHost`: set if http: is the only problem. */
export type Address = { readonly url: string } | { readonly problem: string; readonly httpHost?: string }

/** Words for the secrets that must not be in an address, the option for them, and the option that allows http:. */
interface SecretOptions {
  readonly secret: string
  readonly option: string
  /** `undefined` when no option allows it. */
  readonly allow: string | undefined
}

const KEY: SecretOptions = { secret: 'the key', option: 'api_key', allow: 'allow_insecure_http' }

/** `url`: normalised, without a slash at the end. `allowHttp`: also beyond this machine
 *  (decisions.md#no-address-has-a-default). */
export function readAddress(text: string, allowHttp: boolean, kept: SecretOptions = KEY): Address {
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
  if (url.protocol === 'http:' && !allowHttp && !isThisMachine(url.hostname.replace(/^\[(.*)\]$/, '$1'))) {
    return {
      httpHost: url.hostname,
      problem: `uses http:, which would send ${kept.secret} unencrypted to ${url.hostname}: use https:${kept.allow === undefined ? '' : `, or set ${kept.allow}`}`,
    }
  }
  return { url: url.href.replace(/\/+$/, '') }
}

/** The `url` of an address that `readAddress` has taken. */
export function urlOf(text: string): string {
  const read = readAddress(text, true)
  if ('problem' in read) throw new TypeError(`The address ${read.problem}.`)
  return read.url
}

/** Words for what stands in front, and for what to write: a text that is neither a scheme nor a host's name may be a key. */
function begunOtherwise(text: string): string {
  const scheme = /^[a-z][a-z+.-]{0,9}:\/\//i.exec(text)?.[0]
  if (scheme !== undefined) return `found ${scheme}`
  const [host = '', name = ''] = /^([a-z\d-]+(?:\.[a-z\d-]+)+|localhost)(?::\d{1,5})?/.exec(text) ?? []
  const shown = host === '' || shownName(name) !== name ? 'host.example.com' : host
  return `found neither; write ${isThisMachine(name) ? 'http' : 'https'}://${shown}`
}

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
