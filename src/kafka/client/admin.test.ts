import { describe, expect, it } from 'vitest'
import { namingTopics } from './admin.ts'
import { connectOnce } from './connection.ts'
import { kafkaProblem } from './kafka-problem.ts'

const trouble = (type: string): Error => Object.assign(new Error('This server does not host it'), { type })
const cluster = { topics: async () => ['a', 'b'] }

describe('namingTopics', () => {
  it('names the topics a trouble is about', async () => {
    const error = await namingTopics(trouble('UNKNOWN_TOPIC_OR_PARTITION'), ['a', 'x', 'y'], cluster)
    const problem = kafkaProblem(error, { brokers: [], group: 'g' })
    expect(problem).toMatchObject({ kind: 'absent', error: { message: expect.stringMatching(/do not exist: x, y\./) } })
  })

  it('leaves other trouble, and trouble whose topics can be seen, as it is', async () => {
    const other = trouble('GROUP_AUTHORIZATION_FAILED')
    expect(await namingTopics(other, ['x'], cluster)).toBe(other)
    const seen = trouble('UNKNOWN_TOPIC_OR_PARTITION')
    expect(await namingTopics(seen, ['a'], cluster)).toBe(seen)
  })

  it.each([
    [['a'], 'a'],
    [['a', 'b'], 'one of a, b'],
    [['a', 'b', 'c', 'd', 'e', 'f', 'g'], 'one of a, b, c, d, e, or one of 2 more'],
  ])('names topics that can be seen, but not be read (%s)', async (topics, names) => {
    const all = { topics: async () => topics }
    expect((await namingTopics(trouble('TOPIC_AUTHORIZATION_FAILED'), topics, all)).message).toBe(names)
  })

  it('leaves it as it is when nobody can be asked', async () => {
    const error = trouble('UNKNOWN_TOPIC_OR_PARTITION')
    expect(await namingTopics(error, ['x'], { topics: () => Promise.reject(new Error('away')) })).toBe(error)
  })
})

it('connects once, and anew after a failure', async () => {
  const answers = [Promise.reject(new Error('away')), Promise.resolve()]
  let asked = 0
  const connect = connectOnce({ connect: () => answers[asked++]! })
  await expect(Promise.all([connect(), connect()])).rejects.toThrow('away')
  await Promise.all([connect(), connect()])
  await connect()
  expect(asked).toBe(2)
})
