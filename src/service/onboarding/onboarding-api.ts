// The client of the onboarding interface. Each call is one of the requests A1 to A11 of the service document, in the order of their numbers:
// one attempt, one outcome. Callers decide about retries.

import type { z } from 'zod'
import type { Certificates } from '../http/connector.ts'
import { targetOf } from '../http/answer.ts'
import { createHttp, type ExchangeReport } from '../http/http.ts'
import type { Proxy } from '../http/proxy.ts'
import * as answers from './onboarding-answers.ts'
import { callOutcomeOf, type CallOutcome } from './onboarding-outcome.ts'
import * as requests from './onboarding-requests.ts'
import type { OnboardingRequest } from './onboarding-requests.ts'

/** The two addresses, their proxies and their TLS settings. */
export interface OnboardingApiOptions extends Certificates {
  /** http(s)://host[:port][/prefix] each, without a slash at the end. */
  readonly baseUrl: string
  readonly dashboardUrl: string
  readonly baseProxy?: Proxy | undefined
  readonly dashboardProxy?: Proxy | undefined
  /** Takes every form of every secret out of a text, tokens included. */
  readonly scrub: (text: string) => string
  /** Milliseconds since 1970. */
  readonly wallClock: () => number
  /** Called when an exchange is over. Must not throw. */
  readonly onExchange?: ((report: ExchangeReport) => void) | undefined
}

/** How long one attempt may take, and what aborts it. */
export interface Limit {
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** What to do when the answer takes too long: as in Target. */
  readonly slowRemedy?: string | undefined
}

/** The most bytes of an answer that are kept: a list of connections is the longest. */
const LONGEST_ANSWER_BYTES = 4_194_304

/** The calls, none of which throws. */
export type OnboardingApi = ReturnType<typeof createOnboardingApi>

/** A call: what the request is made of follows the limit. */
type Call<Given extends readonly unknown[], T> = (limit: Limit, ...given: Given) => Promise<CallOutcome<T>>

/** Makes a client, which opens a new connection for each call: the service might close an idle one just as it is used again, and then it
 *  would not be known whether a request that creates something arrived. */
export function createOnboardingApi(options: OnboardingApiOptions) {
  const { baseUrl, dashboardUrl, baseProxy, dashboardProxy, scrub, wallClock, ...tls } = options
  const addresses = {
    base_url: { baseUrl, proxy: baseProxy },
    dashboard_url: { baseUrl: dashboardUrl, proxy: dashboardProxy },
  }
  const call =
    <Given extends readonly unknown[], T>(
      requestOf: (...given: Given) => OnboardingRequest,
      answer: z.ZodType<T>,
    ): Call<Given, T> =>
    async ({ timeoutMs, signal, slowRemedy }, ...given) => {
      const { endpoint, method, address, path, headers, body } = requestOf(...given)
      const to = addresses[address]
      await using http = createHttp({
        ...tls,
        ...to,
        requestTimeoutMs: timeoutMs,
        connections: 1,
        keptBytes: LONGEST_ANSWER_BYTES,
      })
      const bytes = body === undefined ? {} : { body: new TextEncoder().encode(body) }
      const exchange = await http.exchange({ method, path, headers, ...bytes }, signal)
      const target = targetOf({ ...to, clientId: '', addressOption: address, slowRemedy, scrub })
      return callOutcomeOf(exchange, endpoint, answer, target, wallClock())
    }
  return {
    createToken: call(requests.tokenRequest, answers.tokenAnswer),
    createClient: call(requests.signupRequest, answers.signupAnswer),
    readSignup: call(requests.signupPoll, answers.signupJob),
    createUser: call(requests.userRequest, answers.inviteAnswer),
    setProperties: call(requests.updateRequest, answers.updateAnswer),
    addConnection: call(requests.connectionRequest, answers.connectionAnswer),
    listConnections: call(requests.connectionsPoll, answers.connectionList),
    startTest: call(requests.testRequest.bind(undefined, dashboardUrl), answers.testAnswer),
    listTests: call(requests.testPoll, answers.jobList),
    createDashboards: call(requests.dashboardsRequest, answers.dashboardsAnswer),
    readDashboards: call(requests.dashboardsPoll, answers.dashboardsJob),
  }
}
