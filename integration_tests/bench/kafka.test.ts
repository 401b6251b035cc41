// The bench on a broker: that it runs, sees what is missing, and judges. No timing is asserted: the bench itself does that.

import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { BenchTopics } from '../../bench/kafka/bench-topics.ts'
import { judgeKafka, judgeServer } from '../../bench/kafka/judge.ts'
import type { KafkaRow } from '../../bench/kafka/kafka-row.ts'
import { Member } from '../../bench/kafka/member.ts'
import type { Usage } from '../../bench/kafka/member.ts'
import { MESSAGE_BYTES, messageText } from '../../bench/kafka/message.ts'
import { tableOfKafkaRows } from '../../bench/kafka/report.ts'
import { runKafkaScenario } from '../../bench/kafka/run-scenario.ts'
import { KAFKA_SCENARIOS } from '../../bench/kafka/scenarios.ts'
import type { KafkaScenario } from '../../bench/kafka/scenarios.ts'
import { createRandom } from '../../bench/random.ts'
import { startServer } from '../../bench/start-server.ts'
import { describeKafka } from '../kafka/available.ts'

const RUN = fileURLToPath(new URL('../../bench/kafka/run.ts', import.meta.url))
const ORDINARY = fileURLToPath(new URL('../../bench/kafka/ordinary-consumer.mjs', import.meta.url))
const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

const directory = mkdtempSync(join(tmpdir(), 'kafka-bench-test-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

function program(script: string): string {
  const file = join(directory, `${randomUUID()}.mjs`)
  writeFileSync(file, script)
  return file
}

const never = new AbortController().signal

describeKafka('measured on a broker', (bootstrap) => {
  const scenario = (
    messages: KafkaScenario['messages'],
    members: number,
    beside: KafkaScenario['beside'] = 'ordinary',
  ): KafkaScenario => ({
    name: 'test',
    partitions: members,
    members,
    latencyMs: 1,
    beside,
    tables: 8,
    messages,
    bars: [],
  })

  async function measure(wanted: KafkaScenario, ours: string): Promise<{ rows: KafkaRow[]; progress: string[] }> {
    const progress: string[] = []
    const say = (line: string): unknown => progress.push(line)
    await using topics = await BenchTopics.connect(bootstrap, say)
    await using server = await startServer()
    const bench = { programs: { ordinary: ORDINARY, ours }, topics, server, rounds: 1, progress: say }
    return { rows: await runKafkaScenario(wanted, bench, never), progress }
  }

  test('are both programs, round by round, each to the last message and the last offset', async () => {
    const { rows, progress } = await measure(scenario({ beside: 150, ours: 3000 }, 1), MAIN)
    expect(rows.map(({ program, messages, again }) => [program, messages, again])).toEqual([
      ['ordinary', 150, 0],
      ['ours', 3000, 0],
    ])
    expect(rows[0]!.requests).toBe(2)
    for (const row of rows) {
      expect(row.rate).toBeGreaterThan(0)
      expect(row.cpuSeconds).toBeGreaterThan(0)
      expect(row.peakRssBytes).toBeGreaterThan(20e6)
    }
    expect(progress.filter((line) => line.startsWith('test, '))).toHaveLength(2)
    expect(tableOfKafkaRows(rows)).toMatch(/test {6}ours +1 +3,000 /)
  })

  test('is a topic routed to eight tables, beside the same without a route', async () => {
    const { rows } = await measure(scenario({ beside: 800, ours: 800 }, 1, 'unrouted'), MAIN)
    expect(rows.map(({ program, messages, again }) => [program, messages, again])).toEqual([
      ['unrouted', 800, 0],
      ['ours', 800, 0],
    ])
    expect(rows[1]!.requests).toBeGreaterThanOrEqual(8)
  })

  test('is no program that ends by itself, or leaves messages or offsets behind', async () => {
    const wanted = { beside: 150, ours: 150 }
    const dead = program(`console.error('no reader'); process.exitCode = 3`)
    await expect(measure(scenario(wanted, 2), dead)).rejects.toThrow(
      /a member ended \(3\) and was not asked to\nno reader/,
    )
    const careless = program(`import { readFileSync } from 'node:fs'
      const { import_url } = JSON.parse(readFileSync(process.argv[4], 'utf8'))
      const body = JSON.stringify(Array(150).fill({ keys: ['id'] }))
      await fetch(import_url + '/v2/client/7/table/orders/data', { method: 'POST', body })
      process.on('SIGTERM', () => process.exit(0))
      setInterval(() => {}, 1000)`)
    await expect(measure(scenario(wanted, 1), careless)).rejects.toThrow('partition 0 was committed up to undefined')
  })
})

test.each([
  [['--only', 'no-such'], '--only no-such: there is no such scenario'],
  [['--rounds', '0'], '--rounds takes a whole number from 1 on'],
  [['--program', 'no-such.js'], 'no-such.js is not there: npm run build'],
])('%j is wrong usage', (options, said) => {
  const { status, stdout } = spawnSync(process.execPath, [RUN, ...options], { encoding: 'utf8' })
  expect(stdout).toContain(said)
  expect(status).toBe(2)
})

test('messages are 200 bytes of JSON each, the same on every run', () => {
  const texts = (): string[] => {
    const random = createRandom(1)
    return Array.from({ length: 2000 }, (_, index) => messageText(index * 4999 + 1, random))
  }
  expect(texts()).toEqual(texts())
  for (const [index, text] of texts().entries()) {
    expect(Buffer.byteLength(text)).toBe(MESSAGE_BYTES)
    expect(JSON.parse(text)).toMatchObject({ id: index * 4999 + 1 })
    // the server counts points by it
    expect(text).not.toContain('"keys"')
  }
})

describe('a measured process', () => {
  const asked = async (exitCode: number): Promise<Usage> => {
    const ready = join(directory, `ready-${exitCode}`)
    await using member = new Member([
      program(`import fs from 'node:fs'
        process.on('SIGTERM', () => process.exit(${exitCode}))
        setInterval(() => {}, 1000)
        fs.writeFileSync(${JSON.stringify(ready)}, '')`),
    ])
    await expect.poll(() => existsSync(ready), { timeout: 20_000 }).toBe(true)
    return await member.stop()
  }

  test('is told to stop and tells what it used', async () => {
    expect((await asked(143)).peakRssBytes).toBeGreaterThan(20e6)
  })

  test('that ends otherwise when it is stopped is no measurement', async () => {
    await expect(asked(5)).rejects.toThrow('ended with 5')
  })
})

const ROW: KafkaRow = {
  scenario: 'instant-1-member',
  program: 'ordinary',
  members: 1,
  messages: 500_000,
  rate: 50_000,
  steadyRate: 60_000,
  seconds: 10,
  cpuSeconds: 10,
  peakRssBytes: 200e6,
  requests: 5000,
  again: 0,
  serverBusy: 0.1,
}

describe('bars', () => {
  const scenario = KAFKA_SCENARIOS.find(({ name }) => name === 'instant-1-member')!
  const passes = (ours: Partial<KafkaRow>): boolean[] =>
    judgeKafka(scenario, [ROW, { ...ROW, program: 'ours', ...ours }]).map(({ pass }) => pass)

  test('are met with start-up and without, each for itself', () => {
    expect(passes({ rate: 100_000, steadyRate: 120_000 })).toEqual([true, true, true, true])
    expect(passes({ rate: 99_999, steadyRate: 120_000 })).toEqual([false, true, false, true])
    expect(passes({ rate: 100_000, steadyRate: 119_000 })).toEqual([true, true, true, false])
  })

  test('of requests', () => {
    const many = KAFKA_SCENARIOS.find(({ name }) => name === '50ms-64-tables')!
    const met = (requests: number) => judgeKafka(many, [ROW, { ...ROW, requests }]).map(({ pass }) => pass)
    expect([met(10_000), met(10_001)]).toEqual([[true], [false]])
  })

  test('a busy server spoils the run', () => {
    expect(judgeServer([ROW]).map(({ pass }) => pass)).toEqual([true])
    expect(judgeServer([ROW, { ...ROW, serverBusy: 0.9 }]).map(({ pass }) => pass)).toEqual([false])
    expect(judgeServer([])).toEqual([])
  })

  test('are those of the table', () => {
    expect(KAFKA_SCENARIOS.flatMap(({ name, bars }) => bars.map((bar) => [name, ...Object.values(bar)]))).toEqual([
      ['50ms-one-partition', 'times', 10],
      ['instant-1-member', 'rate', 100_000],
      ['instant-1-member', 'times', 2],
      ['instant-8-tables', 'times', 0.9],
      ['50ms-64-tables', 'requests', 2],
    ])
  })
})
