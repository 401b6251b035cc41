import { engine } from '../engine.ts'
import { Choices } from './choices.ts'
import { playWorld } from './play-world.ts'
import { worlds } from './worlds.ts'
const [name, most, limit] = process.argv.slice(2) as [string?, string?, string?]
for (const world of worlds.filter((w) => !name || w.name === name)) {
  let given: number[] | undefined = []
  let n = 0,
    longest = 0
  const t = performance.now()
  while (given && n < Number(limit ?? 1e9)) {
    const choices = new Choices(given)
    const { broken } = await playWorld(engine, world, choices)
    n++
    longest = Math.max(longest, choices.taken.length)
    if (broken) {
      console.log(choices.taken.join(), broken)
      console.log((await playWorld(engine, world, new Choices(choices.taken), true)).trace.join('\n'))
      break
    }
    given = choices.next(Number(most ?? world!.most[1]))
  }
  console.log(world.name, n, longest, ((performance.now() - t) / 1000).toFixed(1), given ? 'cut' : 'all')
}
