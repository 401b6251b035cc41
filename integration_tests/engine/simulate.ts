// `npm run simulate`: plays the engine, as `write` composes it, through histories made of seeds, in virtual time, until a
// law is broken. What it prints is the same for the same seeds, but for the seconds.

import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { progress, runCommand, wholeNumber } from '../tools/command.ts'
import { describeFailure, engineOf } from './describe-failure.ts'
import { playEvery, type EveryOptions } from './every/command.ts'
import { FLEET_USAGE, simulateFleets } from './fleet/run.ts'
import { play } from './play.ts'
import { explain, historyOf, smallest } from './seeds.ts'
import { simulate, type Totals } from './simulation.ts'
import { WORLDS_USAGE, simulateWorlds } from './worlds/run.ts'

const USAGE = `Usage: npm run simulate -- [--seeds N] [--from S] [--workers N]   plays the seeds S … S+N-1 (0 … 9999)
       npm run simulate -- --seed X [--smallest]               plays one and prints what happens in it,
                                                               or in the smallest history found like it
       npm run simulate -- --every [--small] [--world NAME]    plays all histories of small worlds (every/worlds.ts)
       npm run simulate -- --every --world NAME --choices C,…  plays one of those and prints what happens in it
       --engine DIR                                            plays a copy of src's rooms core and service
${FLEET_USAGE}
${WORLDS_USAGE}`

interface Options extends EveryOptions {
  readonly every: boolean
  readonly seeds: number
  readonly from: number
  readonly seed: number | undefined
  readonly smallest: boolean
}

/** @throws TypeError when there is something that is not understood */
function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string', default: '10000' },
      from: { type: 'string', default: '0' },
      workers: { type: 'string', default: String(availableParallelism()) },
      seed: { type: 'string' },
      smallest: { type: 'boolean', default: false },
      engine: { type: 'string' },
      every: { type: 'boolean', default: false },
      small: { type: 'boolean', default: false },
      world: { type: 'string' },
      choices: { type: 'string' },
    },
  })
  return {
    ...values,
    seeds: wholeNumber('seeds', values.seeds, 1),
    from: wholeNumber('from', values.from, 0),
    workers: wholeNumber('workers', values.workers, 1),
    seed: values.seed === undefined ? undefined : wholeNumber('seed', values.seed, 0),
  }
}

/** @returns the exit code */
async function playMany({ seeds, from, workers, engine: directory }: Options): Promise<number> {
  const started = performance.now()
  const { totals, failure } = await simulate({
    from,
    to: from + seeds,
    workers,
    directory,
    onProgress: ({ histories }) => progress(`${histories} of ${seeds} histories`),
  })
  progress('')
  if (failure) {
    console.log(await describeFailure(failure, directory))
    return 1
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(`Every law holds in ${inWords(totals)} (${seconds} s, digest ${totals.digest.toString(16)}).`)
  return 0
}

/** @returns the exit code */
async function playOne(seed: number, options: Options): Promise<number> {
  const played = await engineOf(options.engine)
  const history = options.smallest ? await smallest(played, seed) : historyOf(seed)
  console.log(await explain(played, history))
  return (await play(played, history)).broken ? 1 : 0
}

function inWords({ histories, records, attempts, virtualMs }: Totals): string {
  const hours = Math.round(virtualMs / 3_600_000)
  return `${histories} histories: ${records} records, ${attempts} attempts, ${hours} hours of virtual time`
}

await runCommand(USAGE, () => {
  if (process.argv.includes('--fleet')) return simulateFleets()
  if (process.argv.includes('--worlds')) return simulateWorlds()
  const options = readOptions()
  if (options.every) return playEvery(options)
  return options.seed === undefined ? playMany(options) : playOne(options.seed, options)
})
