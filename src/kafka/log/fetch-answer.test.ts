import { expect, it } from 'vitest'
import { fetchedLogs, unknownPartitions } from './fetch-answer.ts'
import { answerBytes } from './testing/log.ts'

const log = { batches: Buffer.from('anything') }
const LEADER_MOVED = 6
const UNKNOWN = 3

/** Two partitions of a topic, and one of another. @param codes of each */
function answer(...codes: readonly number[]): Buffer {
  const frame = answerBytes(1, [[log, log], [log]])
  for (const [index, { errorAt }] of [...fetchedLogs(frame)].entries()) frame.writeInt16BE(codes[index]!, errorAt)
  return frame
}

it('names partitions that the broker does not know, and no others', () => {
  expect(unknownPartitions(answer(0, 0, 0))).toEqual([])
  expect(unknownPartitions(answer(LEADER_MOVED, 1, 2))).toEqual([])
  expect(unknownPartitions(answer(0, UNKNOWN, 0))).toEqual([{ topic: 'topic-0', partition: 1 }])
  expect(unknownPartitions(answer(UNKNOWN, 0, UNKNOWN))).toEqual([
    { topic: 'topic-0', partition: 0 },
    { topic: 'topic-1', partition: 0 },
  ])
})

it('names what comes before the end of an answer that is cut, and never throws', () => {
  const whole = answer(UNKNOWN, 0, UNKNOWN)
  const all = unknownPartitions(whole)
  for (let length = 0; length < whole.length; length++) {
    const found = unknownPartitions(whole.subarray(0, length))
    expect(found).toEqual(all.slice(0, found.length))
  }
  expect(unknownPartitions(whole.subarray(0, whole.length - 40))).toEqual(all.slice(0, 1))
})
