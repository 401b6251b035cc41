// Bytes of Metadata, version 10, as the protocol lists its fields.

import { expect, it } from 'vitest'
import { requestHead } from './request-bytes.ts'
import { readTopicIds, topicIdsRequest } from './topic-ids.ts'

const int = (bytes: 2 | 4, value: number): Buffer => {
  const buffer = Buffer.alloc(bytes)
  buffer.writeIntBE(value, 0, bytes)
  return buffer
}
const compact = (text: string): Buffer => Buffer.concat([Buffer.of(text.length + 1), Buffer.from(text)])
/** Two tags: of no bytes, and of three. */
const tags = Buffer.of(2, 0, 0, 1, 3, 7, 7, 7)
const id = (byte: number): Buffer => Buffer.alloc(16, byte)

function topic(error: number, name: string, topicId: Buffer, replicas: number): Buffer {
  const list = Buffer.concat([Buffer.of(replicas + 1), Buffer.alloc(4 * replicas, 9)])
  const partition = Buffer.concat([int(2, 0), int(4, 0), int(4, 1), int(4, 5), list, list, Buffer.of(1), tags])
  return Buffer.concat([
    int(2, error),
    compact(name),
    topicId,
    Buffer.of(0),
    Buffer.of(3),
    partition,
    partition,
    int(4, -1),
    tags,
  ])
}

function answer(...topics: readonly Buffer[]): Buffer {
  const brokers = Buffer.concat([Buffer.of(2), int(4, 1), compact('kafka-1'), int(4, 9092), Buffer.of(0), tags])
  const all = Buffer.concat([Buffer.of(topics.length + 1), ...topics])
  return Buffer.concat([
    int(4, 0),
    int(4, -1),
    tags,
    int(4, 0),
    brokers,
    compact('cluster'),
    int(4, 1),
    all,
    int(4, -1),
    tags,
  ])
}

it('asks for topics by name, and creates none', () => {
  const long = 'x'.repeat(200)
  const request = topicIdsRequest('me', ['a', long])
  expect(requestHead(request)).toMatchObject({ api: 3, kind: 'other' })
  expect(request.readInt32BE(0)).toBe(request.length - 4)
  expect(request.subarray(4)).toEqual(
    Buffer.concat([
      Buffer.of(0, 3, 0, 10, 0, 0, 0, 0, 0, 2),
      Buffer.from('me'),
      Buffer.of(0, 3),
      Buffer.concat([id(0), compact('a'), Buffer.of(0)]),
      Buffer.concat([id(0), Buffer.of(0xc9, 1), Buffer.from(long), Buffer.of(0)]),
      Buffer.of(0, 0, 0, 0),
    ]),
  )
})

it('reads ids of topics that can be seen and have one', () => {
  const known = [topic(0, 'a', id(1), 3), topic(3, 'missing', id(2), 0), topic(29, 'secret', id(0), 1)]
  const ids = readTopicIds(answer(...known, topic(0, 'old', id(0), 2), topic(0, 'b', id(255), 1)))
  expect([...ids]).toEqual([
    ['a', 'AQEBAQEBAQEBAQEBAQEBAQ'],
    ['b', '_____________________w'],
  ])
})

it('knows an answer that is cut off', () => {
  const whole = answer(topic(0, 'a', id(1), 3), topic(0, 'b', id(2), 1))
  for (let length = 8; length < whole.length - tags.length - 4; length++)
    expect(() => readTopicIds(whole.subarray(0, length)), `${length}`).toThrow(RangeError)
})
