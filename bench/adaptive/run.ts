// `npm run bench -- adaptive`: the connector nobody tuned against services of every shape, and against itself tuned by hand.
// `-- --only NAME`, `-- --quick` (each fixed setting 8 s, three of them).

import { parseArgs } from 'node:util'
import { createInputs } from '../inputs.ts'
import { textTable } from '../../src/text/text-table.ts'
import { runStates } from './run-states.ts'
import { runShaped, ShapedServer } from './run-shaped.ts'
import { BEST, FIXED, rate, SCENARIOS, type Scenario } from './scenarios.ts'
import { PLAIN, type Tenth } from './shape.ts'

const { values } = parseArgs({ options: { only: { type: 'string', multiple: true }, quick: { type: 'boolean' } } })
const chosen = SCENARIOS.filter(({ name }) => values.only?.includes(name) ?? true)
if (chosen.length === 0 && !values.only?.includes('hot-key'))
  throw new Error(`there are ${SCENARIOS.map(({ name }) => name).join(', ')}, hot-key`)

const rows: string[][] = []
let missed = 0
await using server = await ShapedServer.start()
using inputs = createInputs(1)

for (const scenario of chosen) {
  const seen = await runShaped({ shape: scenario.shape, options: {}, seconds: scenario.seconds }, server, inputs)
  for (const { says, of, atLeast, atMost } of scenario.demands) {
    const found = of(seen)
    judge(scenario.name, says, found, atLeast === undefined ? '<=' : '>=', atLeast ?? atMost!)
  }
  if (scenario.againstFixed) await compare(scenario, seen)
}
if (values.only?.includes('hot-key') ?? true) await hotKey()
process.stdout.write(`${textTable(['service', 'what', 'found', 'bar', ''], rows, 140)}\n`)
process.exitCode = missed === 0 ? 0 : 1

async function hotKey(): Promise<void> {
  const shape = { ...PLAIN, latencyMs: 20 }
  const cold = await runStates({ shape, chunks: 1000, hot: 0 }, server, inputs)
  const hot = await runStates({ shape, chunks: 1000, hot: 0.15 }, server, inputs)
  judge('hot-key', 'records/s with a key of 15 % over without', hot.recordsPerSecond / cold.recordsPerSecond, '>=', 0.5)
  for (const [name, { delays }] of Object.entries({ 'hot-key': hot, 'no hot key': cold }))
    judge(name, 'p99 of STATE to STATE, seconds', delays[Math.floor(delays.length * 0.99)]! / 1000, '<=', 2)
}

async function compare(scenario: Scenario, adaptive: readonly Tenth[]): Promise<void> {
  const seconds = values.quick ? 8 : scenario.seconds
  const rates: string[] = []
  let most = 0
  for (const concurrency of values.quick ? [8, 32, 128] : FIXED) {
    const fixed = rate(
      await runShaped({ shape: scenario.shape, options: { concurrency }, seconds }, server, inputs),
      0,
      seconds,
    )
    rates.push(`${concurrency}: ${fixed.toFixed(0)}`)
    most = Math.max(most, fixed)
  }
  const own = rate(adaptive, 0, seconds)
  judge(
    scenario.name,
    `requests/s, start included, over the best by hand (${own.toFixed(0)}; ${rates.join(', ')})`,
    own / most,
    '>=',
    BEST,
  )
}

function judge(name: string, says: string, found: number, relation: '<=' | '>=', bar: number): void {
  const met = relation === '>=' ? found >= bar : found <= bar
  if (!met) missed++
  rows.push([name, says, found.toFixed(3), `${relation} ${bar}`, met ? 'met' : 'MISSED'])
  process.stderr.write(`${name}: ${says}: ${found.toFixed(3)} (${relation} ${bar}) ${met ? '' : 'MISSED'}\n`)
}
