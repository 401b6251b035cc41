// `npm run simulate -- --every`: plays all histories of the worlds, prints a line for each, and tells the one that breaks a law.

import { engineOf } from '../describe-failure.ts'
import type { Engine } from '../engine.ts'
import { Choices, shrink } from './choices.ts'
import { explore, type Explored, type Found, type Task } from './explore.ts'
import { playWorld } from './play-world.ts'
import { worlds, type World } from './worlds.ts'

export interface EveryOptions {
  /** Fewer departures, for those in a hurry. */
  readonly small: boolean
  readonly workers: number
  /** Only this one. */
  readonly world?: string | undefined
  /** Only this history. */
  readonly choices?: string | undefined
  readonly engine?: string | undefined
}

/** @returns the exit code
 *  @throws TypeError when there is no such world, or these are no choices */
export async function playEvery({ small, workers, world, choices, engine: directory }: EveryOptions): Promise<number> {
  const chosen = world === undefined ? worlds : [worldOf(world)]
  if (choices !== undefined) {
    if (world === undefined || !/^(\d+(,\d+)*)?$/.test(choices))
      throw new TypeError(`--choices must be numbers with commas between, of one --world, not "${choices}".`)
    const { broken, trace } = await playList(
      await engineOf(directory),
      chosen[0]!,
      choices.split(',').map(Number),
      true,
    )
    console.log([...trace!, broken ? `Broken: ${broken.law}: ${broken.how}` : 'Every law holds.'].join('\n'))
    return broken ? 1 : 0
  }
  console.log(`${'world'.padEnd(WIDTH)}  histories  departures  choices  seconds`)
  const tasks = chosen.map(({ name, most }) => ({ world: name, most: most[small ? 0 : 1] }))
  let all = 0
  const found = await explore(tasks, { workers, directory }, (task, explored) => {
    all += explored.histories
    console.log(inWords(task, explored))
  })
  console.log(found ? await describe(found, directory) : `Every law holds in ${all} histories.`)
  return found ? 1 : 0
}

function worldOf(name: string): World {
  const world = worlds.find((one) => one.name === name)
  if (!world)
    throw new TypeError(`There is no world "${name}", but ${worlds.map((one) => `"${one.name}"`).join(', ')}.`)
  return world
}

const WIDTH = Math.max(...worlds.map(({ name }) => name.length))

function inWords({ world, most }: Task, { histories, longest, seconds }: Explored): string {
  const columns = [String(histories).padStart(9), String(most).padStart(10), String(longest).padStart(7)]
  return [world.padEnd(WIDTH), ...columns, seconds.toFixed(1).padStart(7)].join('  ')
}

function playList(
  engine: Engine,
  world: World,
  choices: readonly number[],
  traced = false,
): ReturnType<typeof playWorld> {
  return playWorld(engine, world, new Choices(choices), traced)
}

/** The shortest list found that breaks the same law, what happens in it, and how to play it again. */
async function describe(found: Found, directory: string | undefined): Promise<string> {
  const engine = await engineOf(directory)
  const world = worldOf(found.world)
  // what never ends is not tried again
  const isEndless = found.law === 'it ends'
  const isSame = async (choices: readonly number[]): Promise<boolean> =>
    (await playList(engine, world, choices)).broken?.law === found.law
  const choices = isEndless ? found.choices : await shrink(found.choices, isSame)
  const told = isEndless ? [] : (await playList(engine, world, choices, true)).trace!
  const replay = `npm run simulate -- --every --world '${world.name}' --choices ${choices.join()}`
  const verdict = `World "${world.name}" breaks a law: ${found.law}`
  return [
    ...told,
    '',
    verdict,
    `Play it alone: ${replay}${directory === undefined ? '' : ` --engine ${directory}`}`,
  ].join('\n')
}
