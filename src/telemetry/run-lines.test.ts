import { expect, test } from 'vitest'
import type { EndingFacts } from '../core/tally.ts'
import type { LogFields } from '../process/io.ts'
import { facts, topic, type Changes } from '../run/testing/facts.ts'
import { runLines, streamLines } from './run-entries.ts'

const running = (at: number, delivery: Changes['delivery'] = {}) =>
  facts({ at, topics: [topic({ records: at })], delivery })

test('it comes as often as asked, and once at the end', async () => {
  const entries: LogFields[] = []
  const log = async (_level: string, _message: string, fields: LogFields = {}): Promise<void> =>
    void entries.push(fields)
  {
    using progress = streamLines(log)
    for (let at = 0; at <= 130_000; at += 1000) {
      progress.show(running(at))
      await Promise.resolve()
    }
  }
  expect(entries.map((fields) => [fields['records'], fields['records_per_second']])).toEqual([
    [60_000, 1000],
    [120_000, 1000],
    [130_000, 1000],
  ])
})

test('an end that takes more than 2 s is told of, and again every 10 s', async () => {
  const entries: [string, LogFields][] = []
  const log = async (_level: string, message: string, fields: LogFields = {}): Promise<void> =>
    void entries.push([message, fields])
  {
    using progress = streamLines(log)
    for (let at = 0; at <= 30_000; at += 1000) {
      const inFlight = at < 20_000 ? 1 : 0
      progress.show({ ...running(at, { inFlight }), stopping: at >= 5000 })
      await Promise.resolve()
    }
  }
  expect(entries.map(([, fields]) => fields['uptime_seconds'])).toEqual([7, 17, 27, 30])
  expect(entries.map(([message]) => message.includes('; stopping; '))).toEqual([true, true, true, true])
  const leaving = 'the last offsets are committed, the group is left'
  expect(entries.map(([message]) => message.includes(leaving))).toEqual([false, false, true, false])
})

test('a stream that never showed anything ends without an entry', () => {
  let entries = 0
  streamLines(async () => void entries++)[Symbol.dispose]()
  expect(entries).toBe(0)
})

test('a line a minute, none while one has not left, none after the end', async () => {
  const said: string[] = []
  let left = Promise.withResolvers<void>()
  const log = (level: string, message: string): Promise<void> => {
    said.push(`${level} ${message}`)
    return left.promise
  }
  const lines = runLines(log, ({ at }) => ({ message: `at ${at}` }))
  lines.show(running(0))
  lines.show(running(59_000))
  expect(said).toEqual([])
  lines.show(running(60_000))
  lines.show(running(120_000))
  expect(said).toEqual(['info at 60000'])
  left.resolve()
  left = Promise.withResolvers()
  left.resolve()
  await new Promise((resolve) => setImmediate(resolve))
  lines.show(running(180_000))
  expect(said).toEqual(['info at 60000', 'info at 180000'])
})

test('an end of reading that takes more than 2 s is told of, then every 10 s', async () => {
  const said: string[] = []
  const log = async (level: string, message: string): Promise<void> => void said.push(`${level} ${message}`)
  const lines = runLines(log, ({ at }) => ({ message: `at ${at}` }))
  for (let at = 0; at < 58_000; at += 1000) {
    lines.show(at < 31_000 ? running(at) : running(at, { ending: { isReadingOver: true } as EndingFacts }))
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(said).toEqual(['info at 33000', 'info at 43000', 'info at 53000'])
})
