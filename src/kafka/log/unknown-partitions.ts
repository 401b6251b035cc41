// Which partitions of a fetch answer its broker does not know. Looks into no batch.

import type { TopicPartition } from '../types.ts'
import { fetchedLogs } from './fetch-answer.ts'

/** Kafka's code for "unknown topic or partition". */
const UNKNOWN = 3

/** Of one that was read it means that its topic was deleted. kafkajs only asks again: it would not notice a topic that was made
 *  anew meanwhile, and go on in the middle of it. Never throws.
 *  @param frame a whole answer of FETCH_VERSION, before it is marked */
export function unknownPartitions(frame: Buffer): readonly TopicPartition[] {
  const found: TopicPartition[] = []
  try {
    for (const { topicAt, partitionAt, errorAt } of fetchedLogs(frame)) {
      if (frame.readInt16BE(errorAt) !== UNKNOWN) continue
      const topic = frame.toString('utf8', topicAt + 2, topicAt + 2 + frame.readInt16BE(topicAt))
      found.push({ topic, partition: frame.readInt32BE(partitionAt) })
    }
  } catch (error) {
    // an answer that ends too early: kafkajs throws too
    if (!(error instanceof RangeError)) throw error
  }
  return found
}
