// For tests of endpoints: what they share, without a server.

import { AllowedOrigins } from '../allowed-origins.ts'
import { Clients } from '../clients.ts'
import type { Context } from '../context.ts'
import { Faults } from '../faults.ts'
import { LiveRequests } from '../live-requests.ts'
import { Onboarding } from '../onboarding/onboarding.ts'
import { Records } from '../onboarding/records.ts'
import { Settings } from '../settings.ts'
import { MemoryStore, UNKEPT } from '../store.ts'
import type { Store } from '../store.ts'

/** Of a service with the client 7 and nothing switched on, whose clock stands still. */
export function testContext(store: Store = new MemoryStore()): Context {
  const settings = new Settings({ latency_ms: null, error_rate: 0, rate_limit: null }, Math.random)
  const records = new Records(UNKEPT)
  const clients = new Clients([{ id: 7, key: 'k' }], records)
  return {
    clients,
    store,
    onboarding: new Onboarding({}, { records, clients, isTaken: () => false, now: () => 0 }),
    maxBody: 1000,
    faults: new Faults(),
    settings,
    payloads: undefined,
    live: new LiveRequests(),
    command: undefined,
    data: undefined,
    host: '127.0.0.1',
    allowedOrigins: new AllowedOrigins([]),
    compat: false,
    now: () => 0,
    elapsed: () => 0,
    closing: new AbortController().signal,
    onUpsert: undefined,
    onAnswered: undefined,
  }
}
