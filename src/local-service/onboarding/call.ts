// One request of interface A as its endpoint sees it. Knows no HTTP server.

import type { IncomingHttpHeaders } from 'node:http'
import type { RequestBody } from '../read-body.ts'
import type { OnboardingRoute } from './route.ts'

export interface Call {
  readonly route: OnboardingRoute
  readonly headers: IncomingHttpHeaders
  readonly body: Exclude<RequestBody, { kind: 'aborted' }>
  /** Where the service was reached, without a slash at the end. */
  readonly origin: string
}

/** One call as a test that started the service in its own process sees it: nothing is masked. The same object when it
 *  arrives and when it is answered. */
export interface SeenCall {
  readonly endpoint: string
  readonly method: string
  /** With its query. */
  readonly target: string
  readonly headers: IncomingHttpHeaders
  readonly body: Uint8Array
}
