// A process for small-heap.test.ts, run with --expose-gc: works as a run does, stands still, works again, and prints what V8
// made of its young generation. Here everything lives for some collections and then dies, as what is in flight does.

import { getHeapSpaceStatistics } from 'node:v8'
import { keepHeapSmall } from '../small-heap.ts'

const IN_FLIGHT = 30_000
const AT_ONCE = 3000
const ROUNDS = 400

const held: object[] = []
let made = 0
let look = (): void => {}
const clock = {
  now: () => 0,
  random: () => 0,
  wait: () => new Promise<void>((resolve) => (look = resolve)),
}

function youngBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')!.space_size
}

/** @returns the bytes of the young generation */
async function work(): Promise<number> {
  for (let round = 0; round < ROUNDS; round++) {
    for (let more = 0; more < AT_ONCE; more++) held[made++ % IN_FLIGHT] = { made, next: [made] }
    look()
    await Promise.resolve()
  }
  return youngBytes()
}

/** What V8 does of its own accord with a process that idles. */
function standStill(): number {
  const { gc } = globalThis as unknown as { gc: (how: object) => void }
  gc({ type: 'major', flavor: 'last-resort' })
  return youngBytes()
}

void keepHeapSmall(clock, new AbortController().signal)
const before = await work()
const still = standStill()
const after = await work()
console.log(JSON.stringify({ before, still, after }))
