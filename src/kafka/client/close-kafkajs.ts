// The end of a kafkajs client. It waits for answers, which a dead broker never gives.

import type { KafkajsWire } from './kafkajs-wire.ts'

/** How long a polite good-bye may take. */
const CLOSE_MS = 1000

/** Never rejects: there is nothing left to save. */
export async function closeKafkajs(client: { disconnect(): Promise<void> }, wire: KafkajsWire): Promise<void> {
  const cut = setTimeout(() => wire[Symbol.dispose](), CLOSE_MS)
  await client.disconnect().catch(() => undefined)
  clearTimeout(cut)
  wire[Symbol.dispose]()
}
