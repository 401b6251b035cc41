// Which partition of the dead-letter topic the letters of a partition go to: always the same, so that their order holds.

import type { TopicPartition } from '../types.ts'

/** @param count partitions there are */
export function partitionFor({ topic, partition }: TopicPartition, count: number): number {
  let hash = 0x811c9dc5
  // FNV-1a; no topic has a slash in its name
  for (const byte of Buffer.from(`${topic}/${partition}`)) hash = Math.imul(hash ^ byte, 0x01000193)
  return (hash >>> 0) % count
}
