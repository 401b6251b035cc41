// The topic of dead letters as a source's replaying: its records as they were first read, up to where it ended when the run
// began. Knows no client.

import { replayed } from '../dead-letters/dead-letter-replay.ts'
import type { OffsetRange } from '../client/start-position.ts'
import type { Replaying } from './kafka-source.ts'

/** @param ranges of the topic's partitions when the run began */
export function replayTopic(ranges: ReadonlyMap<number, OffsetRange>): Replaying {
  const endOf: Replaying['endOf'] = ({ partition }) => ranges.get(partition)?.high ?? 0n
  return {
    counts: { records: 0, written: 0, rejected: 0 },
    endOf,
    read(batch) {
      const { runs, next, error } = replayed(batch, endOf(batch))
      const records = runs.flatMap(({ topic, partition, records }) =>
        records.map(({ offset, timestamp, key, value, headers }) => {
          return { offset, timestamp, key, value, headers, from: { topic, partition } }
        }),
      )
      return { ...batch, records, next, error }
    },
  }
}
