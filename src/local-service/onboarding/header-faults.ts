// What is wrong with the headers that the service document lists beside those that say who calls and what the body is
// (service-interface.md#onboarding-requests: A3, A7 to A9, A11).

import type { IncomingHttpHeaders } from 'node:http'

/** A reason for each. `content-type`: of a request without a body. */
export function headerFaults(headers: IncomingHttpHeaders, wanted: readonly (keyof typeof NAMES)[]): string[] {
  const { accept, referer, 'content-type': type } = headers
  const faults = {
    'content-type': contentTypeFault(type, 'application/json'),
    accept: accept === undefined ? 'is missing' : admitsJson(accept) ? undefined : 'must admit application/json',
    referer: referer === undefined ? 'is missing' : isPage(referer) ? undefined : 'must be the address of a page',
  }
  return wanted.flatMap((name) => (faults[name] === undefined ? [] : [`the header ${NAMES[name]} ${faults[name]}`]))
}

const NAMES = { accept: 'Accept', 'content-type': 'Content-Type', referer: 'Referer' } as const

const JSON_RANGES: ReadonlySet<string> = new Set(['application/json', 'application/*', '*/*'])

function admitsJson(accept: string): boolean {
  return accept.split(',').some((part) => {
    const [range, ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
    return JSON_RANGES.has(range!) && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
  })
}

/** The fault of a Content-Type, whose parameters may be any. `undefined` when it is the wanted one. */
export function contentTypeFault(type: string | undefined, wanted: string): string | undefined {
  if (type === undefined) return `must be ${wanted}: it is missing`
  return type.split(';', 1)[0]!.trim().toLowerCase() === wanted ? undefined : `must be ${wanted}: it is not`
}

function isPage(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text)
}
