// `npm run mutants`: plants faults into copies of the engine, one at a time, and shows which law catches each. Exit 1
// when one survives, or when the engine as it is breaks a law.

import { mkdtempDisposable } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { faults } from './faults.ts'
import { plant, type Fault } from './plant.ts'
import { simulate } from './simulation.ts'

const HISTORIES = 2000
const WIDTH = Math.max(...faults.map(({ name }) => name.length))

function print(fault: string, after: string, law: string): void {
  console.log(`${fault.padEnd(WIDTH)}  ${after.padStart(9)}  ${law}`)
}

await using root = await mkdtempDisposable(join(tmpdir(), 'mutants-'))

/** @returns whether a law caught it */
async function attempt({ name, edits }: Fault, survived: string): Promise<boolean> {
  const directory = join(root.path, name.replaceAll(/\W/g, '-'))
  await plant(edits, directory)
  const { totals, failure } = await simulate({ from: 0, to: HISTORIES, workers: 1, directory })
  print(name, String(failure ? failure.seed + 1 : totals.histories), failure?.law ?? survived)
  return failure !== undefined
}

print('fault', 'histories', 'caught by')
const isSane = !(await attempt({ name: '(none)', edits: [] }, 'every law holds'))
const waiting = [...faults]
const survivors: string[] = []
const worker = async (): Promise<void> => {
  for (let next = waiting.shift(); next; next = waiting.shift())
    if (!(await attempt(next, 'SURVIVED'))) survivors.push(next.name)
}
await Promise.all(Array.from({ length: availableParallelism() }, worker))
console.log(`${faults.length - survivors.length} of ${faults.length} faults caught within ${HISTORIES} histories`)
if (survivors.length > 0) console.error(`Survived: ${survivors.join(', ')}`)
if (survivors.length > 0 || !isSane) process.exitCode = 1
