// For tests of endpoints: what they share, without a server.

import { contextOf, type Context } from '../context.ts'
import { MemoryStore, type Store } from '../store.ts'

/** Of a service with the client 7 and nothing switched on, whose clock stands still. */
export function testContext(store: Store = new MemoryStore()): Context {
  const options = { clients: [{ id: 7, key: 'k' }], host: '127.0.0.1', maxBody: 1000, payloads: false, now: () => 0 }
  return contextOf(options, store, new AbortController().signal)
}
