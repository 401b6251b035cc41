// A worker thread that plays its share of each task's histories. A share is made of parts: a part is what begins with the same few
// choices, and belongs to who takes it first.

import { parentPort, workerData } from 'node:worker_threads'
import { engine, loadEngine } from '../engine.ts'
import { Choices } from './choices.ts'
import { PARTS, type Report, type Shared, type Task } from './explore.ts'
import { playWorld } from './play-world.ts'
import { worlds } from './worlds.ts'

/** Choices that tell a part. */
const HEAD = 3

const { tasks, directory, taken, failed, playing } = workerData as Shared
const played = directory === undefined ? engine : await loadEngine(directory)

/** A fault may surface where nobody waits for it. */
let stray: string | undefined
process.on('unhandledRejection', (error) => {
  stray ??= `nothing is thrown where nobody catches it: ${String(error)}`
})

async function play({ world: name, most, chunks = Infinity }: Task, task: number): Promise<Report> {
  const whole = worlds.find((one) => one.name === name)!
  const world = { ...whole, chunks: Math.min(chunks, whole.chunks) }
  let histories = 0
  let longest = 0
  let isMine = true
  let given: readonly number[] | undefined = []
  for (let head = -1; given;) {
    if (given.length <= HEAD) isMine = Atomics.exchange(taken[task]!, ++head, 1) === 0
    const part = task * PARTS + head
    if (part > Atomics.load(failed, 0)) break
    playing.set([playing[0]! + 1, task, given.length, ...given])
    const choices: Choices = new Choices(given)
    const { broken } = await playWorld(played, world, choices)
    const law = stray ?? broken?.law
    if (isMine) {
      histories++
      longest = Math.max(longest, choices.taken.length)
    }
    if (isMine && law !== undefined) {
      Atomics.store(failed, 0, Math.min(part, Atomics.load(failed, 0)))
      return { task, histories, longest, found: { world: name, choices: choices.taken, law, part } }
    }
    given = choices.next(most, isMine ? undefined : HEAD)
  }
  return { task, histories, longest, found: undefined }
}

function say(report: Report | 'done'): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- this is no window
  parentPort!.postMessage(report)
}

for (const [index, task] of tasks.entries()) say(await play(task, index))
say('done')
