// Whether a topic can keep dead letters: asked of the brokers before anything is sent, by a run and by `stream --check`.

import type { Clock } from '../../core/types.ts'
import { KafkaAdmin } from '../client/admin.ts'
import type { KafkaConnection } from '../client/connection.ts'
import { kafkaErrorType, kafkaProblem } from '../client/kafka-problem.ts'
import { CLEANUP_POLICY, deadLetterProblem, MAX_MESSAGE_BYTES, topicAway, unfitTopic } from './dead-letter-problems.ts'
import { Outage } from './letter-lane.ts'

export interface TopicCheckOptions {
  readonly connection: KafkaConnection
  readonly topic: string
  readonly clock: Clock
  /** How long brokers may be away. */
  readonly brokerDeadlineMs: number
  /** Called once, when brokers are away and tried again; `why` ends without a full stop and is not scrubbed. */
  waiting?(why: string): void
}

interface TopicFacts {
  readonly partitions: number
  /** Doubt about what could not be found out, for people: a whole sentence. */
  readonly doubt: string | undefined
}

/** Asks whether the topic is there and keeps what it is sent. Writes nothing.
 *  @throws ConnectorError config when it will not do, transient when brokers were away for too long or `signal` aborts */
export async function checkDeadLetterTopic(options: TopicCheckOptions, signal: AbortSignal): Promise<TopicFacts> {
  const { topic, clock, brokerDeadlineMs } = options
  const outage = new Outage(clock, brokerDeadlineMs)
  let isReported = false
  for (;;) {
    try {
      return await factsOf(options)
    } catch (error) {
      // at the start a refused login is a wrong configuration and no outage
      const general = kafkaProblem(error, { brokers: options.connection.brokers, group: '' })
      const about = kafkaErrorType(error) === undefined ? undefined : deadLetterProblem(topic, error)
      if (about) throw about
      if (general.kind !== 'passing') throw general.error
      if (!isReported) options.waiting?.(general.text)
      isReported = true
      const pause = outage.failed()
      if (pause !== undefined) await clock.wait(pause, signal)
      if (pause === undefined || signal.aborted) throw topicAway(topic, error)
    }
  }
}

async function factsOf({ connection, topic }: TopicCheckOptions): Promise<TopicFacts> {
  await using admin = new KafkaAdmin({ connection })
  const partitions = await admin.partitions(topic)
  if (partitions === 0) throw new Error('its partitions are not known yet')
  const config = await admin.topicConfig(topic, [CLEANUP_POLICY, MAX_MESSAGE_BYTES]).catch((error: unknown) => {
    if (deadLetterProblem(topic, error)) return undefined
    throw error
  })
  if (!config) return { partitions, doubt: doubtOf(topic) }
  const unfit = unfitTopic(topic, config)
  if (unfit) throw unfit
  return { partitions, doubt: undefined }
}

function doubtOf(topic: string): string {
  return `Whether the topic "${topic}" of dead letters is compacted could not be checked: this user may not describe its configuration. It must not be.`
}
