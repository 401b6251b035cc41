// What the dead-letter topic is like, asked with kafkajs before anything is sent to it. Decides whether it will do.

import type { Admin } from 'kafkajs'
import type { Clock } from '../../core/types.ts'
import { closeKafkajs } from '../client/close-kafkajs.ts'
import { compacted, deadLetterProblem, topicAway } from './dead-letter-problem.ts'
import { kafkaErrorType, kafkaProblem } from '../client/kafka-problem.ts'
import type { KafkaConnection } from '../client/kafkajs-connection.ts'
import { kafkajsClient } from '../client/kafkajs-connection.ts'
import { KafkajsWire } from '../client/kafkajs-wire.ts'
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

/** As kafkajs numbers what can be configured. */
const TOPIC = 2

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
  const wire = new KafkajsWire()
  const admin = kafkajsClient(connection, wire, { said: (message) => options.said?.(message) }).admin()
  try {
    await admin.connect()
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] })
    const partitions = topics.find(({ name }) => name === topic)?.partitions.length ?? 0
    if (partitions === 0) throw new Error('its partitions are not known yet')
    const policy = await cleanupPolicy(admin, topic)
    if (policy?.includes('compact')) throw compacted(topic, policy)
    return { partitions, doubt: policy === undefined ? doubtOf(topic) : undefined }
  } finally {
    await closeKafkajs(admin, wire)
  }
}

/** undefined: this user may not ask. */
async function cleanupPolicy(admin: Admin, topic: string): Promise<string | undefined> {
  const name = 'cleanup.policy'
  try {
    const resources = [{ type: TOPIC, name: topic, configNames: [name] }]
    const answer = await admin.describeConfigs({ resources, includeSynonyms: false })
    return answer.resources[0]?.configEntries.find(({ configName }) => configName === name)?.configValue
  } catch (error) {
    if (deadLetterProblem(topic, error)) return undefined
    throw error
  }
}

function doubtOf(topic: string): string {
  return `Whether the topic "${topic}" of dead letters is compacted could not be asked: this user may not describe its configuration. It must not be.`
}
