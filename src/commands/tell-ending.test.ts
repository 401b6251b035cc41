import { expect, test } from 'vitest'
import { tellEnding } from './tell-ending.ts'

/** A clock whose time a test moves, second by second. */
function steppedClock() {
  let now = 0
  let wake = (): void => {}
  return {
    now: () => now,
    wait: (_ms: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        wake = resolve
        signal.addEventListener('abort', () => resolve(), { once: true })
      }),
    async second(): Promise<void> {
      now += 1000
      wake()
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

test('an end that takes more than 2 s is told of, then every 10 s, and nothing behind the end', async () => {
  const clock = steppedClock()
  const ended = new AbortController()
  const said: string[] = []
  let isReadingOver = false
  const progress = { ending: (now: number) => (isReadingOver ? `at ${now}` : undefined) }
  const say = async (level: string, message: string): Promise<void> => void said.push(`${level} ${message}`)
  const telling = tellEnding(progress, say, clock, ended.signal)
  for (let second = 0; second < 30; second++) await clock.second()
  expect(said).toEqual([])
  isReadingOver = true
  await clock.second()
  await clock.second()
  expect(said).toEqual([])
  for (let second = 0; second < 25; second++) await clock.second()
  expect(said).toEqual(['INFO at 33000', 'INFO at 43000', 'INFO at 53000'])
  ended.abort()
  await telling
  await clock.second()
  expect(said).toHaveLength(3)
})

test('a reader that does not read gets one line, one that is gone stops nothing', async () => {
  const clock = steppedClock()
  const ended = new AbortController()
  const said: string[] = []
  const left = Promise.withResolvers<void>()
  const say = (_level: string, message: string): Promise<void> => {
    said.push(message)
    return said.length === 1 ? left.promise : Promise.resolve()
  }
  const telling = tellEnding({ ending: () => 'ending' }, say, clock, ended.signal)
  for (let second = 0; second < 30; second++) await clock.second()
  expect(said).toHaveLength(1)
  left.reject(new Error('nobody reads'))
  await new Promise((resolve) => setImmediate(resolve))
  await clock.second()
  expect(said).toHaveLength(2)
  ended.abort()
  await telling
})
