// What a fetch asks for, and who gets what its answer brings.

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FetchPace, SocketFetches } from './fetches.ts'
import type { AssignedPartition } from './membership.ts'
import { assignedPartition } from './testing/member.ts'
import { fetchRequest } from './testing/requests.ts'
import { fetchedLogs } from '../log/fetch-answer.ts'
import { FetchBudget, LARGE } from '../log/fetch-budget.ts'
import { answerBytes, batchBytes, type TestLog } from '../log/testing/log.ts'

const TOPIC = 'topic-0'
const [OUT_OF_RANGE, UNKNOWN] = [1, 3] as const
const nothing = { batches: Buffer.alloc(0) }
const some = { batches: batchBytes({ firstOffset: 7n, count: 0, lastOffsetDelta: 2, packed: Buffer.alloc(0) }) }
const large = { batches: batchBytes({ count: 1, packed: Buffer.alloc(LARGE + 1) }) }

/** The fetches of a socket, and the partitions that are read. */
function make(...reading: AssignedPartition[]) {
  const told: string[] = []
  const budget = new FetchBudget()
  const can = { take: true }
  const fetches = new SocketFetches({
    budget,
    reader: {
      canTake: () => can.take,
      reading: (topic, partition) => reading.find((one) => one.topic === topic && one.partition === partition),
      fetched: ({ partition, next }, batches) =>
        void told.push(`${partition} from ${next}: ${batches.map(({ first, last }) => `${first}-${last}`).join()}`),
      outOfRange: ({ partition, next }) => void told.push(`${partition} has no ${next}`),
      unknown: ({ topic, partition }) => void told.push(`${topic}-${partition} is unknown`),
    },
  })
  const send = (id: number): Buffer => {
    const request = fetchRequest([3])
    void fetches.send(request, id)
    return request
  }
  /** @param errors of its partitions @returns what kafkajs gets */
  const answer = (id: number, logs: readonly TestLog[], ...errors: readonly number[]): Buffer => {
    const frame = answerBytes(id, [logs], errors)
    const passed: Buffer[] = []
    fetches.frames.push(frame, (bytes) => void passed.push(bytes))
    return passed[0]!
  }
  return { told, budget, can, reading, fetches, send, answer }
}

const owned = (partition: number, next: bigint): AssignedPartition =>
  assignedPartition({ topic: TOPIC, partition, next })

describe('SocketFetches', () => {
  it('asks for what is read from its own offset on, and has the broker hold the fetch for 100 ms', () => {
    const expected = fetchRequest([3], (_, partition) => [0n, 77n, 2n][partition]!)
    expect(make(owned(1, 77n)).send(1)).toEqual(expected)
  })

  it('asks for no more than there is room for, until it is answered', () => {
    const budget = new FetchBudget()
    const sockets = Array.from({ length: 8 }, () => new SocketFetches({ budget }))
    const mostOf = (fetches: SocketFetches): number => {
      const request = fetchRequest([1])
      void fetches.send(request, 1)
      return request.readInt32BE(4 + 4 + 4 + 8 + 12)
    }
    const most = [...Array.from({ length: 6 }, () => 10_000_000), 7_108_864, 1_048_576]
    expect(sockets.map(mostOf)).toEqual(most)
    sockets[0]!.frames.push(answerBytes(1, []), () => undefined)
    expect(mostOf(sockets[7]!)).toBe(10_000_000)
  })

  it('hands on batches, offsets that are not there, and partitions that are not known', () => {
    const { told, send, answer } = make(owned(0, 7n), owned(1, 5n), owned(2, 1n))
    send(1)
    answer(1, [some, nothing, nothing], 0, OUT_OF_RANGE, UNKNOWN)
    send(2)
    answer(2, [nothing, nothing, some])
    expect(told).toEqual(['0 from 7: 7-9', '1 has no 5', 'topic-0-2 is unknown', '2 from 1: 7-9'])
  })

  it('drops batches that may not be taken, and has kafkajs see that there were some', () => {
    const { told, can, send, answer } = make(owned(0, 7n), owned(1, 5n))
    can.take = false
    send(1)
    const seen = answer(1, [some, nothing], 0, OUT_OF_RANGE)
    can.take = true
    send(2)
    expect(answer(2, [some, nothing])).toHaveLength(seen.length)
    expect(told).toEqual(['1 has no 5', '0 from 7: 7-9'])
  })

  it('drops what comes of a partition that was not asked for, moved on since, or is another by now', () => {
    const moved = owned(1, 5n)
    const { told, reading, send, answer } = make(moved, owned(2, 1n))
    send(1)
    moved.next = 6n
    reading.splice(1, 1, owned(0, 7n), owned(2, 1n))
    answer(1, [some, some, some], 0, OUT_OF_RANGE)
    answer(1, [some, some, some])
    expect(told).toEqual([])
  })

  it('takes an answer of an earlier fetch for that one', () => {
    const one = owned(0, 5n)
    const { told, send, answer } = make(one)
    send(1)
    one.next = 7n
    send(2)
    answer(1, [some])
    answer(2, [some])
    expect(told).toEqual(['0 from 7: 7-9'])
  })

  it('reads one large answer at a time: another is left, and asked for again', () => {
    const { told, budget, fetches, send, answer } = make(owned(0, 0n))
    const other = budget.holdAnswer(LARGE + 1)
    send(1)
    expect([...fetchedLogs(answer(1, [large]))]).toEqual([])
    other.release()
    send(2)
    expect([...fetchedLogs(answer(2, [large]))]).toHaveLength(1)
    expect([told, budget.held]).toEqual([['0 from 0: 0-0'], 0])
    send(3)
    const half = answerBytes(3, [[large]]).subarray(0, 1000)
    fetches.frames.push(half, () => expect.fail('it is not whole'))
    expect(budget.held).toBeGreaterThan(LARGE)
    fetches[Symbol.dispose]()
    expect(budget.held).toBe(0)
  })
})

it('never lets fetches that bring nothing follow each other in less than 50 ms, and holds no other', () => {
  const steps = fc.array(fc.record({ withNothing: fc.boolean(), took: fc.nat(120) }))
  fc.assert(
    fc.property(steps, (all) => {
      let now = 1_000
      const pace = new FetchPace(() => now)
      expect(pace.asked()).toBe(0)
      for (const { withNothing, took } of all) {
        now += took
        pace.answered(withNothing)
        const rest = pace.asked()
        expect(rest).toBe(withNothing ? Math.max(0, 50 - took) : 0)
        now += rest
      }
    }),
  )
})
