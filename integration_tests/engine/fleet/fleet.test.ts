// Clients that share a service, and one alone, in virtual time: every law holds; and members without bodies behave as whole engines do.

import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { AdaptivePermits } from '../../../src/core/concurrency/limit.ts'
import { playFleet } from './play-fleet.ts'
import { PERMITS, playFleets } from './run.ts'
import { perSecond, type ServicePlan } from './shared-service.ts'
import { playEngines } from './whole-engines.ts'

// What is not kept. A limit that says only a plain 503 is refused up to what is tolerated of chance, and shared as chance has it
// (decisions.md); of four at once, one is a quarter. Pauses of a second keep ten members at a limit by the second from meeting (Jain's
// index 0.84 and more, for 0.9).
const MISSED: readonly (readonly [row: RegExp, figures: readonly string[]])[] = [
  [/ each, 503, (bucket|second)| a second, 503, | at once, 503 /, ['refused %', 'Jain']],
  [/ 4 at once, 503 /, ['used']],
  [/ 10 members: (50|100) each, \d+ Retry-After, second /, ['Jain']],
]

const BROKEN = /(\S+(?: [s%])?) [\d.]+ \([\d.]+\) ✗/g

/** Rows, each with its broken figures that are not known to be missed. */
const broken = (rows: Awaited<ReturnType<typeof playFleets>>): [string, string[]][] =>
  rows.flatMap(([row]): [string, string[]][] => {
    const missed = new Set(MISSED.flatMap(([of, figures]) => (of.test(row) ? figures : [])))
    const found = [...row.matchAll(BROKEN)].map(([, name]) => name!).filter((name) => !missed.has(name))
    return found.length > 0 ? [[row, found]] : []
  })

const options = { alone: false, members: [2, 10], only: '', seeds: 2, permits: PERMITS }

test('every law holds for 2 and for 10 clients of one service', async () => {
  const rows = await playFleets(options)
  expect(rows.length).toBeGreaterThan(75)
  expect(broken(rows)).toEqual([])
})

test('every law holds for one client alone', async () => {
  const rows = await playFleets({ ...options, alone: true, only: ': 50 ms', seeds: 5 })
  expect(rows.length).toBeGreaterThan(40)
  expect(broken(rows)).toEqual([])
})

test('two whole engines behave as two members without bodies do, and lose nothing', async () => {
  const service = (): ServicePlan => ({ ms: 50, limit: perSecond(100, 'bucket', 429) })
  const { seen, good, sources, ends } = await playEngines(service(), 2, 60)
  expect(ends).toEqual(['complete', 'complete'])
  for (const { rows, settledRows } of sources) {
    expect(rows).toBeGreaterThan(1000)
    expect(settledRows).toEqual(Array.from({ length: rows / 16 }, (_, index) => (index + 1) * 16))
  }
  const members = [
    { from: 0, to: Infinity },
    { from: 0, to: Infinity },
  ]
  const played = playFleet({ service, members, seconds: 60 }, AdaptivePermits as never, 1)
  const total = (counts: Float64Array): number => counts.subarray(20, 60).reduce((sum, n) => sum + n, 0) / 4000
  expect(Math.abs(total(seen.good) - total(played.seen.good))).toBeLessThan(0.05)
  expect(Math.abs(total(seen.refused) - total(played.seen.refused))).toBeLessThan(0.02)
  const shares = good.map(total)
  expect(Math.min(...shares) / Math.max(...shares)).toBeGreaterThan(0.5)
})

test.each([
  ['--fleet', '--members', '0'],
  ['--fleet', '--seeds', 'x'],
  ['--fleet', '--sead', '1'],
])('what is not understood is said: %s %s %s', async (...args) => {
  const simulate = fileURLToPath(new URL('../simulate.ts', import.meta.url))
  const [code, said] = await new Promise<[unknown, string]>((resolve) => {
    execFile(process.execPath, [simulate, ...args], (error, _, errors) => resolve([error?.code, errors]))
  })
  expect([code, said.includes('npm run simulate -- --fleet')]).toEqual([2, true])
})
