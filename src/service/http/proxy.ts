// Finds the proxy that the environment sets for an address, if any. Messages never quote the value of a variable, which may hold a password.

import { isIP, BlockList } from 'node:net'
import { ConnectorError } from '../../core/errors.ts'
import { Secret } from '../../core/secret.ts'
import type { Scrubber } from '../../secrets/scrubber.ts'

export interface Proxy {
  /** scheme://host:port, without user and password. */
  readonly origin: string
  /** The variable that names it, for remedies. */
  readonly variable: string
  /** The value of Proxy-Authorization. */
  readonly authorization: Secret | undefined
}

/** The proxy on the way to an address, and its secrets for the scrubber; or a problem, in words that begin with a variable's name. */
type ProxyRoute =
  | { readonly proxy: Proxy | undefined; readonly secrets: readonly string[] }
  | { readonly problem: string }

export type Environment = Readonly<Record<string, string | undefined>>

/** The way to an address without a proxy. */
export const DIRECT = { proxy: undefined, secrets: [] }

/** Reads https_proxy for https:, http_proxy for http:, and no_proxy. Lower case takes precedence over upper case, even if it is empty.
 *  This machine is never reached through a proxy. Never throws.
 *  @param baseUrl an address that can be used (src/config/address.ts) */
export function routeTo(baseUrl: string, environment: Environment): ProxyRoute {
  const target = new URL(baseUrl)
  const [variable, value] = readVariable(environment, target.protocol === 'https:' ? 'https_proxy' : 'http_proxy')
  if (value === '' || isLoopback(target.hostname)) return DIRECT
  if (isExempt(target, readVariable(environment, 'no_proxy')[1])) return DIRECT
  // "proxy.example.com:3128" is common; a URL parser would take the host for a scheme
  const text = value.includes('://') ? value : `http://${value}`
  if (!URL.canParse(text)) return { problem: `${variable} ${NO_ADDRESS}` }
  const url = new URL(text)
  const { protocol } = url
  if (protocol !== 'http:' && protocol !== 'https:')
    return { problem: `${variable} names a proxy of the kind ${protocol}, which is not supported: use http: or https:` }
  if (url.hostname === '' || url.pathname !== '/' || url.search !== '' || url.hash !== '')
    return { problem: `${variable} ${NO_ADDRESS}` }
  const user = decoded(url.username)
  const password = decoded(url.password)
  const secret = password === '' ? user : password
  return {
    proxy: {
      origin: `${protocol}//${url.hostname}:${portOf(url)}`,
      variable,
      authorization: secret === '' ? undefined : new Secret(basic(user, password)),
    },
    secrets: secret === '' ? [] : [...new Set([secret, basic(user, password).slice('Basic '.length)])],
  }
}

function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port)
  return protocol === 'https:' ? 443 : 80
}

const NO_ADDRESS =
  'is not an address like http://proxy.example.com:3128 (with http://USER:PASSWORD@… user and password must be percent-encoded)'

/** Reads a variable in lower or upper case. Its value is '' when it is not set. */
function readVariable(environment: Environment, lowerCase: string): [name: string, value: string] {
  const upperCase = lowerCase.toUpperCase()
  const name = environment[lowerCase] === undefined && environment[upperCase] !== undefined ? upperCase : lowerCase
  return [name, environment[name]?.trim() ?? '']
}

/** Whether a host is this machine: localhost, 127.0.0.0/8, [::1]. */
function isLoopback(hostname: string): boolean {
  return /^(localhost|(.*\.)?localhost\.?|\[::1\]|127(?:\.\d+){3})$/.test(hostname)
}

/** Decodes percent-encoding; a text with a stray % stays as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}

/** The proxy for an address, whose secrets the scrubber has learnt. `undefined` when there is none.
 *  @throws ConnectorError config when the environment names one that cannot be used */
export function serviceRoute(
  baseUrl: string,
  { env, scrubber }: { readonly env: Environment; readonly scrubber: Scrubber },
): Proxy | undefined {
  const route = routeTo(baseUrl, env)
  if ('problem' in route)
    throw new ConnectorError('config', 'config.variable', `The environment cannot be used: ${route.problem}.`)
  scrubber.learn(route.secrets)
  return route.proxy
}

export function throughProxy({ origin, variable }: Proxy): string {
  return `The service is reached through the proxy ${origin} (${variable}).`
}

/** An entry of no_proxy. */
interface Entry {
  readonly host: string
  /** `undefined` when it is any port. */
  readonly port: number | undefined
  /** Whether it exempts only names below it, as `*.example.com` does. */
  readonly belowOnly: boolean
}

/** Whether no_proxy exempts a target: by hosts, .suffixes, *.suffixes, host:port, addresses, subnets or `*`. No name is looked up,
 *  so an address exempts only a target that is written as one. A bare name exempts what is below it too, as in curl, Go and undici; an
 *  invalid entry exempts nothing.
 *  @param list the variable's text, entries between commas or white space */
export function isExempt(target: URL, list: string): boolean {
  const host = plainHost(target.hostname)
  const port = portOf(target)
  return list.split(/[,\s]+/).some((text) => {
    const entry = readEntry(text)
    if (entry.host === '' || (entry.port !== undefined && entry.port !== port)) return false
    if (entry.host === '*') return true
    return isIP(host) > 0 ? addressFits(entry.host, host) : nameFits(entry, host)
  })
}

function readEntry(text: string): Entry {
  const [, bracketed, bracketedPort] = /^\[([^\]]*)\](?::(\d+))?$/.exec(text) ?? []
  const [, plain, plainPort] = /^([^:]*):(\d+)$/.exec(text) ?? []
  const host = plainHost(bracketed ?? plain ?? text)
  const port = bracketedPort ?? plainPort
  return {
    host: host.replace(/^\*?\./, ''),
    port: port === undefined ? undefined : Number(port),
    belowOnly: host.startsWith('*.'),
  }
}

/** A host in lower case, without brackets and the dot of the root. */
function plainHost(host: string): string {
  const text = host.toLowerCase().replace(/^\[(.*)\]$/, '$1')
  return text.length > 1 ? text.replace(/\.$/, '') : text
}

function nameFits({ host, belowOnly }: Entry, target: string): boolean {
  return (!belowOnly && target === host) || target.endsWith(`.${host}`)
}

/** Whether an entry is the target's address, or a subnet with it like 10.0.0.0/8. */
function addressFits(text: string, target: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0 || (prefix !== undefined && !/^\d{1,3}$/.test(prefix))) return false
  const bits = version === 4 ? 32 : 128
  const length = prefix === undefined ? bits : Number(prefix)
  if (length > bits) return false
  const block = new BlockList()
  block.addSubnet(address, length, version === 4 ? 'ipv4' : 'ipv6')
  return block.check(target, isIP(target) === 4 ? 'ipv4' : 'ipv6')
}
