// Makes, and does not send, the requests of a whole onboarding, with masked secrets, and <NAMES> for values that only answers bring.

import { Secret } from '../core/secret.ts'
import * as requests from '../service/onboarding/onboarding-requests.ts'
import type { OnboardingRequest } from '../service/onboarding/onboarding-requests.ts'
import type { OnboardingPlan } from './types.ts'

export interface PlannedRequest {
  readonly endpoint: string
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The body as it would be sent; absent when there is none. */
  readonly body?: string
}

const MASKED = new Secret('******')
const CLIENT_ID = '<CLIENT_ID>'
const CONNECTION_ID = '<CONNECTION_ID>'
const USER_ID = '<USER_ID>'

/** The requests in their order, each poll once. */
export function plannedRequests(plan: OnboardingPlan): PlannedRequest[] {
  const session = { token: new Secret('<ACCESS_TOKEN>'), userId: USER_ID }
  const { login, connection, test, dashboards } = plan
  const owner = dashboards.userId ?? USER_ID
  return [
    requests.tokenRequest({ ...login, password: MASKED, clientSecret: MASKED }),
    requests.signupRequest(plan.client),
    requests.signupPoll('<SIGNUP_ID>'),
    requests.userRequest(session, CLIENT_ID, plan.user),
    requests.updateRequest(session, CLIENT_ID, plan.update),
    requests.connectionRequest(session, CLIENT_ID, {
      ...connection,
      password: MASKED,
      encryptionPassword: connection.encryptionPassword && MASKED,
      properties: {
        ...connection.properties,
        encryption_groupSecret: connection.properties.encryption_groupSecret && MASKED,
      },
    }),
    requests.connectionsPoll(session, CLIENT_ID),
    requests.testRequest(plan.dashboardUrl, session, CLIENT_ID, CONNECTION_ID, test),
    requests.testPoll(session, CLIENT_ID, test),
    requests.dashboardsRequest(session, CLIENT_ID, CONNECTION_ID, dashboards, owner),
    requests.dashboardsPoll(session, CLIENT_ID, '<DASHBOARD_ID>'),
  ].map((request) => planned(request, plan))
}

function planned(
  { endpoint, method, address, path, headers, body }: OnboardingRequest,
  plan: OnboardingPlan,
): PlannedRequest {
  const base = address === 'base_url' ? plan.baseUrl : plan.dashboardUrl
  return {
    endpoint,
    method,
    url: legible(`${base}${path}`),
    headers: Object.fromEntries(pairs(headers)),
    ...(body === undefined ? {} : { body: numbersBare(legible(body)) }),
  }
}

/** The headers in pairs, from an array of names and values in turn. */
function pairs(headers: readonly string[]): [string, string][] {
  return headers.flatMap((name, index) => (index % 2 === 0 ? [[name, headers[index + 1]!]] : []))
}

/** Undoes the percent-encoding of placeholders. */
function legible(text: string): string {
  return text.replaceAll(/%3C([A-Z_]+)%3E/g, '<$1>')
}

/** Takes the quotes off placeholders of ids, which are numbers in a real body. */
function numbersBare(body: string): string {
  return body.replaceAll(/"(<[A-Z]+_ID>)"/g, '$1')
}
