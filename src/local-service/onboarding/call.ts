// One request of interface A as its endpoint sees it, and what the endpoints of one client have in common: first the token,
// then the client in the path, then the endpoint.

import type { IncomingHttpHeaders } from 'node:http'
import { refusal } from '../answers.ts'
import type { Answer } from '../types.ts'
import { callerByToken } from './identify.ts'
import type { Caller } from './identify.ts'
import type { Onboarding } from './onboarding.ts'
import type { Received } from './read-json.ts'
import type { Client } from './records.ts'
import type { OnboardingRoute } from './route.ts'

export interface Call extends Received {
  readonly route: OnboardingRoute
  /** The address at which the service was reached, without a slash at the end. */
  readonly origin: string
}

/** 401, 404, or what `act` answers. `identify`: how the caller has to say who it is. */
export function onClient(
  call: Call,
  onboarding: Onboarding,
  act: (client: Client) => Answer,
  identify: (...it: Parameters<typeof callerByToken>) => Caller | Answer = callerByToken,
): Answer {
  const caller = identify(call.headers, onboarding.records, onboarding.now())
  if ('status' in caller) return caller
  const { clients } = onboarding
  const id = clients.named(call.route.client)
  const client = id === undefined ? undefined : clients.get(id)
  return client ? act(client) : refusal(404, ['the client id in the path is not one of this service'])
}

// What is wrong with the headers that the service document lists beside those that say who calls and what the body is
// (service-interface.md#onboarding-requests: A3, A7 to A9, A11).

/** A reason for each. `content-type`: of a request without a body. */
export function headerFaults(headers: IncomingHttpHeaders, wanted: readonly (keyof typeof NAMES)[]): string[] {
  const { accept, referer, 'content-type': type } = headers
  const faults = {
    'content-type': isJson(type)
      ? undefined
      : `must be application/json: it is ${type === undefined ? 'missing' : 'not'}`,
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

function isJson(type: string | undefined): boolean {
  return type?.split(';', 1)[0]!.trim().toLowerCase() === 'application/json'
}

function isPage(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text)
}
