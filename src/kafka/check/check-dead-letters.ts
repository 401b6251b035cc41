// Checks that dead letters can be kept where the config says: in a file, or in a topic that takes as large messages as those that are read.

import { entryFor } from '../../config/stream/topic-choice.ts'
import type { StreamConfig } from '../../config/stream/stream-config.ts'
import { ConnectorError } from '../../core/errors.ts'
import { systemClock } from '../../process/system-clock.ts'
import { until } from '../../process/waiting.ts'
import { checkRejectFile, DEAD_LETTER_FILE } from '../../rejects/reject-file.ts'
import { counted } from '../../text/figures.ts'
import { didYouMean } from '../../text/nearest-name.ts'
import { askCluster } from '../client/admin.ts'
import type { KafkaConnection } from '../client/connection.ts'
import { MAX_MESSAGE_BYTES } from '../dead-letters/dead-letter-problems.ts'
import { checkDeadLetterTopic } from '../dead-letters/dead-letter-topic.ts'
import { fail, ok, warn, type CheckFinding } from './check-report.ts'
import type { CheckedTopic } from './check-topics.ts'

/** How long brokers may be away while the topic is checked. That is short, as one of them has just answered. */
const AWAY_MS = 3000

/** Findings on dead letters that are not kept, or go to a file (DEAD_LETTER_FILE has its words); none when they go to a topic. */
export async function deadLetterFileFindings({ rejects }: Pick<StreamConfig, 'rejects'>): Promise<CheckFinding[]> {
  const { onRejected, file } = rejects
  if (onRejected === 'stop')
    return [ok('Dead letters are not kept: the first record that cannot be stored ends the run.')]
  if (file === undefined) return []
  const problem = await checkRejectFile(file, DEAD_LETTER_FILE)
  if (problem !== undefined) return [fail('rejects.file-unusable', problem)]
  return [ok(`Dead letters can be kept in the file ${JSON.stringify(file)}.`)]
}

/** Findings on dead letters that go to a topic; none when they do not.
 *  @param visibleTopics names of all topics that this user may see; `undefined` when not known */
export async function deadLetterTopicFindings(
  { rejects, topics }: Pick<StreamConfig, 'rejects' | 'topics'>,
  connection: KafkaConnection,
  visibleTopics: readonly string[] | undefined,
  end: AbortSignal,
): Promise<CheckFinding[]> {
  const { onRejected, topic } = rejects
  if (onRejected === 'stop' || topic === undefined) return []
  const options = { connection, topic, clock: systemClock, brokerDeadlineMs: AWAY_MS }
  try {
    const { partitions, doubt } = await until(checkDeadLetterTopic(options, end), end)
    // a sentence on what this user may not find out
    if (doubt !== undefined) return [warn('dead-letters.topic-unusable', doubt)]
    const found = `${counted(partitions, 'partition')}, not compacted`
    return [ok(`Dead letters can be kept in the topic ${JSON.stringify(topic)} (${found}).`)]
  } catch (error) {
    if (end.aborted)
      return [fail('kafka.unreachable', 'The brokers did not describe the topic of dead letters in time. Check them.')]
    if (!(error instanceof ConnectorError)) throw error
    // a topic that is read is not suggested: letters in it would be read as its records
    const unread = visibleTopics?.filter((name) => name === topic || entryFor(name, topics) === undefined)
    const suggestion = unread?.includes(topic) === false ? didYouMean(topic, unread) : ''
    return [fail(error.code!, `${error.message}${suggestion}`)]
  }
}

/** Most topics to read that are asked how large their messages may be. */
const MOST_ASKED = 100

/** Warns where a topic that is read takes larger messages than the topic of dead letters; no finding when brokers do not tell their limits. */
export async function letterLimitFindings(
  { rejects: { onRejected, topic: letters } }: Pick<StreamConfig, 'rejects'>,
  connection: KafkaConnection,
  topics: readonly CheckedTopic[],
  end: AbortSignal,
  ask: typeof askCluster = askCluster,
): Promise<CheckFinding[]> {
  if (onRejected === 'stop' || letters === undefined) return []
  const readNames = topics.slice(0, MOST_ASKED).map(({ name }) => name)
  const asked = await ask({ connection, end, tries: 1 }, (admin) => {
    const configs = [letters, ...readNames].map((name) => admin.topicConfig(name, [MAX_MESSAGE_BYTES]))
    return Promise.all(configs.map(async (config) => Number((await config).get(MAX_MESSAGE_BYTES))))
  })
  // a limit that is not told is NaN, which is neither larger nor smaller than any other
  const [letterLimit = NaN, ...readLimits] = asked.kind === 'answered' ? asked.answer : []
  const larger = readNames.filter((_, index) => readLimits[index]! > letterLimit)
  if (larger.length === 0) return []
  const who =
    larger.length === 1
      ? `topic ${JSON.stringify(larger[0])} takes`
      : `${counted(larger.length, 'topic')} take more, up to`
  const largest = Math.max(...readLimits.filter((limit) => limit > letterLimit))
  const found = `Dead letters: their topic ${JSON.stringify(letters)} takes messages of up to ${bytes(letterLimit)}, and ${who} ${bytes(largest)}`
  const advice = `A record in between may be too large for it, and would end the run. Raise ${MAX_MESSAGE_BYTES} of ${JSON.stringify(letters)}; what a producer compressed may be larger still once it is read.`
  return [warn('dead-letters.topic-unusable', `${found}. ${advice}`)]
}

function bytes(count: number): string {
  return counted(count, 'byte')
}
