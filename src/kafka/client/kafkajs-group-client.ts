// A kafkajs consumer as we want it: nothing by itself, but join, fetch and heartbeat. Knows no generation.

import type { Consumer } from 'kafkajs'
import { kafkajsClient, RETRY } from './kafkajs-connection.ts'
import type { KafkaConnection } from './kafkajs-connection.ts'
import type { LogListener } from './kafkajs-log.ts'
import type { KafkajsWire } from './kafkajs-wire.ts'

/** Times in milliseconds. */
export interface GroupClientOptions {
  readonly connection: KafkaConnection
  readonly group: string
  readonly sessionTimeoutMs: number
  readonly rebalanceTimeoutMs: number
  /** Shorter than the session timeout. */
  readonly heartbeatMs: number
  /** How long a broker may hold a fetch that finds nothing: to be told to the wire too. */
  readonly maxWaitMs: number
  /** Of one fetch. Both are soft: brokers send whole batches of a producer, and there is no limit by records. */
  readonly maxBytesPerPartition: number
  readonly maxBytes: number
  /** New partitions, and topics that are gone, are noticed so often. */
  readonly metadataMaxAgeMs: number
}

/** What kafkajs sleeps whenever all its partitions are paused, and so how late it notices that one no longer is; after joining,
 *  when all are, too. Each broker's fetcher does, so that a shorter one would keep a client of many brokers busy. */
const NAP_MS = 20

export function kafkajsGroupClient(options: GroupClientOptions, wire: KafkajsWire, listener: LogListener): Consumer {
  return kafkajsClient(options.connection, wire, listener).consumer({
    groupId: options.group,
    sessionTimeout: options.sessionTimeoutMs,
    rebalanceTimeout: options.rebalanceTimeoutMs,
    heartbeatInterval: options.heartbeatMs,
    // the wire writes the other one into what is sent
    maxWaitTimeInMs: Math.min(NAP_MS, options.maxWaitMs),
    maxBytesPerPartition: options.maxBytesPerPartition,
    maxBytes: options.maxBytes,
    metadataMaxAge: options.metadataMaxAgeMs,
    // a topic that was deleted must not come back, empty, because it was asked for
    allowAutoTopicCreation: false,
    // it would go on with the same dead coordinator
    retry: { ...RETRY, restartOnFailure: async () => false },
  })
}
