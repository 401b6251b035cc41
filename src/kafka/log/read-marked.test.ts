import { expect, test } from 'vitest'
import { fetchedRecords } from '../fetched-records.ts'
import { BATCH } from './log-batch.ts'
import { mark, markOf } from './marked-batches.ts'
import { readMarked } from './read-marked.ts'
import { batchBytes, recordBytes } from './test-log.ts'

/** Its only record, of so many bytes, out of a batch that lies in an answer with others. */
async function valueOf(size: number, beside: number): Promise<Buffer> {
  const value = Buffer.alloc(size, 'value')
  const packed = recordBytes({ timestampDelta: 0n, offsetDelta: 0, key: null, value, headers: [] })
  const answer = Buffer.concat([batchBytes({ count: 1, packed }), Buffer.alloc(beside)])
  mark(answer, 0, 'records')
  const view = answer.subarray(BATCH.records, BATCH.records + packed.length)
  const standIn = await readMarked(markOf(view)!, view, 1 << 20)
  const message = {
    value: standIn.subarray(-2, -1),
    key: null,
    timestamp: '0',
    attributes: 0,
    offset: '0',
    headers: {},
  }
  const [record] = fetchedRecords([message], 0n).records
  expect(record!.value).toEqual(value)
  return record!.value!
}

test('a record that waits holds its batch, and not the answer that it came in', async () => {
  for (const size of [10, 100_000]) {
    const { buffer } = await valueOf(size, 1_000_000)
    expect(buffer.byteLength).toBeLessThan(Math.max(2 * size, 100_000))
  }
})

test('a batch that is most of its answer is not copied', async () => {
  const { buffer, byteOffset } = await valueOf(100_000, 1000)
  expect([buffer.byteLength > 101_000, byteOffset > BATCH.records]).toEqual([true, true])
})
