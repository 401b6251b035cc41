import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { FetchBudget } from '../log/fetch-budget.ts'
import { boundFetch, setFetchWait, turnFetch } from './fetch-request.ts'
import { requestOf } from './testing/requests.ts'
import { int32, int64 } from '../log/testing/log.ts'

const text = (value: string): Buffer => Buffer.concat([int32(value.length).subarray(2), Buffer.from(value)])
const partition = (number: number): Buffer =>
  Buffer.concat([int32(number), int32(-1), int64(BigInt(number)), int64(-1n), int32(1024)])

/** Version 11. @param topics how many partitions each has */
function request(topics: readonly number[], mostBytes = 10_000_000): Buffer {
  const head = [Buffer.from([0, 1, 0, 11]), int32(5), text('client')]
  const body = [int32(-1), int32(100), int32(1), int32(mostBytes), Buffer.of(1), int32(0), int32(-1)]
  const named = topics.map((count, at) =>
    Buffer.concat([
      text(`topic-${'x'.repeat(at)}`),
      int32(count),
      ...Array.from({ length: count }, (_, p) => partition(p)),
    ]),
  )
  const bytes = Buffer.concat([...head, ...body, int32(topics.length), ...named, int32(0), text('rack')])
  return Buffer.concat([int32(bytes.length), bytes])
}

/** Each with its partitions, in the request's order. */
function order(bytes: Buffer): [string, number[]][] {
  let at = 4 + 4 + 4 + 8 + 16 + 1 + 8
  const read = (): number => bytes.readInt32BE((at += 4) - 4)
  return Array.from({ length: read() }, () => {
    const end = at + 2 + bytes.readInt16BE(at)
    const name = bytes.toString('utf8', at + 2, end)
    at = end
    return [name, Array.from({ length: read() }, () => [read(), (at += 24)][0]!)]
  })
}

test('each topic and each partition is the first in its turn, and all else stays', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 5 }), { maxLength: 4 }), fc.nat({ max: 30 }), (topics, turn) => {
      const before = request(topics)
      const after = Buffer.from(before)
      turnFetch(after, turn)
      const turned = <T>(some: T[]): T[] =>
        some.length === 0 ? some : [...some.slice(turn % some.length), ...some.slice(0, turn % some.length)]
      expect(order(after)).toEqual(turned(order(before)).map(([name, some]) => [name, turned(some)]))
      expect(after.toSorted()).toEqual(before.toSorted())
      expect(after.subarray(-10)).toEqual(before.subarray(-10))
    }),
  )
})

test('what is no such request stays as it is', () => {
  const whole = request([2, 2])
  for (let size = 0; size < whole.length - 10; size++) {
    const cut = Buffer.from(whole.subarray(0, size))
    turnFetch(cut, 0)
    expect(cut).toEqual(whole.subarray(0, size))
  }
})

test('no more is asked for than there is room for, until it is answered', () => {
  const budget = new FetchBudget()
  const asked = Array.from({ length: 8 }, () => {
    const bytes = request([1])
    const hold = boundFetch(bytes, budget)
    return { hold, most: bytes.readInt32BE(4 + 4 + 4 + 8 + 12) }
  })
  expect(asked.map(({ most }) => most)).toEqual([...Array.from({ length: 6 }, () => 10_000_000), 7_108_864, 1_048_576])
  expect(boundFetch(request([]).subarray(0, 20), budget)).toBeUndefined()
})

function fetchOf(client: string | null, waitMs: number, rest: Uint8Array): Buffer {
  return requestOf(1, 11, client, int32(-1), int32(waitMs), rest)
}

const clients = fc.option(fc.string({ unit: 'grapheme', maxLength: 40 }))

test('changes the wait, and nothing else', () => {
  fc.assert(
    fc.property(clients, fc.nat(), fc.nat(), fc.uint8Array(), (client, from, to, rest) => {
      const request = fetchOf(client, from, rest)
      setFetchWait(request, to)
      expect(request.equals(fetchOf(client, to, rest))).toBe(true)
    }),
  )
})

test('leaves one alone that ends before', () => {
  const whole = fetchOf('client', 20, new Uint8Array())
  for (let length = 0; length < whole.length; length++) {
    const cut = Buffer.from(whole.subarray(0, length))
    setFetchWait(cut, 100)
    expect(cut.equals(whole.subarray(0, length))).toBe(true)
  }
})
