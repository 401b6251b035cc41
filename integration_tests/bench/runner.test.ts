// The bench's runner: inputs, completeness, medians, bars and tables. No timing is asserted: the bench itself does that.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { checkOutput } from '../../bench/check-output.ts'
import { writeMessages } from '../../bench/generate.ts'
import { createInputs } from '../../bench/inputs.ts'
import { judgeRows, judgeScenario, judgeStartup } from '../../bench/judge.ts'
import { measureProgram } from '../../bench/measure-program.ts'
import { nestedRecord, smallRecord } from '../../bench/records.ts'
import { tableOfRows } from '../../bench/report.ts'
import type { Row } from '../../bench/row.ts'
import { runScenario } from '../../bench/run-scenario.ts'
import { SCENARIOS, type Scenario } from '../../bench/scenarios.ts'
import { startServer } from '../../bench/start-server.ts'
import { median } from '../../bench/statistics.ts'
import { ownFolder } from '../../src/process/testing/own-folder.ts'

const ORDINARY = fileURLToPath(new URL('../../bench/ordinary.mjs', import.meta.url))
const never = new AbortController().signal

const directory = ownFolder('file')

function at(name: string): string {
  return join(directory, name)
}

interface Line {
  type: string
  record?: { stream: string; data: { id: number } }
}

function linesOf(files: readonly string[]): Line[] {
  const text = files.map((file) => readFileSync(file, 'utf8')).join('')
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
}

describe('inputs', () => {
  test('hold the records and states they say, keys all distinct, in the sizes the scenarios are named after', () => {
    const wanted = { text: nestedRecord, records: 10_000, stateEvery: 3000 }
    const nested = writeMessages(at('a'), wanted)
    writeMessages(at('b'), wanted)
    const text = readFileSync(at('a'), 'utf8')
    // the same each time
    expect(readFileSync(at('b'), 'utf8')).toBe(text)
    expect(nested).toMatchObject({ records: 10_000, states: 4, bytes: Buffer.byteLength(text) })
    const lines = linesOf(nested.files)
    const records = lines.flatMap(({ record }) => record ?? [])
    expect(new Set(records.map(({ data }) => data.id)).size).toBe(10_000)
    expect(new Set(records.map(({ stream }) => stream)).size).toBe(3)
    expect(lines.filter(({ type }) => type === 'STATE')).toHaveLength(4)
    const small = writeMessages(at('small'), { ...wanted, text: smallRecord, firstId: 300_000 })
    expect(small.bytes / small.records).toSatisfy((size: number) => size > 228 && size < 248)
    expect(nested.bytes / nested.records).toSatisfy((size: number) => size > 1400 && size < 1560)
    expect(text).toMatch(/"ledger":\d{18},/)
    expect(text).toMatch(/"ledger":\d{19},/)
    for (const mark of ['京', '🚀', String.raw`\"`, String.raw`\u00e9`, String.raw`\n`]) expect(text).toContain(mark)
    // the server counts points by it
    expect(text).not.toContain('"keys"')
  })

  test('five times the input has five times the records, keys still distinct, states still rising', () => {
    using inputs = createInputs(0.001)
    const large = inputs.messages('large')
    expect(large.records).toBe(5 * inputs.messages('small').records)
    const lines = linesOf(large.files)
    expect(new Set(lines.flatMap(({ record }) => record?.data.id ?? [])).size).toBe(2500)
    const states = lines.filter(({ type }) => type === 'STATE').map((state) => JSON.stringify(state))
    expect(checkOutput(states.join('\n'), large)).toBeUndefined()
  })
})

describe('completeness', () => {
  const state = (stream: string, id: number): string =>
    `{"type":"STATE","state":{"stream":{"stream_descriptor":{"name":"${stream}"},"stream_state":{"id":${id}}}}}\n`

  test('is every STATE, in order within its stream, with other messages between', () => {
    const log = '{"type":"LOG","log":{"level":"INFO","message":"hello"}}\n'
    expect(checkOutput(state('a', 2) + log + state('b', 1) + state('a', 3), { states: 3 })).toBeUndefined()
  })

  test.each([
    ['a missing STATE', state('a', 1), /1 of 2/],
    ['one too many', state('a', 1) + state('a', 2) + state('a', 3), /3 of 2/],
    ['the same twice', state('a', 1) + state('a', 1), /at 1 came after the one at 1/],
    ['one out of order', state('a', 2) + state('a', 1), /at 1 came after the one at 2/],
    ['a TRACE ERROR', state('a', 1) + state('a', 2) + '{"type":"TRACE","trace":{"type":"ERROR"}}', /TRACE ERROR/],
  ])('%s is found', (_, stdout, wrong) => {
    expect(checkOutput(stdout, { states: 2 })).toMatch(wrong)
  })
})

describe('measured', () => {
  test('the ordinary destination, in both modes: complete, with its own figures', async () => {
    await using server = await startServer()
    using inputs = createInputs(0.001)
    const scenario: Scenario = {
      name: 'test',
      cases: [
        { name: 'ordinary', program: 'ordinary', input: 'small', mode: 'append_dedup', latencyMs: 0 },
        { name: 'ours', program: 'ours', input: 'nested', mode: 'append', latencyMs: 1 },
      ],
      ratios: [],
    }
    const progress: string[] = []
    const rows = await runScenario(
      scenario,
      {
        programs: { ordinary: ORDINARY, ours: ORDINARY },
        inputs,
        server,
        rounds: 1,
        progress: (line) => progress.push(line),
      },
      never,
    )
    expect(rows.map(({ name, records }) => [name, records])).toEqual([
      ['ordinary', 500],
      ['ours', 100],
    ])
    for (const row of rows) {
      expect(row.requests).toBeGreaterThan(0)
      expect(row.cpuSeconds).toBeGreaterThan(0)
      expect(row.peakRssBytes).toBeGreaterThan(20e6)
    }
    expect(progress).toHaveLength(2)
  })

  test('a program that loses records, states or its life is no measurement', async () => {
    await using server = await startServer()
    using inputs = createInputs(0.001)
    const run = async (script: string): Promise<unknown> => {
      writeFileSync(at('program.mjs'), script)
      const bench = { programs: { ordinary: at('program.mjs'), ours: at('program.mjs') }, inputs, server, rounds: 1 }
      return await runScenario(SCENARIOS[0]!, { ...bench, progress: () => {} }, never)
    }
    const input = inputs.messages('small')
    const states = linesOf(input.files).filter(({ type }) => type === 'STATE')
    const print = `process.stdin.resume(); console.log(${JSON.stringify(states.map((it) => JSON.stringify(it)).join('\n'))});`
    await expect(run(print)).rejects.toThrow('0 points arrived of 500 records')
    await expect(run('process.stdin.resume()')).rejects.toThrow('0 of 1 STATE messages were printed')
    await expect(run(`${print} process.exitCode = 3; console.error('why')`)).rejects.toThrow(/exit code 3[^]*why/)
  })

  test('a program that hangs ends with the bench', async () => {
    const stop = new AbortController()
    writeFileSync(
      at('hang.mjs'),
      `import fs from 'node:fs'; fs.writeFileSync(process.argv[2], ''); setInterval(() => {}, 1000)`,
    )
    writeFileSync(at('empty'), '')
    // It only settles when every process of the pipeline has let go of its pipes.
    const measured = measureProgram([at('hang.mjs'), at('running')], [at('empty')], stop.signal)
    await expect.poll(() => existsSync(at('running')), { timeout: 20_000 }).toBe(true)
    stop.abort(new Error('interrupted'))
    await expect(measured).rejects.toThrow('interrupted')
  })
})

test('the median is the middle one, or the mean of the middle two', () => {
  expect(median([10, 9, 100])).toBe(10)
  expect(median([4, 1, 3, 2])).toBe(2.5)
  expect(() => median([])).toThrow(RangeError)
})

const ROW: Row = {
  scenario: 'small-dedup',
  name: 'ordinary',
  program: 'ordinary',
  records: 500_000,
  bytes: 119_000_000,
  seconds: 4,
  cpuSeconds: 4.2,
  peakRssBytes: 260e6,
  requests: 5000,
  serverBusy: 0.1,
}
const OURS: Row = { ...ROW, name: 'ours', program: 'ours', seconds: 1, cpuSeconds: 1.1, peakRssBytes: 120e6 }

describe('bars', () => {
  // rates where the inputs differ in size
  test.each<[Partial<Row>, Partial<Row>, readonly boolean[]]>([
    [{}, {}, [true, true]],
    [{}, { seconds: 1.4 }, [false, true]],
    [{}, { cpuSeconds: 1.8 }, [true, false]],
    [{ records: 20_000, seconds: 0.1 }, {}, [false, true]],
    [{ records: 20_000, seconds: 0.16 }, {}, [true, true]],
  ])('of a scenario are met or missed, each for itself: %j beside %j', (first, second, met) => {
    const verdicts = judgeScenario(SCENARIOS[0]!, [
      { ...ROW, ...first },
      { ...OURS, ...second },
    ])
    expect(verdicts.map(({ pass }) => pass)).toEqual(met)
  })

  test('of all: the memory of ours counts, that of the ordinary one does not; a busy server spoils the run', () => {
    const met = (...rows: readonly Row[]): boolean[] => judgeRows(rows).map(({ pass }) => pass)
    expect(met(ROW, OURS)).toEqual([true, true])
    expect(met(ROW, OURS, { ...OURS, peakRssBytes: 171e6 })).toEqual([false, true])
    expect(met(ROW, { ...OURS, serverBusy: 0.9 })).toEqual([true, false])
  })

  test('spec beside a Node that does nothing', () => {
    const met = [0.037, 0.038].map((specSeconds) => judgeStartup({ nodeSeconds: 0.025, specSeconds }).pass)
    expect(met).toEqual([true, false])
  })
})

test('rows have aligned columns, points per request among them', () => {
  const [head, , ...rows] = tableOfRows([ROW, { ...ROW, name: 'ours', seconds: 0.8, requests: 5100 }]).split('\n')
  expect([head, ...rows]).toEqual([
    'scenario     program     rec/s   MB/s  wall s  CPU s  peak RSS MB  requests  points/req  server busy %',
    'small-dedup  ordinary  125,000   29.8    4.00   4.20          260     5,000       100.0             10',
    'small-dedup  ours      625,000  148.8    0.80   4.20          260     5,100        98.0             10',
    '',
  ])
})
