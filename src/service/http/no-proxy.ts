// Whether no_proxy exempts a target: hosts, .suffixes, *.suffixes, host:port, addresses, subnets, `*`. No name is looked up,
// so an address exempts only a target that is written as one.

import { isIP, BlockList } from 'net'

interface Entry {
  readonly host: string
  /** `undefined` when it is any port. */
  readonly port: number | undefined
  /** Whether it exempts only names below it, as `*.example.com` does. */
  readonly belowOnly: boolean
}

/** Tells whether a list exempts a target. A bare name exempts what is below it too, as in curl, Go and undici; an invalid entry
 *  exempts nothing.
 *  @param list the variable's text, entries between commas or white space */
export function isExempt(target: URL, list: string): boolean {
  const host = bare(target.hostname)
  const port = target.port === '' ? (target.protocol === 'https:' ? 443 : 80) : Number(target.port)
  return list.split(/[,\s]+/).some((text) => {
    const entry = readEntry(text)
    if (entry.host === '' || (entry.port !== undefined && entry.port !== port)) return false
    if (entry.host === '*') return true
    return isIP(host) > 0 ? holds(entry.host, host) : names(entry, host)
  })
}

function readEntry(text: string): Entry {
  const [, bracketed, bracketedPort] = /^\[([^\]]*)\](?::(\d+))?$/.exec(text) ?? []
  const [, plain, plainPort] = /^([^:]*):(\d+)$/.exec(text) ?? []
  const host = bare(bracketed ?? plain ?? text)
  const port = bracketedPort ?? plainPort
  return {
    host: host.replace(/^\*?\./, ''),
    port: port === undefined ? undefined : Number(port),
    belowOnly: host.startsWith('*.'),
  }
}

/** Lower case, without brackets and the dot of the root. */
function bare(host: string): string {
  const text = host.toLowerCase().replace(/^\[(.*)\]$/, '$1')
  return text.length > 1 ? text.replace(/\.$/, '') : text
}

function names({ host, belowOnly }: Entry, target: string): boolean {
  return (!belowOnly && target === host) || target.endsWith(`.${host}`)
}

/** Tells whether an address, or a subnet like 10.0.0.0/8, holds the target. */
function holds(text: string, target: string): boolean {
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
