import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { NetworkCause } from '../core/network.ts'
import type { Log, LogFields, LogLevel } from '../process/io.ts'
import { systemClock } from '../process/system-clock.ts'
import { hostAndPort, lookForOutages, OutageWatch, registryOutage, serviceOutage } from './outage-watch.ts'

const REFUSED: NetworkCause = { words: 'connection refused', code: 'ECONNREFUSED' }
const AWAY: NetworkCause = { words: '503 Service Unavailable' }
const LATE: NetworkCause = { words: 'timeout' }
const LOOK_MS = 500

/** A watch that is looked at every half second. */
class World {
  readonly lines: { level: LogLevel; message: string; fields: LogFields; at: number }[] = []
  readonly watch: OutageWatch
  now = 1_000_000

  constructor() {
    this.watch = new OutageWatch({
      who: 'The service',
      place: 'import.example.com:443',
      patience: 'Requests are retried for up to 15 min (retry_for_seconds).',
      clock: { now: () => this.now },
      log: async (level, message, fields = {}) => void this.lines.push({ level, message, fields, at: this.now }),
    })
  }

  get told(): string[] {
    return this.lines.map(({ level, message }) => `${level} ${message}`)
  }

  pass(ms: number): this {
    for (let left = ms; left > 0; left -= LOOK_MS) {
      this.now += Math.min(left, LOOK_MS)
      this.watch.look()
    }
    return this
  }

  failed(cause: NetworkCause, remedy?: string): this {
    this.watch.began()
    this.watch.failed(cause, remedy)
    return this
  }

  answered(): this {
    this.watch.began()
    this.watch.answered()
    return this
  }

  throttled(): this {
    this.watch.began()
    this.watch.throttled()
    return this
  }

  /** Fails again and again. */
  failing(ms: number, every: number, ...causes: readonly NetworkCause[]): this {
    for (let at = 0, nth = 0; at < ms; at += every, nth++) this.failed(causes[nth % causes.length]!).pass(every)
    return this
  }
}

test('an outage is told once, within 3 s, and its end once', () => {
  const world = new World().answered()
  world.failed(REFUSED, 'Check the port.').pass(400)
  world.failing(72_000, 900, REFUSED).answered().pass(5_000).answered()
  expect(world.told).toEqual([
    'warn The service at import.example.com:443 is unavailable: connection refused (ECONNREFUSED). Requests are retried for up to 15 min (retry_for_seconds).',
    'info The service at import.example.com:443 answers again, after 72 s and 81 retries.',
  ])
  expect(world.lines[0]!.at - 1_000_000).toBeLessThanOrEqual(3_000)
  expect(world.lines.map(({ fields }) => fields)).toEqual([
    {
      host: 'import.example.com',
      port: 443,
      event: 'outage.began',
      cause: 'connection refused',
      cause_code: 'ECONNREFUSED',
      outage_seconds: 2,
      requests_under_way: 0,
    },
    { event: 'outage.ended', host: 'import.example.com', port: 443, outage_seconds: 72, retries: 81 },
  ])
})

test('what to do is told too', () => {
  const world = new World().failed(REFUSED, 'Check host and port in import_url.').pass(3_000)
  expect(world.told[0]).toMatch(/\(retry_for_seconds\)\. Check host and port in import_url\.$/)
})

test.each([
  ['one 503', (world: World) => world.failed(AWAY).pass(400)],
  ['a burst of resets', (world: World) => world.failing(1_500, 100, { words: 'connection reset', code: 'ECONNRESET' })],
])('%s among answers is no outage', (_, trouble) => {
  const world = new World()
  for (let round = 0; round < 100; round++) trouble(world.answered()).answered().pass(1_000)
  expect(world.told).toEqual([])
})

test('throttling is no outage, however long, nor is one 503 in it', () => {
  const world = new World()
  for (let at = 0; at < 60_000; at += 500) world.throttled().pass(500)
  world.failed(AWAY).pass(200)
  for (let at = 0; at < 60_000; at += 500) world.throttled().pass(500)
  expect(world.told).toEqual([])
})

test('throttling beside failures hides nothing; alone it ends an outage', () => {
  const world = new World()
  for (let at = 0; at < 6_000; at += 200) world.failed(AWAY).throttled().failed(AWAY).pass(200)
  expect(world.told).toEqual([expect.stringContaining('503 Service Unavailable')])
  world.throttled().pass(3_000).throttled()
  expect(world.told.slice(1)).toEqual([expect.stringContaining('answers again')])
})

test('where nothing fails and nothing answers it is told after 10 s, with how much is under way', () => {
  const world = new World().answered()
  for (let count = 0; count < 4; count++) world.watch.began()
  world.pass(9_500)
  expect(world.told).toEqual([])
  world.pass(500)
  expect(world.told).toEqual([
    'warn The service is unavailable: no answer from import.example.com:443 for 10 s, 4 requests under way. Requests are retried for up to 15 min (retry_for_seconds).',
  ])
  // That they are broken off at last is nothing new.
  world.pass(50_000)
  for (let count = 0; count < 4; count++) world.watch.failed(LATE)
  world.failing(60_000, 10_000, LATE)
  expect(world.told).toHaveLength(1)
  world.answered()
  expect(world.told[1]).toBe('info The service at import.example.com:443 answers again, after 120 s and 10 retries.')
})

test('a request alone that takes long is no silence while others are answered', () => {
  const world = new World()
  world.watch.began()
  for (let at = 0; at < 60_000; at += 5_000) world.answered().pass(5_000)
  expect(world.told).toEqual([])
})

test('another cause is told when it is new, and when an old one is back for good', () => {
  const world = new World()
  world.failing(5_000, 500, REFUSED).failing(5_000, 500, AWAY).failing(15_000, 500, REFUSED)
  expect(world.told.map((line) => line.replace(/\. .*/, ''))).toEqual([
    'warn The service at import.example.com:443 is unavailable: connection refused (ECONNREFUSED)',
    'warn The service at import.example.com:443 has been unavailable for 5 s, now for another reason: 503 Service Unavailable',
    'warn The service at import.example.com:443 has been unavailable for 20 s, now for another reason: connection refused (ECONNREFUSED)',
  ])
  const steady = new World()
  steady.failing(3_000, 500, REFUSED)
  steady.watch.began()
  steady.pass(30_000)
  expect(steady.told[1]).toContain(
    'has been unavailable for 13 s, now for another reason: no answer from import.example.com:443 for 10 s, 1 request under way',
  )
})

test('causes that take turns many times a second are told once each', () => {
  const world = new World().failing(600_000, 100, AWAY, LATE, REFUSED)
  expect(world.lines.map(({ fields }) => fields['cause'] as string).toSorted()).toEqual([
    '503 Service Unavailable',
    'connection refused',
    'timeout',
  ])
})

test.each([11_000, 60_000])('one that slept itself for %i ms does not take that for an outage', (ms) => {
  const world = new World()
  world.watch.began()
  world.now += ms
  world.pass(9_500)
  expect(world.told).toEqual([])
  world.watch.answered()
  world.failed(REFUSED)
  world.now += ms
  world.watch.look()
  expect(world.told).toEqual([])
})

test('what was broken off, or stale, says nothing', () => {
  const world = new World()
  for (let at = 0; at < 60_000; at += 500) {
    world.watch.began()
    world.pass(500)
    world.watch.ended()
  }
  expect(world.told).toEqual([])
  expect(world.watch.state).toBeUndefined()
})

test('the state is there from the first failure', () => {
  const world = new World().failed(REFUSED)
  expect(world.watch.state).toEqual({ since: 1_000_000, cause: 'connection refused', isLogged: false })
  world.pass(4_000)
  expect(world.watch.state).toEqual({ since: 1_000_000, cause: 'connection refused', isLogged: true })
  expect(world.answered().watch.state).toBeUndefined()
})

test.each([
  ['127.0.0.1:8080', '127.0.0.1', 8080],
  ['[::1]:443', '::1', 443],
])('an address in fields: %s', (place, host, port) => {
  let found: LogFields | undefined
  let now = 0
  const log = async (_level: LogLevel, _message: string, fields?: LogFields): Promise<void> => void (found = fields)
  const watch = new OutageWatch({ who: 'X', place, patience: '', clock: { now: () => now }, log })
  watch.began()
  watch.failed(REFUSED)
  now = 3_000
  watch.look()
  expect(found).toMatchObject({ host, port })
})

type Step = { readonly wait: number; readonly event: 'began' | 'answered' | 'throttled' | 'ended' | NetworkCause }

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    wait: fc.oneof(fc.nat(300), fc.nat(4_000), fc.nat(40_000)),
    event: fc.oneof(
      fc.constantFrom<Step['event']>('began', 'answered', 'throttled', 'ended', REFUSED, AWAY, LATE),
      fc.nat(99).map((nth) => ({ words: `5${String(nth).padStart(2, '0')}` })),
    ),
  }),
  { maxLength: 400, size: 'max' },
)

test('whatever happens: no end without a beginning, no cause twice in a row, and never a flood', () => {
  fc.assert(
    fc.property(steps, (given) => {
      const world = new World()
      for (const { wait, event } of given) {
        world.pass(wait)
        if (event === 'began' || event === 'ended') world.watch[event]()
        else if (typeof event === 'string') world[event]()
        else world.failed(event)
      }
      let last: string | undefined
      for (const { level, fields } of world.lines) {
        if (level === 'info') {
          expect(last).toBeDefined()
          last = undefined
        } else {
          const cause = fields['cause'] as string
          expect(cause).not.toBe(last)
          last = cause
        }
      }
      const warnings = world.lines.filter(({ level }) => level === 'warn')
      warnings.forEach(({ at }, index) => {
        const before = warnings.slice(0, index + 1).filter((line) => at - line.at < 60_000)
        expect(before.length).toBeLessThanOrEqual(8)
      })
      // and an outage that lasts is told in time, unless that many were
      world.answered()
      const [count, from] = [world.lines.length, world.now]
      if (warnings.some(({ at }) => from - at < 30_000)) return
      world.failing(4_000, 300, REFUSED)
      expect(world.lines[count]).toMatchObject({ level: 'warn' })
      expect(world.lines[count]!.at - from).toBeLessThanOrEqual(3_000)
    }),
    { numRuns: 500 },
  )
})

test.each([
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

test.each([
  [{ retryForMs: 900_000 }, 'for up to 15 min (retry_for_seconds).'],
  [{ retryForMs: 900_000, stallDeadlineMs: 900_000 }, 'for up to 15 min (retry_for_seconds).'],
  [{ retryForMs: 900_000, stallDeadlineMs: 90_000 }, 'for up to 90 s (stall_deadline_seconds).'],
])('%j: it is tried %s', (limits, words) => {
  expect(toldBy((clock, tell) => serviceOutage('http://a', limits, { log: tell, clock }))).toContain(words)
})

test('a registry is waited for', () => {
  const told = toldBy((clock, tell) => registryOutage('http://a', { stallDeadlineMs: 900_000 }, { log: tell, clock }))
  expect(told).toBe(
    'The schema registry at a:80 is unavailable: no. Records that need its schemas wait for up to 15 min (stall_deadline_seconds).',
  )
})

test('looking ends with its signal', async () => {
  const over = new AbortController()
  let looks = 0
  const look = (): void => {
    if (++looks === 2) over.abort()
  }
  await lookForOutages([{ look }], systemClock, over.signal)
  expect(looks).toBe(2)
})
