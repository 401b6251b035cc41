// Messages about an answer's status: what was found and what to do. The service's own words stand in brackets, without secrets. They go
// through `said` (MessageParts of core/errors.ts), which leaves them out where data must not be shown, because they may repeat data.

import type { Code } from '../core/codes.ts'
import type { MessageParts } from '../core/errors.ts'
import { serviceWords, describeBody, leadsTo } from './http/answer-words.ts'
import type { HttpAnswer, Target } from './http/answer.ts'
import { meaningOf } from './statuses.ts'

/** "https://… answered 503 (words)"; `words` are by default the service's own. */
export function answered(answer: HttpAnswer, { origin, scrub }: Target, words = serviceWords(answer, scrub)): string {
  return `${origin} answered ${answer.status}${inBrackets(words)}`
}

function inBrackets(words: string): string {
  return words === '' ? '' : ` (${words})`
}

const ASK_OPERATOR = 'ask the operator of the service.'
type Problem = readonly [code: Code, found: string, remedy: string]

const BUSY: Problem = [
  'service.busy',
  'something else holds what was to be written',
  `Run it again later; if this persists, ${ASK_OPERATOR}`,
]
const REFUSED: Code = 'service.request-refused'

/** Problems by status of the import interface. `{client}` and `{option}` stand for those of the target. */
const PROBLEMS: Readonly<Record<number, Problem>> = {
  401: ['service.key-refused', 'the key is wrong', 'Check that api_key is the import key of client_id {client}.'],
  402: [
    'service.payment-required',
    'payment is required, or a quota is used up',
    `Check the billing of this client, or ${ASK_OPERATOR}`,
  ],
  403: ['service.key-refused', 'the key may not write here', 'Check api_key, and what this key may do in the product.'],
  404: [
    'service.not-found',
    'there is no such client or no import interface at this address',
    'Check client_id, and that {option} is the import address without /v2.',
  ],
  405: ['service.not-the-service', 'this is not the import interface of the Analytics Service', 'Check {option}.'],
  407: [
    'proxy.refused',
    'a proxy in front of the service asks for a user name and a password',
    'Check the proxy, https_proxy and http_proxy.',
  ],
  409: BUSY,
  410: [REFUSED, 'what was asked for is permanently gone', `Check client_id, or ${ASK_OPERATOR}`],
  423: BUSY,
  425: BUSY,
  451: [REFUSED, 'the service may not accept this, for legal reasons', `To know more, ${ASK_OPERATOR}`],
}

const OTHER_STATUS: Problem = [
  REFUSED,
  'the service, or something in front of it, does not accept this request',
  `Check {option} and any proxy in between, or ${ASK_OPERATOR}`,
]

/** The message for an answer that shows that address, client, key or service is wrong: what was found, and what to do. */
export function statusProblem(answer: HttpAnswer, target: Target): MessageParts {
  const { status } = answer
  const { origin, clientId, addressOption, scrub } = target
  return (said) => {
    if (isRedirect(status)) return redirectProblem(answer, target)
    if (meaningOf(status, 'upsert') === 'unknown')
      return `${origin} answered with the status ${status}, which is not an HTTP status. Check what stands between, and ${ASK_OPERATOR}`
    const [, words, advice] = PROBLEMS[status] ?? OTHER_STATUS
    // a page cannot come from the service, whose answers are JSON or empty
    const body = status === 404 ? describeBody(answer, scrub, said) : undefined
    const found =
      body?.kind === 'page'
        ? `this is not the import interface of the Analytics Service, as it seems: it answered with ${body.words}. Or there is no such client`
        : words
    const remedy = advice.replace('{client}', String(clientId)).replace('{option}', () => addressOption)
    return `${origin} answered ${status} for client ${clientId}${said(inBrackets(serviceWords(answer, scrub)))}: ${found}. ${remedy}`
  }
}

export function isRedirect(status: number): boolean {
  return status >= 300 && status < 400
}

/** The code of the problem that `statusProblem` describes. */
export function statusCode(status: number): Code {
  return isRedirect(status) ? 'service.redirected' : (PROBLEMS[status] ?? OTHER_STATUS)[0]
}

/** Whether a status is about the address, the client or the key, so that no record can be at fault. */
export function isAboutAccess(status: number): boolean {
  return isRedirect(status) || [401, 403, 404, 405].includes(status)
}

function redirectProblem(answer: HttpAnswer, target: Target): string {
  const { origin, addressOption } = target
  const newOrigin = leadsTo(answer, target)
  const where = newOrigin === origin ? 'to another path of the same address' : `to ${newOrigin ?? 'nowhere'}`
  return `${origin} answered ${answer.status}, a redirect ${where}. ${redirectRemedy('key', addressOption, 'of the import interface ')}`
}

/** What to do about a redirect.
 *  @param secret the word for what is sent along: key, token, login
 *  @param option the one that names the address
 *  @param what words for what it is the address of, with a blank behind: "of the registry " */
export function redirectRemedy(secret: string, option: string, what = ''): string {
  return `Redirects are never followed, as they could carry the ${secret} elsewhere: set ${option} to the address ${what}itself.`
}

/** The message for a 2xx that does not acknowledge the request: something else than the service answered. */
export function strangerProblem(answer: HttpAnswer, target: Target): MessageParts {
  return (said) =>
    `${target.origin} answered ${answer.status} with ${describeBody(answer, target.scrub, said).words}: ` +
    `this is not the import interface of the Analytics Service but something in front of it or in its place, ` +
    `a proxy or a login page perhaps. Check ${target.addressOption} and any proxy in between.`
}
