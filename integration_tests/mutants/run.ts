// `npm run mutants`: without arguments the faults of the engine that the tests must find (engine/mutants.ts). With
// `--changed N [--since REF] [--seed S] [PATH …]`: N random faults of syntax in the production files that a change touches, one
// at a time in a copy of the checkout, each with the unit and spec tests that import its file. That reports and fails nothing:
// exit 2 says that the arguments are wrong, 130 that it was stopped.

import { mkdtempDisposable, readFile } from 'node:fs/promises'
import { randomInt } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runCommand, wholeNumber } from '../tools/command.ts'
import { Random } from '../engine/random.ts'
import { allFiles, changedFiles } from './changed-files.ts'
import { PlantedTree, type Verdict } from './planted-tree.ts'
import { describeFault, drawFaults, withFault } from './syntax-faults.ts'

const USAGE = 'npm run mutants -- --changed N [--since REF] [--seed S] [PATH …]'
const MOST = 2 ** 32 - 1
/** For tests with a fault: so much longer than those without may take. */
const LEAST_LIMIT_MS = 60_000
const LIMIT_FACTOR = 3

interface Options {
  readonly count: number
  readonly since: string | undefined
  readonly seed: number
  readonly paths: readonly string[]
}

if (process.argv.length === 2) await import('../engine/mutants.ts')
else
  await runCommand(USAGE, async (signal) => {
    await plantInChange(readOptions(), process.cwd(), signal)
    return 0
  })

/** @throws TypeError when there is something that is not understood */
function readOptions(): Options {
  const text = { type: 'string' } as const
  const options = { changed: text, since: text, seed: { ...text, default: String(randomInt(MOST)) } }
  const { values, positionals: paths } = parseArgs({ options, allowPositionals: true })
  const { changed, since, seed } = values
  if (changed === undefined) throw new TypeError('--changed N is missing.')
  return { count: wholeNumber('changed', changed, 1, MOST), since, seed: wholeNumber('seed', seed, 0, MOST), paths }
}

async function plantInChange({ count, since, seed, paths }: Options, root: string, signal: AbortSignal): Promise<void> {
  const { base, files } = await changedFiles(root, since, paths)
  if (files.length === 0) {
    console.log(
      `No production file of src differs from ${base}: nothing to plant. --since REF compares with another commit.`,
    )
    return
  }
  const texts = await Promise.all(files.map((file) => readFile(join(root, file), 'utf8')))
  const sources = new Map(files.map((file, at) => [file, texts[at]!]))
  const faults = drawFaults(sources, count, new Random(seed))
  console.log(`${faults.length} faults in the ${files.length} files of src that differ from ${base}`)
  console.log(
    `To repeat it: npm run mutants -- ${['--changed', count, '--since', base, '--seed', seed, ...paths].join(' ')}`,
  )

  await using folder = await mkdtempDisposable(join(tmpdir(), 'mutants-'))
  const tree = await PlantedTree.grow(root, folder.path, await allFiles(root), signal)
  const from = performance.now()
  const failing = await tree.prove([...new Set(faults.map(({ file }) => file))])
  const ms = performance.now() - from
  for (const file of failing) console.log(`Left out, for it fails without any fault: ${file}`)
  const verdicts: Verdict['how'][] = []
  for (const fault of faults) {
    const { file } = fault
    const source = sources.get(file)!
    const verdict = await tree.judge(file, withFault(source, fault), LEAST_LIMIT_MS + Math.round(LIMIT_FACTOR * ms))
    verdicts.push(verdict.how)
    console.log(`\n${file}:${describeFault(source, fault)}\n${wordsOf(verdict)}`)
  }
  const survivors = verdicts.filter((how) => how === 'not caught' || how === 'not imported').length
  console.log(`\n${verdicts.length - survivors} of ${verdicts.length} faults caught (seed ${seed})`)
}

function wordsOf(verdict: Verdict): string {
  if (verdict.how === 'caught') return `caught by ${verdict.file}: ${verdict.test}`
  if (verdict.how === 'timed out') return 'caught: the tests did not end in time'
  return verdict.how === 'not caught' ? 'NOT CAUGHT' : 'NOT CAUGHT: no unit or spec test imports this file'
}
