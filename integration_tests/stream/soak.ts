// `npm run soak -- kafka`: a group of `stream` processes through everything that happens to groups, round after round, or a long
// absence of the service. Its last lines are what happened, in numbers, and the laws that were broken.

import { parseArgs } from 'node:util'
import { runCommand } from '../tools/command.ts'
import { startBroker } from '../kafka/broker.ts'
import { startIsolatingBroker } from './isolating-broker.ts'
import type { RunVerdict } from './judge.ts'
import { playOutage, playRound, type RoundOptions } from './rounds.ts'

const USAGE = `Usage: npm run soak -- kafka [--minutes M] [--messages N] [--outage SECONDS] [--routed] [--seed S]

  --minutes M       rounds are begun for so long; one at least (a round takes about six minutes)
  --messages N      of a round; 500000 without it
  --outage SECONDS  the service is away for so long, in place of all else
  --routed          the topic goes to eight tables from the first round on; without it in every second round
`

interface Options {
  readonly minutes: number
  readonly messages: number
  readonly outageSeconds: number | undefined
  readonly routed: boolean
  readonly seed: number
}

/** @throws TypeError when there is something that is not understood */
function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '1' },
      messages: { type: 'string', default: '500000' },
      outage: { type: 'string' },
      routed: { type: 'boolean', default: false },
      seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    },
  })
  const numberOf = (name: 'minutes' | 'messages' | 'outage' | 'seed'): number => {
    const number = Number(values[name])
    if (!(number >= 0 && number < 2 ** 32)) throw new TypeError(`--${name} must be a number, not "${values[name]}".`)
    return number
  }
  return {
    minutes: numberOf('minutes'),
    messages: numberOf('messages'),
    routed: values.routed,
    outageSeconds: values.outage === undefined ? undefined : numberOf('outage'),
    seed: numberOf('seed'),
  }
}

/** Produced while things happen; what is left of `messages` comes at the end. */
const RECORDS_PER_SECOND = 1500
const OUTAGE_RECORDS_PER_SECOND = 300

/** @returns the exit code */
async function main(options: Options, signal: AbortSignal): Promise<number> {
  const started = performance.now()
  const minutes = (): number => (performance.now() - started) / 60_000
  const say = (what: string): void => console.log(`${(minutes() * 60).toFixed(1).padStart(7)} s  ${what}`)
  for (let round = 0; round === 0 || (minutes() < options.minutes && options.outageSeconds === undefined); round++) {
    const seed = options.seed + round
    const isRouted = options.routed || round % 2 === 1
    say(`seed ${seed}${isRouted ? ', a topic of eight tables' : ''}`)
    const verdict = await play(options, { seed, isRouted, say, signal })
    const { faults, ...figures } = verdict
    console.table([figures])
    for (const fault of faults) console.log(`A broken law, seed ${seed}: ${fault}`)
    if (faults.length > 0) return 1
  }
  say('no law was broken')
  return 0
}

async function play(
  { messages, outageSeconds }: Options,
  round: Pick<RoundOptions, 'seed' | 'isRouted' | 'say'> & { readonly signal: AbortSignal },
): Promise<RunVerdict> {
  await using cluster = await startIsolatingBroker(startBroker, round.signal)
  const isOutage = outageSeconds !== undefined
  const recordsPerSecond = isOutage ? OUTAGE_RECORDS_PER_SECOND : RECORDS_PER_SECOND
  const options = { ...round, name: 'soak', records: messages, recordsPerSecond }
  return await (isOutage ? playOutage(cluster, options, outageSeconds * 1000) : playRound(cluster, options))
}

await runCommand(USAGE, (signal) => main(readOptions(), signal))
