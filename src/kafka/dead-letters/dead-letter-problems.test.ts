// What is said of a topic that cannot keep dead letters, and what may pass.

import { expect, it, describe } from 'vitest'
import { deadLetterProblem, letterTooLarge, topicAway, unfitTopic } from './dead-letter-problems.ts'

/** As the client throws a broker's answer: wrapped by what would have tried again. */
function answered(type: string): Error {
  return new Error('the words of the broker', { cause: Object.assign(new Error('the words of the broker'), { type }) })
}

describe('a problem of the dead-letter topic', () => {
  it.each([
    ['UNKNOWN_TOPIC_OR_PARTITION', 'there is no such topic', 'Create "letters", with cleanup.policy=delete'],
    ['INVALID_RECORD', 'it does not accept a record without a key', 'Set cleanup.policy=delete for "letters"'],
    ['TOPIC_AUTHORIZATION_FAILED', 'this user may not write to it', 'Allow the operations Describe and Write'],
  ])('%s is told with what to do', (type, found, remedy) => {
    const problem = deadLetterProblem('letters', answered(type))
    expect(problem?.kind).toBe('config')
    expect(problem?.message).toContain(`Dead letters cannot be kept in the topic "letters": ${found}`)
    expect(problem?.message).toContain(`(${type}). ${remedy}`)
    expect(problem?.message).toMatch(/, or keep dead letters in a file \(dead_letters\.file\), and run again\.$/)
  })

  it('is a wrong password', () => {
    const error = Object.assign(new Error('no'), { name: 'KafkaJSSASLAuthenticationError' })
    expect(deadLetterProblem('letters', new Error('wrapped', { cause: error }))?.kind).toBe('config')
  })

  it.each(['NOT_ENOUGH_REPLICAS', 'NOT_LEADER_FOR_PARTITION', 'REQUEST_TIMED_OUT'])('%s may pass', (type) => {
    expect(deadLetterProblem('letters', answered(type))).toBeUndefined()
  })

  it('is none when no broker answered', () => {
    expect(deadLetterProblem('letters', new Error('connect ECONNREFUSED'))).toBeUndefined()
    const away = topicAway('letters', new Error('connect ECONNREFUSED.'))
    expect(away.kind).toBe('transient')
    expect(away.message).toContain('were not confirmed: connect ECONNREFUSED. Their records are not settled')
  })

  it('says which letter is too large, and its size', () => {
    const { message } = letterTooLarge('letters', 'topic "orders", partition 0, offset 7', 1_048_700, undefined)
    expect(message).toBe(
      'Dead letters cannot be kept in the topic "letters": that of the record of topic "orders", partition 0, offset 7 is larger than it takes (about 1048700 bytes with its headers, before it is compressed). ' +
        'Raise max.message.bytes of "letters" to more than that of the topics that are read, whose compressed records may be larger still, or keep dead letters in a file (dead_letters.file), and run again.',
    )
  })
})

describe('a topic for dead letters', () => {
  const unfit = (config: object): string | undefined => unfitTopic('letters', new Map(Object.entries(config)))?.message

  it('takes any letter of a record that is not large', () => {
    expect(unfit({ 'max.message.bytes': '1000' })).toMatch(
      /^Dead letters cannot be kept in the topic "letters": it accepts no message of more than 1000 bytes \(max\.message\.bytes\), and a letter may need \d+ beside its record\. Raise max\.message\.bytes of "letters" /,
    )
    for (const bytes of ['1048588', '5000']) expect(unfit({ 'max.message.bytes': bytes })).toBeUndefined()
  })

  it('is not compacted', () => {
    expect(unfit({ 'cleanup.policy': 'compact,delete' })).toMatch(/it is compacted \(cleanup\.policy=compact,delete\)/)
    expect(unfit({ 'cleanup.policy': 'delete' })).toBeUndefined()
    expect(unfit({})).toBeUndefined()
  })
})
