// The onboarding interface as a client: A1 to A11, each one request, one attempt, one outcome. Decides nothing about
// trying again.

import type { z } from 'zod'
import type {
  ApiLogin,
  ClientUpdate,
  ConnectionTest,
  NewClient,
  NewConnection,
  NewDashboards,
  NewUser,
} from '../../config/onboard/onboard-config.ts'
import type { Secret } from '../../core/secret.ts'
import { targetOf } from '../http/answer.ts'
import { createHttp } from '../http/http.ts'
import type { ExchangeReport } from '../http/http.ts'
import type { Proxy } from '../http/proxy.ts'
import * as answers from './onboarding-answers.ts'
import type {
  DashboardsJob,
  ListedConnection,
  SignupJob,
  InviteAnswer,
  JobAnswer,
  TokenAnswer,
} from './onboarding-answers.ts'
import { calledOf } from './onboarding-outcome.ts'
import type { Called } from './onboarding-outcome.ts'
import * as requests from './onboarding-requests.ts'
import type { OnboardingRequest, Session } from './onboarding-requests.ts'

/** The two addresses, what leads to them, and how both are spoken to. */
export interface OnboardingApiOptions {
  /** http(s)://host[:port][/prefix] each, without a slash at the end. */
  readonly baseUrl: string
  readonly dashboardUrl: string
  readonly baseProxy?: Proxy | undefined
  readonly dashboardProxy?: Proxy | undefined
  /** PEM; see ServiceOptions. */
  readonly caCertificate?: string | undefined
  readonly clientCertificate?: string | undefined
  readonly clientKey?: Secret | undefined
  /** Takes every form of every secret out of a text, those learnt on the way too. */
  readonly scrub: (text: string) => string
  /** Milliseconds since 1970. */
  readonly wallClock: () => number
  /** Is told every exchange when it is over. Must not throw. */
  readonly onExchange?: ((told: ExchangeReport) => void) | undefined
}

/** How long one attempt may take, and what breaks it off. */
export interface Limit {
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** See Target. */
  readonly slowRemedy?: string | undefined
}

type Call<Given extends readonly unknown[], T> = (limit: Limit, ...given: Given) => Promise<Called<T>>

/** None of the calls throws. */
export interface OnboardingApi {
  readonly createToken: Call<[login: ApiLogin], TokenAnswer>
  readonly createClient: Call<[signup: NewClient], { id: string }>
  readonly readSignup: Call<[signupId: string], SignupJob>
  readonly createUser: Call<[session: Session, clientId: number, user: NewUser], InviteAnswer>
  readonly setProperties: Call<[session: Session, clientId: number, update: ClientUpdate], unknown>
  readonly addConnection: Call<[session: Session, clientId: number, connection: NewConnection], { id: number }>
  readonly listConnections: Call<[session: Session, clientId: number], ListedConnection[]>
  readonly startTest: Call<
    [session: Session, clientId: number, connectionId: number, test: ConnectionTest],
    { id: number | null }
  >
  readonly listTests: Call<[session: Session, clientId: number, test: ConnectionTest], JobAnswer[]>
  readonly createDashboards: Call<
    [session: Session, clientId: number, connectionId: number, dashboards: NewDashboards, userId: number],
    { id: string }
  >
  readonly readDashboards: Call<[session: Session, clientId: number, dashboardsId: string], DashboardsJob>
}

/** A list of connections is the longest answer there is. */
const KEPT_BYTES = 4_194_304

/** Every call opens a connection of its own: one that lay idle may be closed as it is used again, and whether a creating
 *  request arrived would not be known. */
export function createOnboardingApi(options: OnboardingApiOptions): OnboardingApi {
  const send = sender(options)
  const { dashboardUrl } = options
  return {
    createToken: (limit, login) => send(limit, requests.tokenRequest(login), answers.tokenAnswer),
    createClient: (limit, signup) => send(limit, requests.signupRequest(signup), answers.signupAnswer),
    readSignup: (limit, id) => send(limit, requests.signupPoll(id), answers.signupJob),
    createUser: (limit, ...given) => send(limit, requests.userRequest(...given), answers.inviteAnswer),
    setProperties: (limit, ...given) => send(limit, requests.updateRequest(...given), answers.updateAnswer),
    addConnection: (limit, ...given) => send(limit, requests.connectionRequest(...given), answers.connectionAnswer),
    listConnections: (limit, ...given) => send(limit, requests.connectionsPoll(...given), answers.connectionList),
    startTest: (limit, ...given) => send(limit, requests.testRequest(...given, dashboardUrl), answers.testAnswer),
    listTests: (limit, ...given) => send(limit, requests.testPoll(...given), answers.jobList),
    createDashboards: (limit, ...given) => send(limit, requests.dashboardsRequest(...given), answers.dashboardsAnswer),
    readDashboards: (limit, ...given) => send(limit, requests.dashboardsPoll(...given), answers.dashboardsJob),
  }
}

type Send = <T>(limit: Limit, request: OnboardingRequest, schema: z.ZodType<T>) => Promise<Called<T>>

function sender(options: OnboardingApiOptions): Send {
  const { baseUrl, dashboardUrl, baseProxy, dashboardProxy, scrub, wallClock, ...tls } = options
  const addresses = {
    base_url: { baseUrl, proxy: baseProxy },
    dashboard_url: { baseUrl: dashboardUrl, proxy: dashboardProxy },
  }
  return async ({ timeoutMs, signal, slowRemedy }, { endpoint, method, address, path, headers, body }, schema) => {
    const to = addresses[address]
    await using http = createHttp({
      ...tls,
      ...to,
      requestTimeoutMs: timeoutMs,
      connections: 1,
      keptBytes: KEPT_BYTES,
    })
    const bytes = body === undefined ? {} : { body: new TextEncoder().encode(body) }
    const exchange = await http.exchange({ method, path, headers, ...bytes }, signal)
    return calledOf(
      exchange,
      endpoint,
      schema,
      targetOf({ ...to, clientId: '', addressOption: address, slowRemedy, scrub }),
      wallClock(),
    )
  }
}
