import { expect, it } from 'vitest'
import { lookForOutages, hostAndPort, registryOutage, serviceOutage } from './outages.ts'
import type { Log } from '../process/io.ts'
import { systemClock } from '../process/system-clock.ts'

it.each([
  ['https://import.example.com', 'import.example.com:443'],
  ['http://user:secret@127.0.0.1:8080/path?apikey=secret', '127.0.0.1:8080'],
  ['http://localhost', 'localhost:80'],
  ['https://[::1]/v2', '[::1]:443'],
])('of %s no more is told than %s', (url, place) => {
  expect(hostAndPort(url)).toBe(place)
})

function toldBy(make: (clock: { now(): number }, log: Log) => ReturnType<typeof serviceOutage>): string {
  let now = 0
  let told = ''
  const watch = make({ now: () => now }, async (_level, message) => void (told = message))
  watch.began()
  watch.failed({ words: 'no' })
  now = 2_500
  watch.look()
  return told
}

it.each([
  [{ retryForMs: 900_000 }, 'for up to 15 min (retry_for_seconds).'],
  [{ retryForMs: 900_000, stallDeadlineMs: 900_000 }, 'for up to 15 min (retry_for_seconds).'],
  [{ retryForMs: 900_000, stallDeadlineMs: 90_000 }, 'for up to 90 s (stall_deadline_seconds).'],
])('%j: it is tried %s', (limits, words) => {
  expect(toldBy((clock, tell) => serviceOutage('http://a', limits, { log: tell, clock }))).toContain(words)
})

it('a registry is waited for', () => {
  const told = toldBy((clock, tell) => registryOutage('http://a', { stallDeadlineMs: 900_000 }, { log: tell, clock }))
  expect(told).toBe(
    'The schema registry at a:80 is unavailable: no. Records that need its schemas wait for up to 15 min (stall_deadline_seconds).',
  )
})

it('looking ends with its signal', async () => {
  const over = new AbortController()
  let looks = 0
  const look = (): void => {
    if (++looks === 2) over.abort()
  }
  await lookForOutages([{ look }], systemClock, over.signal)
  expect(looks).toBe(2)
})
