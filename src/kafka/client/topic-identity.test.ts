import { expect, it } from 'vitest'
import type { AssignedPartition } from './membership.ts'
import { assignedPartition } from './testing/member.ts'
import { TopicIdentity } from './topic-identity.ts'

const owned = (topic: string, partition: number, topicId: string | undefined): AssignedPartition =>
  assignedPartition({ topic, partition, topicId })

function made(partitions: readonly AssignedPartition[]) {
  const asked: string[] = []
  const changed: string[] = []
  const answers: (ReadonlyMap<string, string> | Error)[] = []
  const identity = new TopicIdentity({
    membership: { owned: partitions },
    ids: async (topics) => {
      asked.push(topics.join())
      const answer = answers.shift() ?? new Map()
      if (answer instanceof Error) throw answer
      return answer
    },
    refreshMs: 1000,
    changed: ({ topic, partition }) => void changed.push(`${topic} ${partition}`),
  })
  return { identity, asked, changed, answers }
}

it('asks for all topics at once, and tells the partitions of those that are others', async () => {
  const all = [owned('a', 0, '1'), owned('a', 1, '1'), owned('b', 0, '2'), owned('c', 0, undefined), owned('d', 0, '4')]
  const { identity, asked, changed, answers } = made(all)
  answers.push(new Map(Object.entries({ a: '9', b: '2', c: '3' })))
  await identity.check()
  expect(asked).toEqual(['a,b,c,d'])
  expect(changed).toEqual(['a 0', 'a 1'])
})

it('asks as often as it is to, once at a time, and again after a failure', async () => {
  const { identity, asked, changed, answers } = made([owned('a', 0, '1')])
  answers.push(new Error('away'), new Map([['a', '2']]))
  for (let now = 0; now < 1000; now += 100) identity.look(now)
  const [one, two] = [identity.check(), identity.check()]
  expect(one).toBe(two)
  await one
  expect([asked, changed]).toEqual([['a'], []])
  identity.look(1000)
  await identity.check()
  expect([asked, changed]).toEqual([['a', 'a'], ['a 0']])
})

it('asks for nothing when nothing is assigned', async () => {
  const { identity, asked } = made([])
  await identity.check()
  expect(asked).toEqual([])
})
