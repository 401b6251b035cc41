// Whether dead letters could be kept, in words for the user. Writes nothing.

import { nearestName } from '../../text/nearest-name.ts'
import type { StreamConfig } from '../../config/stream/stream-config.ts'
import { ConnectorError } from '../../core/errors.ts'
import type { KafkaConnection } from '../client/kafkajs-connection.ts'
import { checkDeadLetterTopic } from '../dead-letters/kafkajs-dead-letter-topic.ts'
import { counted } from '../../text/figures.ts'
import type { CheckFinding } from './check-finding.ts'
import { fail, ok, warn } from './check-finding.ts'
import { checkRejectFile } from '../../rejects/check-reject-file.ts'
import { DEAD_LETTER_FILE } from '../../rejects/reject-file-problem.ts'
import { systemClock } from '../../process/system-clock.ts'

/** How long brokers may be away, of which one has just answered. */
const AWAY_MS = 3000

/** Of those that go nowhere or to a file. */
export async function deadLetterFileFindings({ rejects }: StreamConfig): Promise<CheckFinding[]> {
  const { onRejected, file } = rejects
  if (onRejected === 'stop')
    return [ok('Dead letters are not kept: the first record that cannot be stored ends the run.')]
  if (file === undefined) return []
  const problem = await checkRejectFile(file, DEAD_LETTER_FILE)
  return [problem === undefined ? ok(`Dead letters can be kept in the file ${JSON.stringify(file)}.`) : fail(problem)]
}

/** Of those that go to a topic.
 *  @param there names of all topics that may be seen; undefined: not known */
export async function deadLetterTopicFindings(
  { rejects }: StreamConfig,
  connection: KafkaConnection,
  there: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<CheckFinding[]> {
  const { onRejected, topic } = rejects
  if (onRejected === 'stop' || topic === undefined) return []
  const options = { connection, topic, clock: systemClock, brokerDeadlineMs: AWAY_MS }
  try {
    const { partitions, doubt } = await checkDeadLetterTopic(options, signal)
    const known = counted(partitions, 'partition')
    if (doubt !== undefined) return [warn(doubt)]
    return [ok(`Dead letters can be kept in the topic ${JSON.stringify(topic)} (${known}, not compacted).`)]
  } catch (error) {
    if (!(error instanceof ConnectorError)) throw error
    const near = there?.includes(topic) === false ? nearestName(topic, there) : undefined
    return [fail(near === undefined ? error.message : `${error.message} Did you mean ${JSON.stringify(near)}?`)]
  }
}
