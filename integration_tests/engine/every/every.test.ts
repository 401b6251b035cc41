// All small histories: none is left out, each world finds a fault that was planted for it, and what is said of one that breaks a law.

import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { faults } from '../faults.ts'
import { plant } from '../plant.ts'
import { Choices, shrink } from './choices.ts'
import { explore } from './explore.ts'
import { worlds } from './worlds.ts'
import { ownFolder } from '../../../src/process/testing/own-folder.ts'

const root = ownFolder('file')

async function faulty(fault: string): Promise<string> {
  const directory = join(root, fault.replaceAll(/\W/g, '-'))
  await plant(faults.find(({ name }) => name === fault)!.edits, directory)
  return directory
}

/** Three digits below three, of which 0 is plain. */
function numbers(most: number): string[] {
  const found: string[] = []
  for (let given: number[] | undefined = []; given;) {
    const choices: Choices = new Choices(given)
    found.push([0, 1, 2].map(() => choices.choose([0, 1, 2])).join(''))
    given = choices.next(most)
  }
  return found
}

test('every list of choices is played once, up to so many departures', () => {
  expect(numbers(Infinity)).toEqual(Array.from({ length: 27 }, (_, n) => n.toString(3).padStart(3, '0')))
  expect(numbers(1)).toEqual(['000', '001', '002', '010', '020', '100', '200'])
  expect(numbers(0)).toEqual(['000'])
})

test('a list is made as short and as plain as it can be', async () => {
  const isSame = async (choices: readonly number[]): Promise<boolean> => choices.filter((one) => one === 2).length >= 2
  expect(await shrink([0, 1, 2, 0, 1, 2, 2, 0], isSame)).toEqual([2, 2])
})

const PLANTED: Readonly<Record<string, string>> = {
  'one row': 'fence dropped during a retry',
  'one row, late': 'what is due must be looked at in its very instant',
  'one row, and the run ends': 'commits overlap',
  'one row, and the run is stopped': 'the grace time does not end',
  'a hot row': 'age reset on supersede',
  'every version': 'keep_last: false merges',
  'two tracks, one table': 'tracks overtake a checkpoint of all',
  'two tracks, and the run ends': 'nothing is committed once stopped',
  'checkpoints that count nothing': 'a checkpoint that counts nothing waits for what comes behind it',
  'a partition that leaves': 'what a lost track waits to repeat is sent',
  'a partition that leaves, slow commits': 'a track has left before its last commit',
  'a partition that leaves, one permit': 'what waited for its retry keeps its place when it is lost',
  'a partition that leaves, and the run ends': 'a run that fails hears of no loss',
  'poison in a body of three': 'a part of a refused request is forgotten',
  'poison, kept in a table': 'what stands in for a rejected record counts as written',
  'poison of a partition that leaves': 'what stands in for a reject of a lost track is sent',
  'poison, and the run ends': 'a rejected record stops what was read before it',
  'a table that is refused': 'a table that is refused is never told from points',
  'a table that is refused, one by one': 'a quarantined table goes on as if nothing were',
  'poison, and one that is good': 'a verdict about a table does not wait for what is under way',
  'a table of rejects that is refused': 'a reject that is refused itself passes for one',
  'too large': 'split forgets a half',
  'full bodies': 'a permit too many',
  'bodies written over': 'a rewritten point overfills its body',
  'a small budget': 'the budget is ignored',
  'a service in trouble': 'timeouts are not ambiguous',
  'a service that is down': 'no probes',
  'a request that hangs': 'fixed permits let no retry in beside others',
  pauses: 'pauses are ignored',
  'early answers': 'a body is written over as soon as it is answered',
  'records that are none': 'records wait for a reject in their chunk',
  'records that are none, and a track is lost': 'what stands in for a bad record of a lost track is sent',
}

test.each(worlds.map(({ name, most }) => [name, PLANTED[name]!, most[1]] as const))(
  'the world "%s" finds: %s',
  async (world, fault, all) => {
    const tasks = [2, 3, Infinity].flatMap((chunks) =>
      Array.from({ length: all + 1 }, (_, most) => ({ world, most, chunks })),
    )
    expect(await explore(tasks, { workers: 1, directory: await faulty(fault) })).toMatchObject({ world })
  },
)

test('docs name each world with its bounds', () => {
  const design = readFileSync(new URL('../../../docs/DESIGN.md', import.meta.url), 'utf8')
  const rows = design
    .split('### Every small history')[1]!
    .matchAll(/^\| ([^|]+?) +\| (\d+) of (\d+) \|.*\| +(\d+, \d+) \|/gm)
  const told = Array.from(rows, ([, name, chunks, kinds, most]) => [name, Number(chunks), Number(kinds), most])
  expect(told).toEqual(worlds.map(({ name, chunks, letters, most }) => [name, chunks, letters.length, most.join(', ')]))
})

test('a failure is its list of choices, which can be played again', async () => {
  const directory = await faulty('superseded never settled')
  const first = await simulate('--every', '--small', '--world', 'one row', '--engine', directory)
  expect(first.code).toBe(1)
  const [, choices] = /^Play it alone: .* --choices ([\d,]*) --engine /m.exec(first.output)!
  const list = ['--every', '--world', 'one row', '--choices', choices!]
  const again = await simulate(...list, '--engine', directory)
  expect([again.code, again.output]).toEqual([1, expect.stringContaining('Broken: a checkpoint is committed as soon')])
  const sane = await simulate(...list)
  expect([sane.code, sane.output]).toEqual([0, expect.stringContaining('Every law holds.')])
})

test.each([
  ['--every', '--world', 'nowhere'],
  ['--every', '--choices', '1'],
  ['--every', '--world', 'one row', '--choices', '1,x'],
])('what is not understood is said: %s %s %s', async (...args) => {
  const { code, output } = await simulate(...args)
  expect([code, output]).toEqual([2, expect.stringContaining('Usage: npm run simulate')])
})

const SIMULATE = fileURLToPath(new URL('../simulate.ts', import.meta.url))

function simulate(...args: readonly string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [SIMULATE, ...args], { maxBuffer: 16 * 1_048_576 }, (error, output, errors) => {
      resolve({ code: error ? Number(error.code) : 0, output: output + errors })
    })
  })
}
