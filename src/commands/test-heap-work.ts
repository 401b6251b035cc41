// A process for small-heap.test.ts, run with --expose-gc: works as a run does, stands still, works again, and prints what V8
// made of its heap. Here everything lives for some collections and then dies, as what is in flight does.

import { getHeapSpaceStatistics } from 'node:v8'
import { keepHeapSmall } from './small-heap.ts'

const IN_FLIGHT = 30_000
const AT_ONCE = 3000
const ROUNDS = 1000

const held: object[] = []
let made = 0
let look = (): void => {}
const clock = {
  now: () => 0,
  random: () => 0,
  wait: () => new Promise<void>((resolve) => (look = resolve)),
}

function sizeOf(name: string): number {
  return getHeapSpaceStatistics().find(({ space_name: space }) => space === name)!.space_size
}

/** @returns sizes in bytes: what the young generation has come to, and the most of the old one */
async function work(): Promise<{ young: number; old: number }> {
  let old = 0
  for (let round = 0; round < ROUNDS; round++) {
    for (let more = 0; more < AT_ONCE; more++) held[made++ % IN_FLIGHT] = { made, next: [made] }
    old = Math.max(old, sizeOf('old_space'))
    look()
    await Promise.resolve()
  }
  return { young: sizeOf('new_space'), old }
}

/** What V8 does of its own accord with a process that idles. */
function standStill(): { young: number } {
  const { gc } = globalThis as unknown as { gc: (how: object) => void }
  gc({ type: 'major', flavor: 'last-resort' })
  return { young: sizeOf('new_space') }
}

void keepHeapSmall(clock, new AbortController().signal)
const before = await work()
const still = standStill()
const after = await work()
console.log(JSON.stringify({ before, still, after }))
