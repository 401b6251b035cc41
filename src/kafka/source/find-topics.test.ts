import { expect, it } from 'vitest'
import { wholeNames } from '../../config/stream/topic-choice.ts'
import { topicsToRead } from './find-topics.ts'
import { topicConfig } from './testing/topics.ts'

const named = (name: string) => topicConfig({ topic: { name } })
const all = topicConfig({ topic: { pattern: wholeNames('.*', []), text: '.*' } })

it('are those that are named, and of what a pattern matches neither internal ones nor the dead letters', () => {
  const there = ['b', '__own', 'letters', 'a']
  expect(topicsToRead(there, [named('b'), named('gone')], undefined)).toEqual(['b'])
  expect(topicsToRead(there, [all], 'letters')).toEqual(['a', 'b'])
  expect(topicsToRead(there, [all, named('letters'), named('__own')], 'letters')).toEqual([
    '__own',
    'a',
    'b',
    'letters',
  ])
})
