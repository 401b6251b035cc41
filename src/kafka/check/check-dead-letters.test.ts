import { expect, it } from 'vitest'
import type { KafkaAdmin } from '../client/admin.ts'
import { letterLimitFindings } from './check-dead-letters.ts'
import { topicConfig } from '../source/testing/topics.ts'

/** @param limits by topic, those of letters first; `undefined` when it is not told */
function found(limits: Readonly<Record<string, number | undefined>>): ReturnType<typeof letterLimitFindings> {
  const topicConfigOf = (topic: string): Promise<ReadonlyMap<string, string>> => {
    const limit = limits[topic]
    return Promise.resolve(new Map(limit === undefined ? [] : [['max.message.bytes', String(limit)]]))
  }
  const [letters, ...names] = Object.keys(limits)
  const topics = names.map((name) => ({ name, entry: topicConfig(), mapper: undefined }))
  const rejects = { onRejected: 'dead-letter', topic: letters } as never
  const { signal } = new AbortController()
  return letterLimitFindings({ rejects }, {} as never, topics, signal, async (_, question) => ({
    kind: 'answered',
    answer: await question({ topicConfig: topicConfigOf } as unknown as KafkaAdmin),
  }))
}

it('warns of topics that take larger messages than that of letters, up to the largest limit that is told', async () => {
  expect(await found({ letters: 100, a: 100, b: 7, untold: undefined })).toEqual([])
  expect(await found({ letters: undefined, a: 100 })).toEqual([])
  const one = 'takes messages of up to 100 bytes, and topic "a" takes 200 bytes. A record in between'
  expect(await found({ letters: 100, a: 200, b: 100 })).toMatchObject([
    { level: 'warn', code: 'dead-letters.topic-unusable', text: expect.stringContaining(one) },
  ])
  expect(await found({ letters: 100, a: 200, untold: undefined })).toMatchObject([
    { text: expect.stringContaining(one) },
  ])
  expect(await found({ letters: 100, untold: undefined, a: 200, b: 300 })).toMatchObject([
    { text: expect.stringContaining('2 topics take more, up to 300 bytes. A record') },
  ])
})
