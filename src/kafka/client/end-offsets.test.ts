import { describe, expect, it } from 'vitest'
import { EndOffsets, type EndsClient } from './end-offsets.ts'
import type { AssignedPartition } from './membership.ts'
import { assignedPartition } from './testing/member.ts'
import type { OffsetRange } from '../types.ts'

function owned(topic: string, partition: number, more: Partial<AssignedPartition> = {}): AssignedPartition {
  return assignedPartition({ topic, partition, isHeld: true, ...more })
}

interface Question {
  readonly topic: string
  readonly client: number
  answer(...highs: bigint[]): void
  fail(): void
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Clients that answer when a test says so. */
function opened(partitions: AssignedPartition[]) {
  const questions: Question[] = []
  const closed: number[] = []
  const state = { clients: 0, halted: false, fallen: [] as AssignedPartition[] }
  const open = (): EndsClient => {
    const client = state.clients++
    return {
      ranges(topic) {
        const { promise, resolve, reject } = Promise.withResolvers<ReadonlyMap<number, OffsetRange>>()
        questions.push({
          topic,
          client,
          answer: (...highs) => resolve(new Map(highs.map((high, partition) => [partition, { low: 0n, high }]))),
          fail: () => reject(new Error('away')),
        })
        return promise
      },
      [Symbol.asyncDispose]: () => {
        closed.push(client)
        return Promise.resolve()
      },
    }
  }
  const ends = new EndOffsets({
    membership: { owned: partitions },
    open,
    isHalted: () => state.halted,
    fell: (partition) => void state.fallen.push(partition),
  })
  return { ends, questions, closed, state }
}

describe('ends', () => {
  it('are asked for where a partition is held, once a topic, and never fall', async () => {
    const partitions = [owned('a', 0), owned('a', 1, { high: 9n }), owned('b', 0, { isHeld: false })]
    const { ends, questions } = opened(partitions)
    ends.look(0)
    questions.splice(0).forEach((question) => question.answer(0n, 0n))
    await turn()
    ends.look(1_000)
    expect(questions).toEqual([])
    ends.look(2_000)
    expect(questions.map(({ topic }) => topic)).toEqual(['a'])
    questions[0]!.answer(40n, 5n)
    await turn()
    expect(partitions.map(({ high }) => high)).toEqual([40n, 9n, 0n])
  })

  it('are asked for everywhere now and then, and when nothing is fetched any more', async () => {
    const { ends, questions, state } = opened([owned('a', 0, { isHeld: false })])
    const asked = async (now: number): Promise<number> => {
      ends.look(now)
      const some = questions.splice(0)
      for (const question of some) question.answer(1n)
      await turn()
      return some.length
    }
    const counts: number[] = []
    for (let now = 0; now <= 30_000; now += 2_500) counts.push(await asked(now))
    expect(counts).toEqual([1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1])
    state.halted = true
    expect(await asked(33_000)).toBe(1)
  })

  it('that are below an earlier one are told where no id tells what topic it is', async () => {
    const partitions = [owned('a', 0, { high: 9n }), owned('a', 1, { high: 9n, topicId: 'id' }), owned('a', 2)]
    const { ends, questions, state } = opened(partitions)
    ends.look(0)
    // a fetch brings a later end before the answer to an earlier question
    partitions[2]!.high = 7n
    questions[0]!.answer(8n, 8n, 6n)
    await turn()
    expect(state.fallen).toEqual([partitions[0]])
    expect(partitions.map(({ high }) => high)).toEqual([9n, 9n, 7n])
  })

  it('of a topic that is not answered keep those of no other waiting', async () => {
    const partitions = [owned('hangs', 0), owned('answers', 0)]
    const { ends, questions } = opened(partitions)
    for (let now = 0n; now < 20_000n; now += 2_000n) {
      ends.look(Number(now))
      for (const question of questions.splice(0)) if (question.topic === 'answers') question.answer(now + 1n)
      await turn()
      expect(partitions.map(({ high }) => high)).toEqual([0n, now + 1n])
    }
  })

  it('are asked of another client when one fails, and the last that are known stand', async () => {
    const partitions = [owned('a', 0, { high: 3n })]
    const { ends, questions, closed } = opened(partitions)
    ends.look(0)
    questions[0]!.fail()
    await turn()
    expect([partitions[0]!.high, closed]).toEqual([3n, [0]])
    ends.look(2_000)
    questions[1]!.answer(7n)
    await turn()
    expect([partitions[0]!.high, questions[1]!.client, closed]).toEqual([7n, 1, [0]])
  })

  it('are asked of another client when one never answers', async () => {
    const partitions = [owned('a', 0)]
    const { ends, questions, closed } = opened(partitions)
    for (let now = 0; now <= 60_000; now += 2_000) ends.look(now)
    expect(questions.map(({ client }) => client)).toEqual([0, 1])
    expect(closed).toEqual([0])
    questions[1]!.answer(7n)
    await turn()
    expect(partitions[0]!.high).toBe(7n)
  })

  it('are nobody’s when the partition was taken away meanwhile, and asked for no more at the end', async () => {
    const partitions = [owned('a', 0)]
    const { ends, questions, closed } = opened(partitions)
    ends.look(0)
    const [before] = partitions.splice(0)
    partitions.push(owned('b', 0))
    questions[0]!.answer(5n)
    await turn()
    expect([before!.high, partitions[0]!.high]).toEqual([0n, 0n])
    await ends[Symbol.asyncDispose]()
    ends.look(10_000)
    expect([questions.length, closed]).toEqual([1, [0]])
  })
})
