// `write` as a process, where so many records are rejected that the run must not go on; and where fewer come than are expected.

import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import type { LocalService } from '../../src/local-service/start.ts'
import type { AnswerMaker } from '../../src/local-service/types.ts'
import { workFolder } from '../connector.ts'
import { record, state, stream, trace, write } from './driver.ts'
import type { Case } from './driver.ts'

const counts = (line: string): unknown =>
  (JSON.parse(line) as { state: { destinationStats: unknown } }).state.destinationStats
const linesOf = (count: number, line: (index: number) => string): string[] =>
  Array.from({ length: count }, (_, index) => line(index))
/** Of another stream, with a state of its own. */
const GOOD = [...linesOf(200, (index) => record(`{"id":${index}}`, 'users')), state('1', 'users')]
const STREAMS = [stream('orders'), stream('users')]
/** The key field has another name. */
const wrongKey = (index: number): string => record(`{"ID":${index},"x":"CANARY"}`)

async function kept(more: Case): Promise<{ done: Awaited<ReturnType<typeof write>>; kept: number }> {
  await using work = await workFolder()
  const path = `${work.path}/rejects.jsonl`
  const config = { rejected_records: { policy: 'file', path }, ...more.config }
  const done = await write({ ...more, streams: STREAMS, config })
  return { done, kept: (await readFile(path, 'utf8')).split('\n').length - 1 }
}

describe('a wrong key field in 100,000 records', () => {
  it('is kept whole for a stream that says so, while others keep the limit of all', async () => {
    const input = [...linesOf(15_000, wrongKey), state('1'), ...linesOf(4, () => record('{}', 'users'))].join('\n')
    const config = { max_rejected: 3, streams: [{ name: 'orders', max_rejected: 20_000, max_rejected_share: 1 }] }
    const { done, kept: lines } = await kept({ input, config })
    expect([done.code, lines, done.states.map(counts)]).toEqual([
      1,
      15_003,
      [{ recordCount: 0, rejectedRecordCount: 15_000 }],
    ])
    expect(trace(done).message).toContain(
      'Too many records of stream "users" are rejected: 4 of 4 received, and max_rejected is 3.',
    )
  })
})

it('ends the run when the service refuses too many, and says of its words nothing', async () => {
  const input = linesOf(140, (index) => record(`{"id":${index},"x":${index < 100}}`)).join('\n')
  const answer: AnswerMaker = ({ body }) =>
    Buffer.from(body).includes('"x":false') ? { status: 400, body: { message: 'CANARY' } } : undefined
  const prepare = (service: LocalService): void => service.fault({ table: 'orders', every: 1, answer })
  const { done, kept: lines } = await kept({ input, config: { max_rejected: 5 }, prepare })
  expect([done.code, lines]).toEqual([1, 5])
  const { message } = trace(done)
  expect(message).toContain('of stream "orders" are rejected: 6 of 140 received, and max_rejected is 5.')
  expect(message).toMatch(/\(6 records; one of them: input line 1[0-4]\d\): the service answered 400\./)
})

describe('records that are expected', () => {
  const expecting = (least: number) => ({ streams: [{ name: 'orders', expect: { min_records: least } }] })
  const input = [record('{"id":1}'), record('{"id":2}'), state('1'), ...GOOD].join('\n')

  it('end a run that brings fewer, once all is delivered', async () => {
    const done = await write({ input, streams: STREAMS, config: expecting(3) })
    expect([done.code, done.states.length, done.rows('orders').length]).toEqual([1, 2, 2])
    const { message, failure_type: kind, stream_descriptor: of } = trace(done)
    expect(message).toBe(
      'Too few records came: 2 records of stream "orders", where expect.min_records is 3. ' +
        'All that came was stored, and its STATEs were printed. Find out why the source sent so few, or correct min_records in streams, and run again.',
    )
    expect([kind, of]).toEqual(['config_error', { name: 'orders' }])
  })

  it('may be so many, and are told for a stream without any', async () => {
    expect((await write({ input, streams: STREAMS, config: expecting(2) })).code).toBe(0)
    const empty = await write({ input: '', streams: STREAMS, config: expecting(1) })
    expect(trace(empty).message).toContain('0 records of stream "orders"')
  })
})
