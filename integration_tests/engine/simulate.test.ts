// The engine, as `write` composes it, in virtual time: whatever happens, every law holds; and what `npm run simulate` says
// when one does not.

import { execFile } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { describeFailure } from './describe-failure.ts'
import { faults } from './faults.ts'
import { plant } from './plant.ts'
import { simulate } from './simulation.ts'
import { NODE_26, needNode26 } from '../tools/test-parts/need-node26.ts'
import { ownFolder } from '../../src/process/testing/own-folder.ts'

const SEEDS = 2000
const SIMULATE = fileURLToPath(new URL('simulate.ts', import.meta.url))
const workers = availableParallelism()

const faulty = ownFolder('file')

beforeAll(async () => {
  const { edits } = faults.find(({ name }) => name === 'superseded never settled')!
  await plant(edits, faulty)
})

test.each([
  ['seeds that are always the same', 0],
  ['seeds that nobody has seen', SEEDS + Math.floor(Math.random() * 2 ** 30)],
])(`every law holds in ${SEEDS} histories: %s`, async (_, from) => {
  const { totals, failure } = await simulate({ from, to: from + SEEDS, workers })
  if (failure) expect.fail(await describeFailure(failure, undefined))
  expect(totals.histories).toBe(SEEDS)
  expect(totals.attempts).toBeGreaterThan(SEEDS)
})

test('the same seeds come to the same with any number of workers', async () => {
  const runs = await Promise.all([
    run(process.execPath, '--seeds', '60', '--workers', '1'),
    run(process.execPath, '--seeds', '60', '--workers', '2'),
    run(process.execPath, '--seeds', '60', '--from', '1', '--workers', '1'),
  ])
  expect(runs.map(({ code }) => code)).toEqual([0, 0, 0])
  const [one, two, shifted] = runs.map(({ output }) => timeless(output))
  expect(one).toMatch(
    /^Every law holds in 60 histories: \d+ records, \d+ attempts, \d+ hours of virtual time \(, digest [0-9a-f]+\)\.\n$/,
  )
  expect(two).toBe(one)
  expect(shifted).not.toBe(one)
})

test('the same seeds come to the same on another Node', async (context) => {
  needNode26(context)
  const [one, other] = await Promise.all([process.execPath, NODE_26].map((node) => run(node, '--seeds', '60')))
  expect([one!.code, other!.code]).toEqual([0, 0])
  expect(timeless(other!.output)).toBe(timeless(one!.output))
})

function timeless(output: string): string {
  return output.replace(/\([\d.]+ s/, '(')
}

test('a failing seed says which law, prints its history, and replays alone', async () => {
  const first = await run(process.execPath, '--seeds', '1000', '--engine', faulty)
  expect(first.code).toBe(1)
  const [, seed, law] = /^Seed (\d+) breaks a law: (.*)$/m.exec(first.output)!
  expect(first.output).toContain('The history:')
  expect(first.output).toMatch(/^ +\d+\.\d{3} {2}chunk: /m)
  expect(first.output).toContain(`npm run simulate -- --seed ${seed} --engine ${faulty}`)

  const again = await run(process.execPath, '--seed', seed!, '--engine', faulty)
  expect(again.code).toBe(1)
  expect(again.output).toContain(`Broken: ${law}`)
  expect(first.output.startsWith(again.output.trim())).toBe(true)
  expect(await run(process.execPath, '--seed', seed!, '--engine', faulty)).toEqual(again)

  const smallest = await run(process.execPath, '--seed', seed!, '--engine', faulty, '--smallest')
  expect(smallest.code).toBe(1)
  expect(smallest.output.length).toBeLessThanOrEqual(again.output.length)
  const sane = await run(process.execPath, '--seed', seed!)
  expect([sane.code, sane.output.startsWith('Every law holds.')]).toEqual([0, true])
})

test.each([['--seeds', '0'], ['--from', '1e3'], ['--sead', '1'], ['more']])(
  'what is not understood is said: %s %s',
  async (...args) => {
    const { code, output } = await run(process.execPath, ...args)
    expect(code).toBe(2)
    expect(output).toContain('Usage: npm run simulate')
  },
)

function run(node: string, ...args: readonly string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    execFile(node, [SIMULATE, ...args], { maxBuffer: 64 * 1_048_576 }, (error, output, errors) => {
      resolve({ code: error ? Number(error.code) : 0, output: output + errors })
    })
  })
}
