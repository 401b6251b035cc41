// The options of a local service, and the context that is made of them for all of its endpoints.

import { AllowedOrigins } from './allowed-origins.ts'
import { Clients, DEMO_KEY, type ClientKey } from './clients.ts'
import { Faults } from './faults.ts'
import { LiveRequests } from './live-requests.ts'
import type { LoadedFile } from './load-file.ts'
import { Onboarding } from './onboarding/onboarding.ts'
import type { OnboardingOptions } from './onboarding/options.ts'
import { Records } from './onboarding/records.ts'
import { Payloads } from './payloads.ts'
import { HARD_MAX_BODY } from './read-request.ts'
import { Settings } from './settings.ts'
import type { Store } from './store.ts'
import type { SeenUpsert } from './types.ts'

export interface LocalServiceOptions {
  /** Keys of clients; client 7 with the key `demo-key` when absent. */
  readonly clients?: readonly ClientKey[]
  /** Loopback (127.0.0.1) when absent. */
  readonly host?: string
  /** The port to listen at; any free one when 0 or absent. */
  readonly port?: number
  /** Bytes a body may have, 413 above; HARD_MAX_BODY when absent. */
  readonly maxBody?: number
  /** Requests a second for each client, 429 above; no limit when absent. */
  readonly rateLimit?: number
  /** Milliseconds that each request of the import interface waits, evenly spread from `from` to `to`; none when absent. */
  readonly latency?: { readonly from: number; readonly to: number }
  /** The share of upserts, from 0 to 1, that end in 500, in 503, or in a reset before or after storing; 0 when absent. */
  readonly errorRate?: number
  /** Gives numbers from 0 to below 1, for `latency` and `errorRate`; Math.random when absent. */
  readonly random?: () => number
  /** For older client libraries: every accepted upsert 201, bodies labelled text/html (decisions.md#201-when-a-row-is-new). */
  readonly compat?: boolean
  /** Origins whose pages may use the service, `/_local` too, such as `http://localhost:3000`; none but its own when absent. */
  readonly allowOrigins?: readonly string[]
  /** The file that keeps the rows; without one they live in memory. */
  readonly data?: string
  /** Files to load into the first client's tables before the service answers, one after another. */
  readonly load?: readonly LoadedFile[]
  /** Aborts loading, and so the start. A service that has started is ended by disposing of it instead. */
  readonly signal?: AbortSignal
  /** For interface A (onboarding): who may log in, how long a token is good, what becomes of jobs. */
  readonly onboarding?: OnboardingOptions
  /** Milliseconds since 1970, for `created_at`, the rate limit, and everything that takes time in interface A. */
  readonly now?: () => number
  /** The command that starts this program, in hints of the page; its name when absent. */
  readonly command?: string | undefined
  /** Whether the page shows the bodies of the last requests and answers; true when absent. */
  readonly payloads?: boolean
  /** Called when an upsert has arrived whole; nothing is done with it before the promise resolves. A throw becomes a 500. */
  readonly onUpsert?: (upsert: SeenUpsert) => void | Promise<void>
  /** Called with the same upsert when it is about to be answered. */
  readonly onAnswered?: (upsert: SeenUpsert, status: number | 'reset') => void
}

/** The things that endpoints share: the options with their defaults, the store, and the state of this service. */
export type Context = ReturnType<typeof contextOf>

/** Makes the context. @param closing aborted when the local service closes */
export function contextOf(
  options: LocalServiceOptions & { readonly host: string },
  store: Store,
  closing: AbortSignal,
) {
  const { errorRate = 0, rateLimit = null, random = Math.random, latency = null, data, now = Date.now } = options
  const records = new Records(store.entities)
  const clients = new Clients(options.clients ?? [{ id: 7, key: DEMO_KEY }], records, now)
  // a new client must not inherit, with the id, rows that the data file has of a former one
  const isTaken = (id: number): boolean => clients.has(id) || store.tables().some(({ clientId }) => clientId === id)
  return {
    clients,
    store,
    onboarding: new Onboarding(options.onboarding ?? {}, { records, clients, isTaken, now }),
    faults: new Faults(),
    settings: new Settings({ latency_ms: latency, error_rate: errorRate, rate_limit: rateLimit }, random),
    live: new LiveRequests(clients.mask),
    /** `undefined` when bodies are not kept. */
    payloads: (options.payloads ?? true) ? new Payloads() : undefined,
    command: options.command,
    data,
    host: options.host,
    maxBody: Math.min(options.maxBody ?? HARD_MAX_BODY, HARD_MAX_BODY),
    allowedOrigins: new AllowedOrigins(options.allowOrigins ?? []),
    compat: options.compat ?? false,
    now,
    /** A clock in milliseconds for how long something took; its zero has no meaning. Where `now` is given, it serves for this too. */
    elapsed: options.now ?? (() => performance.now()),
    closing,
    onUpsert: options.onUpsert,
    onAnswered: options.onAnswered,
  }
}
