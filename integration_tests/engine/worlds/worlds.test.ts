// The worlds that have a name: a bad moment leaves no rate low. Random ones are a step of .ci/run.

import { expect, test } from 'vitest'
import { AdaptivePermits } from '../../../src/core/concurrency/limit.ts'
import { drawWorld, namedWorlds } from './draw.ts'
import { playWorld } from './play-world.ts'

test.each(namedWorlds().map((world) => [world.name, world] as const))('%s', (_, world) => {
  for (const seed of [1, 2, 3]) {
    const last = playWorld(world, AdaptivePermits as never, seed).at(-1)!
    expect(last.from40).toBeGreaterThan(0.8)
  }
})

test('a world is the same each time it is drawn and played', () => {
  const play = (seed: number) => playWorld(drawWorld(seed, 2), AdaptivePermits as never, seed)
  expect(play(7)).toEqual(play(7))
  expect(drawWorld(7, 2)).not.toEqual(drawWorld(8, 2))
})
