// The bench on a broker: that it runs, sees what is missing, and judges. No timing is asserted: the bench itself does that.

import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { BenchTopics } from '../../bench/kafka/bench-topics.ts'
import { judgeKafka } from '../../bench/kafka/judge.ts'
import type { KafkaRow } from '../../bench/kafka/kafka-row.ts'
import { MESSAGE_BYTES, messageText } from '../../bench/kafka/message.ts'
import { tableOfKafkaRows } from '../../bench/kafka/report.ts'
import { runKafkaScenario } from '../../bench/kafka/run-scenario.ts'
import { KAFKA_SCENARIOS, type KafkaScenario } from '../../bench/kafka/scenarios.ts'
import { createRandom } from '../../bench/random.ts'
import { startServer } from '../../bench/start-server.ts'
import { describeKafka } from '../kafka/available.ts'
import { ownFolder } from '../../src/process/testing/own-folder.ts'

const ORDINARY = fileURLToPath(new URL('../../bench/kafka/ordinary-consumer.mjs', import.meta.url))
const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

const directory = ownFolder('file')

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
    const careless = (code: number): string =>
      program(`import { readFileSync } from 'node:fs'
      const { import_url } = JSON.parse(readFileSync(process.argv[4], 'utf8'))
      const body = JSON.stringify(Array(150).fill({ keys: ['id'] }))
      await fetch(import_url + '/v2/client/7/table/orders/data', { method: 'POST', body })
      process.on('SIGTERM', () => process.exit(${code}))
      setInterval(() => {}, 1000)`)
    const behind = 'partition 0 was committed up to undefined'
    await expect(measure(scenario(wanted, 1), careless(0))).rejects.toThrow(behind)
    await expect(measure(scenario(wanted, 1), careless(5))).rejects.toThrow('asked to stop ended with 5')
  })
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

test.each<[string, Partial<KafkaRow>, readonly boolean[]]>([
  ['instant-1-member', { rate: 100_000, steadyRate: 120_000 }, [true, true, true, true]],
  ['instant-1-member', { rate: 99_999, steadyRate: 120_000 }, [false, true, false, true]],
  ['instant-1-member', { rate: 100_000, steadyRate: 119_000 }, [true, true, true, false]],
  ['50ms-64-tables', { requests: 10_000 }, [true]],
  ['50ms-64-tables', { requests: 10_001 }, [false]],
])('the bars of %s, with %j beside the ordinary one', (name, ours, met) => {
  const scenario = KAFKA_SCENARIOS.find((one) => one.name === name)!
  expect(judgeKafka(scenario, [ROW, { ...ROW, program: 'ours', ...ours }]).map(({ pass }) => pass)).toEqual(met)
})
