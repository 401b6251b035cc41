// The errors of a topic of dead letters: one for a topic that cannot be used, one for a letter that it does not take, and one for brokers
// that were away for too long. Nothing is asked or sent here.

import type { Code } from '../../core/codes.ts'
import { ConnectorError } from '../../core/errors.ts'
import { isLoginRefused, kafkaErrorType, kafkaProblem, problemText } from '../client/kafka-problem.ts'
import { LEAST_LETTER_BYTES } from './dead-letter.ts'

const CLEANUP_POLICY = 'cleanup.policy'
/** The option of a topic that bounds its messages. */
export const MAX_MESSAGE_BYTES = 'max.message.bytes'
/** The options that `unfitTopic` judges by. */
export const JUDGED_OPTIONS = [CLEANUP_POLICY, MAX_MESSAGE_BYTES]
/** Bytes of the head of a record batch: a letter that is sent alone needs one too. */
const BATCH_HEAD_BYTES = 61

/** A remedy, as those below: the beginning of a sentence, which `problem` ends; % stands for the topic. */
const RAISE_LIMIT =
  'Raise max.message.bytes of "%" to more than that of the topics that are read, whose compressed records may be larger still'
const OR_USE_FILE = 'or keep dead letters in a file (dead_letters.file)'
const NO_RIGHT = ['this user may not write to it', 'Allow the operations Describe and Write on the topic "%"'] as const

/** Words for errors of brokers, by their names in the protocol. */
const WORDS_BY_TYPE: Readonly<Record<string, readonly [found: string, remedy: string]>> = {
  UNKNOWN_TOPIC_OR_PARTITION: ['there is no such topic', 'Create "%", with cleanup.policy=delete'],
  INVALID_TOPIC_EXCEPTION: ['no topic has such a name', 'Give another name'],
  INVALID_RECORD: [
    'it does not accept a record without a key, as compacted topics do not',
    'Set cleanup.policy=delete for "%"',
  ],
  TOPIC_AUTHORIZATION_FAILED: NO_RIGHT,
  CLUSTER_AUTHORIZATION_FAILED: NO_RIGHT,
  POLICY_VIOLATION: ["the brokers' policy forbids it", 'Let the policy allow records of any content in "%"'],
}

/** The error for an answer of the brokers that no retry changes.
 *  @returns `undefined` for what may pass, as where brokers are away or elect a leader */
export function deadLetterProblem(topic: string, error: unknown): ConnectorError | undefined {
  const type = kafkaErrorType(error)
  const words = WORDS_BY_TYPE[type ?? '']
  if (words) return problem(topic, `${words[0]} (${type})`, words[1], error)
  if (isLoginRefused(error))
    return problem(topic, 'the brokers do not accept this user or password', 'Check them', error, 'kafka.login-refused')
  return undefined
}

/** The error for a topic whose configuration keeps no letters, or not all. `undefined` when it will do.
 *  @param config values of `JUDGED_OPTIONS`, as far as the broker has them */
export function unfitTopic(topic: string, config: ReadonlyMap<string, string>): ConnectorError | undefined {
  const policy = config.get(CLEANUP_POLICY)
  if (policy?.includes('compact')) {
    const found = `it is compacted (cleanup.policy=${policy}): of letters with one key all but the last would go, and one without a key is refused`
    return problem(topic, found, 'Set cleanup.policy=delete for "%"', undefined)
  }
  const mostBytes = Number(config.get(MAX_MESSAGE_BYTES) ?? Infinity)
  const neededBytes = BATCH_HEAD_BYTES + LEAST_LETTER_BYTES
  if (mostBytes >= neededBytes) return undefined
  const found = `it accepts no message of more than ${mostBytes} bytes (${MAX_MESSAGE_BYTES}), and a letter may need ${neededBytes} beside its record`
  return problem(topic, found, RAISE_LIMIT, undefined)
}

/** The error for a letter that is too large even when it is sent alone.
 *  @param place where its record was read, for people */
export function letterTooLarge(topic: string, place: string, bytes: number, error: unknown): ConnectorError {
  const found = `that of the record of ${place} is larger than it takes (about ${bytes} bytes with its headers, before it is compressed)`
  return problem(topic, found, RAISE_LIMIT, error, 'dead-letters.too-large')
}

/** The error for letters that were not confirmed because brokers were away for too long. */
export function topicAway(topic: string, error: unknown): ConnectorError {
  // no brokers and no group are to be named in it, and a full stop would end the sentence too early
  const words = problemText(kafkaProblem(error, { brokers: [] })).replace(/\.\s*$/, '')
  const message =
    `Dead letters for the topic "${topic}" were not confirmed: ${words}. ` +
    'Their records are not settled, and are read again. Check that the brokers can be reached and have enough replicas in sync, then run again.'
  return new ConnectorError('transient', 'dead-letters.unconfirmed', message, { cause: error, track: { name: topic } })
}

/** @param cause what was thrown; `undefined` when nothing was */
function problem(
  topic: string,
  found: string,
  remedy: string,
  cause: unknown,
  code: Code = 'dead-letters.topic-unusable',
): ConnectorError {
  const message = `Dead letters cannot be kept in the topic "${topic}": ${found}. ${remedy.replaceAll('%', topic)}, ${OR_USE_FILE}, and run again.`
  return new ConnectorError('config', code, message, { cause, track: { name: topic } })
}
