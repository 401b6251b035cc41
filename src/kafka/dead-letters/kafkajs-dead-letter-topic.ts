// What the dead-letter topic is like, asked before anything is sent to it. Decides whether it will do.

import type { Clock } from '../../core/types.ts'
import { KafkaAdmin } from '../client/admin.ts'
import type { KafkaConnection } from '../client/connection.ts'
import { kafkaErrorType, kafkaProblem } from '../client/kafka-problem.ts'
import { compacted, deadLetterProblem, topicAway } from './dead-letter-problem.ts'
import { Outage } from './letter-lane.ts'

export interface DeadLetterTopicOptions {
  readonly connection: KafkaConnection
  readonly topic: string
  readonly clock: Clock
  /** How long brokers may be away. */
  readonly brokerDeadlineMs: number
  /** Lines of the client's own log: not scrubbed yet. */
  said?(message: string): void
  /** Once, when brokers are away and tried again; without an end, and not scrubbed yet. */
  waiting?(why: string): void
  /** An attempt to send letters failed. */
  failed?(): void
}

export interface DeadLetterTopicFacts {
  readonly partitions: number
  /** What could not be found out, for people: a whole sentence. */
  readonly doubt: string | undefined
}

/** Asks whether it is there and keeps what it is sent. Nothing is written.
 *  @throws ConnectorError config when it will not do, transient when brokers were away for too long */
export async function checkDeadLetterTopic(
  options: DeadLetterTopicOptions,
  signal: AbortSignal,
): Promise<DeadLetterTopicFacts> {
  const { topic, clock, brokerDeadlineMs } = options
  const outage = new Outage(clock, brokerDeadlineMs)
  let isTold = false
  for (;;) {
    try {
      return await factsOf(options)
    } catch (error) {
      // at the start a refused login is a wrong configuration and no outage
      const general = kafkaProblem(error, { brokers: options.connection.brokers, group: '' })
      const about = kafkaErrorType(error) === undefined ? undefined : deadLetterProblem(topic, error)
      if (about) throw about
      if (general.kind !== 'passing') throw general.error
      if (!isTold) options.waiting?.(general.text)
      isTold = true
      const pause = outage.failed()
      if (pause !== undefined) await clock.wait(pause, signal)
      if (pause === undefined || signal.aborted) throw topicAway(topic, error)
    }
  }
}

async function factsOf(options: DeadLetterTopicOptions): Promise<DeadLetterTopicFacts> {
  const { connection, topic } = options
  await using admin = new KafkaAdmin({ connection, log: (message) => options.said?.(message) })
  const partitions = await admin.partitions(topic)
  if (partitions === 0) throw new Error('its partitions are not known yet')
  const policy = await cleanupPolicy(admin, topic)
  if (policy?.includes('compact')) throw compacted(topic, policy)
  return { partitions, doubt: policy === undefined ? doubtOf(topic) : undefined }
}

/** undefined: this user may not ask. */
async function cleanupPolicy(admin: KafkaAdmin, topic: string): Promise<string | undefined> {
  try {
    return await admin.cleanupPolicy(topic)
  } catch (error) {
    if (deadLetterProblem(topic, error)) return undefined
    throw error
  }
}

function doubtOf(topic: string): string {
  return `Whether the topic "${topic}" of dead letters is compacted could not be asked: this user may not describe its configuration. It must not be.`
}
