// Whether dead letters can be kept where the config says: in a file, or in a topic that takes as large messages as those that are read.

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

/** How long brokers may be away, of which one has just answered. */
const AWAY_MS = 3000

/** Findings on dead letters that go nowhere or to a file. */
export async function deadLetterFileFindings({ rejects }: Pick<StreamConfig, 'rejects'>): Promise<CheckFinding[]> {
  const { onRejected, file } = rejects
  if (onRejected === 'stop')
    return [ok('Dead letters are not kept: the first record that cannot be stored ends the run.')]
  if (file === undefined) return []
  const problem = await checkRejectFile(file, DEAD_LETTER_FILE)
  return [
    problem === undefined
      ? ok(`Dead letters can be kept in the file ${JSON.stringify(file)}.`)
      : fail('rejects.file-unusable', problem),
  ]
}

/** Findings on dead letters that go to a topic.
 *  @param there names of all topics that may be seen; `undefined` when not known */
export async function deadLetterTopicFindings(
  { rejects, topics }: Pick<StreamConfig, 'rejects' | 'topics'>,
  connection: KafkaConnection,
  there: readonly string[] | undefined,
  end: AbortSignal,
): Promise<CheckFinding[]> {
  const { onRejected, topic } = rejects
  if (onRejected === 'stop' || topic === undefined) return []
  const options = { connection, topic, clock: systemClock, brokerDeadlineMs: AWAY_MS }
  try {
    const { partitions, doubt } = await until(checkDeadLetterTopic(options, end), end)
    const known = counted(partitions, 'partition')
    if (doubt !== undefined) return [warn('dead-letters.topic-unusable', doubt)]
    return [ok(`Dead letters can be kept in the topic ${JSON.stringify(topic)} (${known}, not compacted).`)]
  } catch (error) {
    if (end.aborted)
      return [fail('kafka.unreachable', 'The brokers did not describe the topic of dead letters in time. Check them.')]
    if (!(error instanceof ConnectorError)) throw error
    // letters among the records of a topic that is read would be read as such
    const free = there?.filter((name) => name === topic || entryFor(name, topics) === undefined)
    const meant = free?.includes(topic) === false ? didYouMean(topic, free) : ''
    return [fail(error.code!, `${error.message}${meant}`)]
  }
}

/** Most topics whose limit is asked for. */
const MAX_LIMITS = 100

/** Warns where a topic takes messages that are larger than those of the dead letters' topic. Nothing when brokers do not say. */
export async function letterLimitFindings(
  { rejects: { onRejected, topic: letters } }: Pick<StreamConfig, 'rejects'>,
  connection: KafkaConnection,
  topics: readonly CheckedTopic[],
  end: AbortSignal,
): Promise<CheckFinding[]> {
  if (onRejected === 'stop' || letters === undefined) return []
  const names = [letters, ...topics.slice(0, MAX_LIMITS).map(({ name }) => name)]
  const asked = await askCluster({ connection, end, tries: 1 }, (admin) =>
    Promise.all(
      names.map(async (name) => Number((await admin.topicConfig(name, [MAX_MESSAGE_BYTES])).get(MAX_MESSAGE_BYTES))),
    ),
  )
  const [most = NaN, ...sources] = asked.kind === 'answered' ? asked.answer : []
  const larger = names.filter((_, at) => at > 0 && sources[at - 1]! > most)
  if (larger.length === 0) return []
  const first = `topic ${JSON.stringify(larger[0])} takes ${bytes(Math.max(...sources))}`
  const some =
    larger.length === 1 ? first : `${counted(larger.length, 'topic')} take more, up to ${bytes(Math.max(...sources))}`
  const found = `Dead letters: their topic ${JSON.stringify(letters)} takes messages of up to ${bytes(most)}, and ${some}`
  return [
    warn(
      'dead-letters.topic-unusable',
      `${found}. A record in between may be too large for it, and would end the run. Raise ${MAX_MESSAGE_BYTES} of ${JSON.stringify(letters)}; what a producer compressed may be larger still once it is read.`,
    ),
  ]
}

function bytes(count: number): string {
  return counted(count, 'byte')
}
