// Requests as kafkajs writes them, and bytes that are none.

import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { API, askUncommitted, changeFetch, kafkaText, requestHead } from './request-bytes.ts'
import { fetchRequest, requestOf } from './testing/requests.ts'
import { int32 } from '../log/testing/log.ts'

const int16 = (value: number): Buffer => int32(value).subarray(2)
const request = (api: number, version: number, ...body: Buffer[]): Buffer => requestOf(api, version, 'client', ...body)

describe('requestHead', () => {
  it('reads the member of a join, in each version', () => {
    const latest = request(
      API.joinGroup,
      5,
      kafkaText('group'),
      int32(6000),
      int32(9000),
      kafkaText('member-1'),
      int16(-1),
    )
    expect(requestHead(latest)).toMatchObject({ kind: 'join', memberId: 'member-1' })
    const oldest = request(
      API.joinGroup,
      0,
      kafkaText('group'),
      int32(6000),
      kafkaText('member-1'),
      kafkaText('consumer'),
    )
    expect(requestHead(oldest)).toMatchObject({ kind: 'join', memberId: 'member-1' })
    const stranger = request(API.joinGroup, 5, kafkaText('group'), int32(6000), int32(9000), kafkaText(''), int16(-1))
    expect(requestHead(stranger)).toMatchObject({ kind: 'join', memberId: '' })
  })

  it('reads the generation of a sync', () => {
    const sync = request(API.syncGroup, 3, kafkaText('grüppe'), int32(42), kafkaText('member-1'))
    expect(requestHead(sync)).toMatchObject({ kind: 'sync', generation: 42, memberId: 'member-1' })
  })

  it('tells of others what their answer will name', () => {
    const head = { api: API.fetch, version: 11, correlationId: 5, kind: 'other' }
    expect(requestHead(fetchRequest([1]))).toEqual(head)
  })

  it('takes a client without a name', () => {
    const sync = requestOf(API.syncGroup, 3, null, kafkaText('group'), int32(3), kafkaText('member-1'))
    expect(requestHead(sync)).toMatchObject({ kind: 'sync', generation: 3, memberId: 'member-1' })
  })

  it('is undefined for authentication bytes and for every request that is cut short', () => {
    expect(requestHead(Buffer.from('\0user\0password that is long enough'))).toBeUndefined()
    const join = request(API.joinGroup, 5, kafkaText('group'), int32(6000), int32(9000), kafkaText('member-1'))
    for (let length = 0; length < join.length; length++) {
      const cut = Buffer.from(join.subarray(0, length))
      if (length >= 4) cut.writeInt32BE(length - 4)
      expect(requestHead(cut)).toBeUndefined()
    }
  })
})

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

const asWritten = { waitMs: 100, turn: 0, mostBytes: (wanted: number) => wanted, offsetOf: () => undefined }

test('each topic and each partition is the first in its turn, and all else stays', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 5 }), { maxLength: 4 }), fc.nat({ max: 30 }), (topics, turn) => {
      const before = fetchRequest(topics)
      const after = Buffer.from(before)
      changeFetch(after, { ...asWritten, turn })
      const turned = <T>(some: T[]): T[] =>
        some.length === 0 ? some : [...some.slice(turn % some.length), ...some.slice(0, turn % some.length)]
      expect(order(after)).toEqual(turned(order(before)).map(([name, some]) => [name, turned(some)]))
      expect(after.toSorted()).toEqual(before.toSorted())
      expect(after.subarray(-10)).toEqual(before.subarray(-10))
    }),
  )
})

test('each partition is asked for from its own offset on, those of which none is known as before, and all else stays', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat({ max: 5 }), { maxLength: 4 }),
      fc.array(fc.bigInt(0n, 2n ** 63n - 1n)),
      fc.nat(),
      fc.nat({ max: 9_999_999 }),
      (topics, known, waitMs, taken) => {
        const offsetOf = (topic: string, partition: number): bigint | undefined =>
          known[Number(topic.slice(6)) + 3 * partition]
        const request = fetchRequest(topics)
        changeFetch(request, { waitMs, turn: 0, mostBytes: (wanted) => wanted - taken, offsetOf })
        const offsets = (topic: string, number: number): bigint => offsetOf(topic, number) ?? BigInt(number)
        expect(request).toEqual(fetchRequest(topics, offsets, [waitMs, 10_000_000 - taken]))
      },
    ),
  )
})

test('what is no such request stays as it is', () => {
  const whole = fetchRequest([2, 2])
  for (let size = 0; size < whole.length - 10; size++) {
    const cut = Buffer.from(whole.subarray(0, size))
    changeFetch(cut, { waitMs: 1, turn: 1, mostBytes: () => 1, offsetOf: () => 77n })
    expect(cut).toEqual(whole.subarray(0, size))
  }
})

const clients = fc.option(fc.string({ unit: 'grapheme', maxLength: 40 }))

function asked(api: number, version: number, client: string | null, isolation: number, rest: Uint8Array): Buffer {
  return requestOf(api, version, client, int32(-1), Buffer.of(isolation), rest)
}

it('changes the isolation level, and nothing else', () => {
  fc.assert(
    fc.property(clients, fc.integer({ min: 2, max: 3 }), fc.uint8Array(), (client, version, rest) => {
      const request = asked(2, version, client, 1, rest)
      askUncommitted(request)
      expect(request.equals(asked(2, version, client, 0, rest))).toBe(true)
    }),
  )
})

it('leaves those of versions without it alone', () => {
  for (const version of [0, 1]) {
    const request = asked(2, version, 'client', 1, new Uint8Array(30))
    askUncommitted(request)
    expect(request.equals(asked(2, version, 'client', 1, new Uint8Array(30)))).toBe(true)
  }
})
