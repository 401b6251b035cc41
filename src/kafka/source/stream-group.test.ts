import { expect, it } from 'vitest'
import { commitSteadily, MANY_RECORDS } from './stream-group.ts'

/** A clock that is at once where it is waited for, until `ms` have passed; commits that take so long. */
async function play(ms: number, everyMs: number, perMs: number, takesMs = 0): Promise<number[]> {
  const over = new AbortController()
  let now = 0
  const pass = (more: number): void => {
    now += more
    source.uncommitted += more * perMs
    if (now >= ms) over.abort()
  }
  const clock = { now: () => now, wait: (more: number) => Promise.resolve(pass(more)) }
  const began: number[] = []
  const source = {
    uncommitted: 0,
    commit: () => {
      began.push(now)
      source.uncommitted = 0
      return Promise.resolve(pass(takesMs))
    },
  }
  await commitSteadily(source, everyMs, clock, over.signal)
  return began
}

it('commits every second, from the beginning of one commit to that of the next', async () => {
  expect(await play(4500, 1000, 0)).toEqual([1000, 2000, 3000, 4000])
  expect(await play(4500, 1000, 0, 950)).toEqual([1000, 2000, 3000, 4000])
  expect(await play(450, 100, 0)).toEqual([100, 200, 300, 400])
})

it('commits sooner when many records are settled, but not at every moment', async () => {
  expect(await play(1000, 60_000, MANY_RECORDS / 300)).toEqual([300, 600, 900])
  expect(await play(450, 60_000, MANY_RECORDS)).toEqual([100, 200, 300, 400])
})

it('begins no commit before the last one has ended', async () => {
  expect(await play(5000, 1000, 0, 2500)).toEqual([1000, 3501])
})
