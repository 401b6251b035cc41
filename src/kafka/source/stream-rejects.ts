// What `stream` does with rejected records, by its config: where they are kept, how many there may be, and which files nothing may replace.

import type { StreamConfig, TopicConfig } from '../../config/stream/stream-config.ts'
import { RejectBudgets } from '../../rejects/reject-budget.ts'
import type { ReservedPath, RunContext } from '../../run/open-input.ts'
import { placePath } from '../dead-letters/dead-letter-replay.ts'
import { openDeadLetterTopic } from '../dead-letters/dead-letter-topic.ts'
import { deadLetterPolicy, type DeadLetterPolicy, type DeadLetterPolicyParts } from './dead-letter-policy.ts'
import type { WatchedConfig } from './membership.ts'
import type { StreamTopics } from './stream-topics.ts'

/** Opens the topic or file of dead letters, if the config names one. It waits for brokers that cannot be asked yet, and says so.
 *  @param replays whether dead letters are read instead of topics
 *  @throws ConnectorError when the topic will not do, or the file cannot be appended to */
export function openRejects(
  config: WatchedConfig,
  topics: StreamTopics,
  replays: boolean,
  { scrub, log, clock, signal, dry }: RunContext,
): Promise<DeadLetterPolicy> {
  const { rejects, kafka } = config
  const waiting = (why: string): void =>
    void log(
      kafka.watch.isFailing ? 'info' : 'warn',
      scrub(`The brokers cannot be asked for the topic of dead letters yet: ${why}.`),
    )
  return deadLetterPolicy(rejects, {
    scrub,
    log,
    take: budgetsOf(config, topics, replays),
    wallClock: Date.now,
    isDry: dry !== undefined,
    openTopic: (topic, failed) =>
      openDeadLetterTopic(
        { connection: kafka, brokerDeadlineMs: kafka.brokerDeadlineMs, topic, clock, waiting, failed },
        signal,
      ),
  })
}

/** Counts of a topic, or of one of its tables where it has several. They go up in place, and each has one object for the whole run: so the
 *  object itself stands for its topic or table, and is the key of the maps below. */
type LiveCounts = { readonly records: number }

/** Counts rejected records of each topic or table against its limits. A replay has no limit of its share by default: all its letters were
 *  rejected before. */
function budgetsOf(
  { rejectLimits: { maxRejected, maxRejectedShare, isShareGiven } }: StreamConfig,
  topics: StreamTopics,
  replays: boolean,
): DeadLetterPolicyParts['take'] {
  const entries = new Map<LiveCounts, TopicConfig>()
  const share = replays && !isShareGiven ? 1 : maxRejectedShare
  const budgets = new RejectBudgets<LiveCounts>(
    { maxRejected, maxRejectedShare: share },
    (counts) => entries.get(counts),
    ({ records }) => records,
  )
  return (name, table) => {
    const topic = topics.find(name)
    const ofTable = table && topic.mapper.route?.counts.get(table)
    const counts = ofTable ?? topic.counts
    entries.set(counts, topic.entry)
    return budgets.take(counts, ofTable && table.name)
  }
}

/** Files that the run reads or writes, so that nothing else is written there. */
export function reservedPaths({ rejects: { file: letters }, files }: StreamConfig): readonly ReservedPath[] {
  const referred = files.map((file) => ({ file, what: 'one that the config refers to' }))
  if (letters === undefined) return referred
  return [
    { file: letters, what: 'that of dead_letters.file' },
    { file: placePath(letters), what: 'where it is kept how far dead letters are replayed' },
    ...referred,
  ]
}
