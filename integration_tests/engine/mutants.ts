// `npm run mutants`: plants faults into copies of the engine, one at a time, and shows which law catches each. Exit 1
// when one survives, or when the engine as it is breaks a law. `--every`: how many the small worlds catch by themselves.

import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { MISSED, catchByWorlds } from './every/catch.ts'
import { faults } from './faults.ts'
import { plant } from './plant.ts'
import { simulate } from './simulation.ts'

const HISTORIES = 2000
const isEvery = process.argv.includes('--every')

interface Row {
  readonly fault: string
  readonly isCaught: boolean
  readonly after: string
  readonly law: string
}

const attempt = isEvery ? attemptWorlds : attemptSeeds

async function attemptWorlds(fault: string, directory: string): Promise<Row> {
  const why = MISSED[fault]
  if (why !== undefined) return { fault, isCaught: false, after: '0', law: `not by worlds: ${why}` }
  const { found, histories } = await catchByWorlds(directory)
  const law = found ? `${found.law} (${found.world})` : 'SURVIVED'
  return { fault, isCaught: found !== undefined, after: String(histories), law }
}

async function attemptSeeds(fault: string, directory: string): Promise<Row> {
  const { totals, failure } = await simulate({ from: 0, to: HISTORIES, workers: 1, directory })
  const after = failure ? failure.seed + 1 : totals.histories
  return { fault, isCaught: failure !== undefined, after: String(after), law: failure?.law ?? 'SURVIVED' }
}

const root = await mkdtemp(join(tmpdir(), 'mutants-'))
try {
  const sane = join(root, 'sane')
  await plant([], sane)
  const unmutated = await attempt('(none)', sane)
  const waiting = await Promise.all(
    faults.map(async ({ name, edits }, index) => {
      const directory = join(root, String(index))
      await plant(edits, directory)
      return { name, directory }
    }),
  )
  const rows: Row[] = []
  const width = Math.max(...faults.map(({ name }) => name.length))
  const print = ({ fault, after, law }: Row): void =>
    console.log(`${fault.padEnd(width)}  ${after.padStart(9)}  ${law}`)
  print({ fault: 'fault', isCaught: true, after: 'histories', law: 'caught by' })
  print({ ...unmutated, law: unmutated.isCaught ? `BROKEN: ${unmutated.law}` : 'every law holds' })
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const row = await attempt(next.name, next.directory)
      rows.push(row)
      print(row)
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, worker))
  const missed = rows.filter(({ isCaught }) => !isCaught).map(({ fault }) => fault)
  const survivors = isEvery ? missed.filter((fault) => MISSED[fault] === undefined) : missed
  console.log(
    `${rows.length - missed.length} of ${rows.length} faults caught ${isEvery ? 'by worlds alone' : `within ${HISTORIES} histories`}`,
  )
  if (survivors.length > 0) console.error(`Survived: ${survivors.join(', ')}`)
  if (survivors.length > 0 || unmutated.isCaught) process.exitCode = 1
} finally {
  await rm(root, { recursive: true, force: true })
}
