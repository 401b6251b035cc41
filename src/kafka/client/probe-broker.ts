// Whether one broker can be used, by its address: connection, TLS, login. Asks no other, so that another broker's trouble is
// not told as its own.

import type { Admin } from 'kafkajs'
import { closeKafkajs } from './close-kafkajs.ts'
import { kafkaProblem } from './kafka-problem.ts'
import { kafkajsClient } from './kafkajs-connection.ts'
import type { KafkaConnection } from './kafkajs-connection.ts'
import { KafkajsWire } from './kafkajs-wire.ts'
import { until } from './until.ts'

/** ready: it takes this client. refused: whole sentences, with what to do. away: why it cannot be reached, without an
 *  end. silent: no answer in time. Texts may hold what a broker sent: to be scrubbed. */
export type BrokerProbe =
  | { readonly address: string; readonly found: 'ready' | 'silent' }
  | { readonly address: string; readonly found: 'refused' | 'away'; readonly text: string }

/** @param address host:port
 *  @param end aborts when it is to be waited for no longer. Never throws. */
export async function probeBroker(
  connection: KafkaConnection,
  address: string,
  end: AbortSignal,
): Promise<BrokerProbe> {
  const wire = new KafkajsWire()
  try {
    const admin = kafkajsClient({ ...connection, brokers: [address] }, only(address, wire), { said: () => {} }).admin()
    try {
      await until(admin.connect(), end)
      await until(asked(admin, address), end)
      return { address, found: 'ready' }
    } finally {
      if (end.aborted) wire[Symbol.dispose]()
      await closeKafkajs(admin, wire)
    }
  } catch (error) {
    if (end.aborted) return { address, found: 'silent' }
    const problem = kafkaProblem(error, { brokers: [address], group: '' })
    if (problem.kind !== 'passing') return { address, found: 'refused', text: problem.error.message }
    return { address, found: 'away', text: problem.text }
  }
}

/** Connections to it alone. */
function only(address: string, wire: KafkajsWire): Pick<KafkajsWire, 'socketFactory'> {
  return {
    socketFactory: (options) => {
      if (`${options.host}:${options.port}` === address) return wire.socketFactory(options)
      throw new Error('another broker')
    },
  }
}

/** A broker that wants a login tells its versions without, but nothing else.
 *  @throws what tells that it refuses; whatever else there may be is not its */
async function asked(admin: Admin, address: string): Promise<void> {
  try {
    await admin.describeCluster()
  } catch (error) {
    if (kafkaProblem(error, { brokers: [address], group: '' }).kind !== 'passing') throw error
  }
}
