// To which addresses a cluster sends its clients on. Decides nothing.

import type { Admin } from 'kafkajs'
import { closeKafkajs } from './close-kafkajs.ts'
import { kafkaProblem, problemText } from './kafka-problem.ts'
import { kafkajsClient } from './kafkajs-connection.ts'
import type { KafkaConnection } from './kafkajs-connection.ts'
import { KafkajsWire } from './kafkajs-wire.ts'
import { until } from './until.ts'

export type ClusterNodes =
  /** host:port each. */
  | { readonly nodes: readonly string[] }
  /** Not to be found out. `address`: of a broker that was to be asked, where it is known. `text`: to be scrubbed, without an
   *  end; undefined: no answer in time. */
  | { readonly address: string | undefined; readonly text: string | undefined }

/** The client asks any broker of the cluster, also one that cannot be reached: another try may ask another. */
const TRIES = 8

/** @param end aborts when it is to be waited for no longer. Never throws. */
export async function clusterNodes(connection: KafkaConnection, end: AbortSignal): Promise<ClusterNodes> {
  const wire = new KafkajsWire()
  let last: unknown
  try {
    const admin = kafkajsClient(connection, wire, { said: () => {} }).admin()
    try {
      await until(admin.connect(), end)
      return await ask(admin, end, (error) => (last = error))
    } finally {
      if (end.aborted) wire[Symbol.dispose]()
      await closeKafkajs(admin, wire)
    }
  } catch (error) {
    const reason = end.aborted ? last : error
    if (reason === undefined) return { address: undefined, text: undefined }
    const text = problemText(kafkaProblem(reason, { brokers: connection.brokers, group: '' }))
    return { address: brokerOf(reason), text: text.replace(/\.$/, '') }
  }
}

async function ask(admin: Admin, end: AbortSignal, failed: (error: unknown) => void): Promise<ClusterNodes> {
  for (let tries = 1; ; tries++) {
    try {
      const { brokers } = await until(admin.describeCluster(), end)
      return { nodes: brokers.map(({ host, port }) => `${host}:${port}`) }
    } catch (error) {
      if (!end.aborted) failed(error)
      if (tries === TRIES || end.aborted) throw error
    }
  }
}

/** Whom it is about. */
function brokerOf(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ('broker' in cause && typeof cause.broker === 'string') return cause.broker
  return undefined
}
