// Partitions for a line that people read. Knows nothing of who owns them.

import type { TopicPartition } from '../types.ts'
import { counted } from '../../text/figures.ts'

/** Topics that a line names. */
const NAMED = 20

/** `2 partitions of "a", 1 partition of "b"`, or that there are none. */
export function partitionsInWords(positions: readonly TopicPartition[]): string {
  const topics = [...Map.groupBy(positions, ({ topic }) => topic)]
  if (topics.length === 0) return 'no partition is left for this member'
  const named = topics.slice(0, NAMED).map(([topic, { length }]) => `${counted(length, 'partition')} of "${topic}"`)
  const more = topics.length > NAMED ? `, and those of ${counted(topics.length - NAMED, 'more topic')}` : ''
  return `${named.join(', ')}${more}`
}
