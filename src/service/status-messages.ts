// Messages. What the service said is scrubbed and in brackets.

import type { Code } from '../core/codes.ts'
import type { MessageParts } from '../core/errors.ts'
import { serviceWords, describeBody, leadsTo } from './http/answer-words.ts'
import type { HttpAnswer, Target } from './http/answer.ts'
import { meaningOf } from './statuses.ts'

/** "https://… answered 503 (words)". */
export function answered(answer: HttpAnswer, { origin, scrub }: Target, words = serviceWords(answer, scrub)): string {
  return `${origin} answered ${answer.status}${inBrackets(words)}`
}

function inBrackets(words: string): string {
  return words === '' ? '' : ` (${words})`
}

const ASK = 'ask the operator of the service.'
const BUSY = ['something else holds what was to be written', `Run it again later; if this persists, ${ASK}`] as const

type Words = (
  target: Target,
  answer: HttpAnswer,
  said: Parameters<MessageParts>[0],
) => readonly [found: string, remedy: string]

/** Words of the import interface. */
const WORDS: Readonly<Record<number, Words>> = {
  401: ({ clientId }) => ['the key is wrong', `Check that api_key is the import key of client_id ${clientId}.`],
  402: () => ['payment is required, or a quota is used up', `Check the billing of this client, or ${ASK}`],
  403: () => ['the key may not write here', 'Check api_key, and what this key may do in the product.'],
  404: ({ addressOption, scrub }, answer, said) => [
    isPage(answer, scrub)
      ? `this is not the import interface of the Analytics Service, as it seems: it answered with ${describeBody(answer, scrub, said)}. Or there is no such client`
      : 'there is no such client or no import interface at this address',
    `Check client_id, and that ${addressOption} is the import address without /v2.`,
  ],
  405: ({ addressOption }) => ['this is not the import interface of the Analytics Service', `Check ${addressOption}.`],
  407: () => [
    'a proxy in front of the service asks for a user name and a password',
    'Check the proxy, https_proxy and http_proxy.',
  ],
  409: () => BUSY,
  410: () => ['what was asked for is permanently gone', `Check client_id, or ${ASK}`],
  423: () => BUSY,
  425: () => BUSY,
  451: () => ['the service may not accept this, for legal reasons', `To know more, ${ASK}`],
}

/** The service's own answers are JSON, or empty. */
function isPage(answer: HttpAnswer, scrub: Target['scrub']): boolean {
  return describeBody(answer, scrub).startsWith('an HTML page')
}

const OTHER: Words = ({ addressOption }) => [
  'the service, or something in front of it, does not accept this request',
  `Check ${addressOption} and any proxy in between, or ${ASK}`,
]

/** Says what is wrong with address, client, key or service by an answer of the import interface, and what to do. */
export function statusProblem(answer: HttpAnswer, target: Target): MessageParts {
  const { status } = answer
  const { origin, clientId, scrub } = target
  return (said) => {
    if (status >= 300 && status < 400) return redirectProblem(answer, target)
    if (meaningOf(status, 'upsert') === 'unknown') {
      return `${origin} answered with the status ${status}, which is not an HTTP status. Check what stands between, and ${ASK}`
    }
    const [found, remedy] = (WORDS[status] ?? OTHER)(target, answer, said)
    return `${origin} answered ${status} for client ${clientId}${said(inBrackets(serviceWords(answer, scrub)))}: ${found}. ${remedy}`
  }
}

const STATUS_CODES: Readonly<Record<number, Code>> = {
  401: 'service.key-refused',
  402: 'service.payment-required',
  403: 'service.key-refused',
  404: 'service.not-found',
  405: 'service.not-the-service',
  407: 'proxy.refused',
  409: 'service.busy',
  423: 'service.busy',
  425: 'service.busy',
}

/** The code of what `statusProblem` says. */
export function statusCode(status: number): Code {
  return STATUS_CODES[status] ?? (status >= 300 && status < 400 ? 'service.redirected' : 'service.request-refused')
}

/** Whether a status is about the address, the client or the key, so that no record can be at fault. */
export function isAboutAccess(status: number): boolean {
  return (status >= 300 && status < 400) || [401, 403, 404, 405].includes(status)
}

/** Shows only the target's origin. */
function redirectProblem(answer: HttpAnswer, target: Target): string {
  const { origin, addressOption } = target
  const to = leadsTo(answer, target)
  const where = to === origin ? 'to another path of the same address' : `to ${to ?? 'nowhere'}`
  return `${origin} answered ${answer.status}, a redirect ${where}. ${redirectRemedy('key', addressOption, 'of the import interface ')}`
}

/** @param secret what is sent along: key, token, login
 *  @param option that names the address
 *  @param what it is the address of, with a blank behind it */
export function redirectRemedy(secret: string, option: string, what = ''): string {
  return `Redirects are never followed, as they could carry the ${secret} elsewhere: set ${option} to the address ${what}itself.`
}

/** Words for a 2xx that does not acknowledge: something else than the service answered. */
export function strangerProblem(answer: HttpAnswer, target: Target): MessageParts {
  return (said) =>
    `${target.origin} answered ${answer.status} with ${describeBody(answer, target.scrub, said)}: ` +
    `this is not the import interface of the Analytics Service but something in front of it or in its place, ` +
    `a proxy or a login page perhaps. Check ${target.addressOption} and any proxy in between.`
}
