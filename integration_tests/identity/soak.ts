// `npm run soak -- identity`: a stream that fetches its tokens, through all that happens to a token server. Its last lines are what
// became of each round, in numbers, and what was not as it is promised.

import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startBroker } from '../kafka/broker.ts'
import { BROKER, giveLeave } from '../kafka/leave.ts'
import { openScene, playRound, type Round, type RoundOptions } from './round.ts'
import type { TokenServer, Behaviour } from './token-server.ts'

interface Play extends RoundOptions {
  readonly what: string
  readonly server: Behaviour
  /** What must hold beside exact rows. */
  readonly promised: Partial<Round>
}

const CALM = { rebalances: 1, restarts: 0, expired: 0 }

/** @param minutes of the first */
function plays(minutes: number, server: TokenServer): readonly Play[] {
  const away = async (): Promise<void> => {
    await sleep(20_000)
    await server.stop()
    await sleep(120_000)
    await server.start()
  }
  const short = { seconds: 60, subjects: 'same', delayMs: 0 } as const
  // brokers look for keys once a minute
  const rotated = async (): Promise<void> => {
    await sleep(5_000)
    await server.rotate('both')
    await sleep(65_000)
    await server.rotate('turn')
  }
  const rotatedHard = async (): Promise<void> => {
    await sleep(20_000)
    await server.rotate('hard')
  }
  const slow = async (): Promise<void> => {
    await sleep(5_000)
    await server.tell({ delayMs: 30_000 })
    await sleep(100_000)
    await server.tell({ delayMs: 0 })
  }
  return [
    { what: 'tokens of 60 s', server: short, seconds: minutes * 60, promised: CALM },
    {
      what: 'tokens of 60 s, the server away for 2 minutes',
      server: short,
      seconds: 180,
      meanwhile: away,
      promised: { expired: 0 },
    },
    {
      what: 'tokens of 5 minutes, the server away for 2',
      server: { ...short, seconds: 300 },
      seconds: 200,
      meanwhile: away,
      promised: CALM,
    },
    { what: 'new keys beside the old ones', server: short, seconds: 130, meanwhile: rotated, promised: CALM },
    { what: 'new keys, the old ones gone', server: short, seconds: 120, meanwhile: rotatedHard, promised: {} },
    {
      what: 'each token of another owner',
      server: { ...short, subjects: 'changing', seconds: 20 },
      seconds: 90,
      promised: {},
    },
    {
      what: 'a server that takes 30 s, while a token lives',
      server: { ...short, seconds: 300 },
      seconds: 120,
      meanwhile: slow,
      promised: CALM,
    },
  ]
}

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' }, only: { type: 'string' } } })
giveLeave(BROKER, process.env)
await using scene = await openScene(startBroker, {})
const { server } = scene
for (const [at, { what, server: behaviour, promised, ...options }] of plays(Number(values.minutes), server).entries()) {
  if (values.only !== undefined && !values.only.split(',').includes(String(at))) continue
  await server.tell(behaviour)
  const { text, ...round } = await playRound(scene, options)
  const wanted = { rows: round.produced, wrong: 0, stepsBack: 0, ...promised }
  const broken = Object.entries(wanted).filter(([name, value]) => round[name as keyof typeof round] !== value)
  console.log(`${at} ${what}`, round)
  if (broken.length === 0) continue
  console.log(`Not as promised: ${JSON.stringify(Object.fromEntries(broken))}\n${text}`)
  process.exitCode = 1
}
