// What is said of a topic that was deleted while it was read. Knows no client.

import type { TopicPartition } from '../types.ts'

/** Ends a client: the next one begins where the group has committed, and the brokers forgot that with the topic. */
export function topicDeleted({ topic, partition }: TopicPartition): Error {
  return new Error(
    `the brokers do not know partition ${partition} of topic ${topic} any more: it was deleted, perhaps to be made anew; then it is read from \`start\` on`,
  )
}
