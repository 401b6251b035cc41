// What a failure on the dead-letter topic means, in words for the user. Reads errors of the client, knows no client.

import { ConnectorError } from '../../core/errors.ts'
import { isLoginRefused, kafkaErrorType, kafkaProblem, problemText } from '../client/kafka-problem.ts'

/** What to do without a topic for them. */
const OR_FILE = 'or keep dead letters in a file (dead_letters.file)'

/** @returns undefined for what may pass: brokers that are away, that elect a leader */
export function deadLetterProblem(topic: string, error: unknown): ConnectorError | undefined {
  const type = kafkaErrorType(error)
  const words = type === undefined ? undefined : WORDS[type]?.(topic)
  if (words) return problem(topic, `${words.found} (${type})`, words.remedy, error)
  if (isLoginRefused(error)) return problem(topic, 'the brokers do not take this user or password', 'Check them', error)
  return undefined
}

/** Of a letter that is too large alone. */
export function letterTooLarge(topic: string, from: string, bytes: number, error: unknown): ConnectorError {
  const found = `that of the record of ${from} is larger than it takes (about ${bytes} bytes with its headers)`
  const remedy = `Raise max.message.bytes of "${topic}" to more than that of the topics that are read`
  return problem(topic, found, remedy, error)
}

export function topicAway(topic: string, error: unknown): ConnectorError {
  const words = problemText(kafkaProblem(error, { brokers: [], group: '' })).replace(/\.\s*$/, '')
  const message =
    `Dead letters for the topic "${topic}" were not confirmed: ${words}. ` +
    'Their records are not settled, and are read again. Check that the brokers can be reached and have enough replicas in sync, then run again.'
  return new ConnectorError('transient', message, { cause: error, track: { name: topic } })
}

export function compacted(topic: string, policy: string): ConnectorError {
  const found = `it is compacted (cleanup.policy=${policy}): of letters with one key all but the last would go, and one without a key is refused`
  return problem(topic, found, `Set cleanup.policy=delete for "${topic}"`, undefined)
}

interface Words {
  readonly found: string
  readonly remedy: string
}

const WORDS: Readonly<Record<string, (topic: string) => Words>> = {
  UNKNOWN_TOPIC_OR_PARTITION: (topic) => ({
    found: 'there is no such topic',
    remedy: `Create "${topic}", with cleanup.policy=delete`,
  }),
  INVALID_TOPIC_EXCEPTION: () => ({ found: 'no topic has such a name', remedy: 'Give another name' }),
  INVALID_RECORD: (topic) => ({
    found: 'it does not take a record without a key, as compacted topics do not',
    remedy: `Set cleanup.policy=delete for "${topic}"`,
  }),
  TOPIC_AUTHORIZATION_FAILED: (topic) => ({
    found: 'this user may not write to it',
    remedy: `Allow the operations Describe and Write on the topic "${topic}"`,
  }),
  CLUSTER_AUTHORIZATION_FAILED: (topic) => ({
    found: 'this user may not write to it',
    remedy: `Allow the operations Describe and Write on the topic "${topic}"`,
  }),
  POLICY_VIOLATION: (topic) => ({
    found: "the brokers' policy forbids it",
    remedy: `Let the policy allow records of any content in "${topic}"`,
  }),
}

function problem(topic: string, found: string, remedy: string, cause: unknown): ConnectorError {
  const message = `Dead letters cannot be kept in the topic "${topic}": ${found}. ${remedy}, ${OR_FILE}, and run again.`
  return new ConnectorError('config', message, { cause, track: { name: topic } })
}
