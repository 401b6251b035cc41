// Brokers say that a topic is not there, or not for this user, but not which one. Asks them.

import { kafkaErrorType } from './kafka-problem.ts'
import type { KafkaAdmin } from './kafkajs-admin.ts'

const FORBIDDEN = 'TOPIC_AUTHORIZATION_FAILED'
const ABOUT_TOPICS = new Set(['UNKNOWN_TOPIC_OR_PARTITION', FORBIDDEN])
const SHOWN = 5

/** The same trouble with the topics' names. */
export class MissingTopics extends Error {
  readonly type: string

  constructor(type: string, topics: readonly string[], cause: unknown) {
    super(topics.join(', '), { cause })
    this.type = type
  }
}

/** @returns the error, with names if it is about topics and they can be found */
export async function namingTopics(
  error: Error,
  topics: readonly string[],
  admin: Pick<KafkaAdmin, 'topics'>,
): Promise<Error> {
  const type = kafkaErrorType(error)
  if (type === undefined || !ABOUT_TOPICS.has(type)) return error
  const seen = await admin.topics().catch(() => undefined)
  const missing = topics.filter((topic) => seen?.includes(topic) === false)
  if (missing.length > 0) return new MissingTopics(type, missing, error)
  // one that is seen may still not be read
  return seen && type === FORBIDDEN ? new MissingTopics(type, someOf(topics), error) : error
}

function someOf(topics: readonly string[]): readonly string[] {
  if (topics.length <= 1) return topics
  const more = topics.length > SHOWN ? [`or one of ${topics.length - SHOWN} more`] : []
  return [`one of ${topics[0]}`, ...topics.slice(1, SHOWN), ...more]
}
