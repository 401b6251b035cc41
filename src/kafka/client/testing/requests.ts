// Requests for tests, as kafkajs writes them.

import { int32, int64 } from '../../log/testing/log.ts'
import { kafkaText } from '../request-bytes.ts'

/** @param client its id, or none
 *  @param body what follows the head, in pieces */
export function requestOf(api: number, version: number, client: string | null, ...body: Uint8Array[]): Buffer {
  const name = Buffer.from(client ?? '')
  const head = Buffer.alloc(14)
  head.writeInt16BE(api, 4)
  head.writeInt16BE(version, 6)
  head.writeInt16BE(client === null ? -1 : name.length, 12)
  const whole = Buffer.concat([head, name, ...body])
  whole.writeInt32BE(whole.length - 4)
  return whole
}

/** An answer to ApiVersions, with size and correlation id 1. @param ranges of each api its oldest and newest version */
export function versionsBytes(...ranges: readonly (readonly [api: number, oldest: number, newest: number])[]): Buffer {
  const answer = Buffer.alloc(14 + ranges.length * 6)
  answer.writeInt32BE(answer.length - 4, 0)
  answer.writeInt32BE(1, 4)
  answer.writeInt32BE(ranges.length, 10)
  ranges.flat().forEach((number, index) => answer.writeInt16BE(number, 14 + index * 2))
  return answer
}

const partition = (number: number, offset = BigInt(number)): Buffer =>
  Buffer.concat([int32(number), int32(-1), int64(offset), int64(-1n), int32(1024)])

/** A fetch of version 11, with correlation id 5. @param topics how many partitions each has */
export function fetchRequest(
  topics: readonly number[],
  offsetOf?: (topic: string, partition: number) => bigint,
  [waitMs, mostBytes] = [100, 10_000_000],
): Buffer {
  const head = [Buffer.from([0, 1, 0, 11]), int32(5), kafkaText('client')]
  const body = [int32(-1), int32(waitMs), int32(1), int32(mostBytes), Buffer.of(1), int32(0), int32(-1)]
  const named = topics.map((count, at) => {
    const name = `topic-${at}`
    const partitions = Array.from({ length: count }, (_, number) => partition(number, offsetOf?.(name, number)))
    return Buffer.concat([kafkaText(name), int32(count), ...partitions])
  })
  const bytes = Buffer.concat([...head, ...body, int32(topics.length), ...named, int32(0), kafkaText('rack')])
  return Buffer.concat([int32(bytes.length), bytes])
}
