import { expect, it } from 'vitest'
import { faultSchema } from './fault-schema.ts'
import { RateLimit, seededRandom, Settings, settingsSchema, type SettingsJson } from './settings.ts'

const NONE: SettingsJson = { latency_ms: null, error_rate: 0, rate_limit: null }

it('changes what is named, for what comes next, and goes back', () => {
  const settings = new Settings({ ...NONE, rate_limit: 1 }, () => 0.5)
  expect(settings.latency()).toBeUndefined()
  expect(settings.randomFault()).toBeUndefined()
  expect([settings.rateLimit.secondsToWait(7, 0), settings.rateLimit.secondsToWait(7, 0)]).toEqual([0, 1])
  settings.change({ latency_ms: { from: 10, to: 20 }, error_rate: 1 })
  expect(settings.latency()).toBe(15)
  expect(settings.randomFault()).toBeDefined()
  expect(settings.rateLimit.secondsToWait(7, 0)).toBe(1)
  settings.change({ rate_limit: null })
  expect([settings.rateLimit.secondsToWait(7, 0), settings.rateLimit.secondsToWait(7, 0)]).toEqual([0, 0])
  expect(settings.json).toEqual({ latency_ms: { from: 10, to: 20 }, error_rate: 1, rate_limit: null })
  settings.reset()
  expect(settings.json).toEqual({ ...NONE, rate_limit: 1 })
  expect(settings.latency()).toBeUndefined()
  expect(settings.randomFault()).toBeUndefined()
  expect([settings.rateLimit.secondsToWait(7, 0), settings.rateLimit.secondsToWait(7, 0)]).toEqual([0, 1])
})

it('takes no settings that are none', () => {
  const right = [{}, NONE, { latency_ms: { from: 0, to: 0 } }, { error_rate: 1 }, { rate_limit: 0.1 }]
  for (const value of right) expect(settingsSchema.parse(value)).toEqual(value)
  const wrong: [place: string, value: unknown][] = [
    ...[null, [], 'x', { latency: 5 }, { ['__proto__x']: 1 }].map((value): [string, unknown] => ['', value]),
    ...[5, { from: 5, to: 4 }, { from: 0, to: 1, x: 1 }].map((it): [string, unknown] => [
      'latency_ms',
      { latency_ms: it },
    ]),
    ['latency_ms.to', { latency_ms: { from: 5 } }],
    ['latency_ms.from', { latency_ms: { from: -1, to: 4 } }],
    ['latency_ms.to', { latency_ms: { from: 0, to: 2 ** 31 } }],
    ...[1.1, null, '0.1'].map((it): [string, unknown] => ['error_rate', { error_rate: it }]),
    ...[0, -1, Infinity].map((it): [string, unknown] => ['rate_limit', { rate_limit: it }]),
  ]
  for (const [place, value] of wrong)
    expect(
      settingsSchema.safeParse(value).error?.issues.map(({ path }) => path.join('.')),
      JSON.stringify(value),
    ).toEqual([place])
})

function kinds(rate: number, count: number): Map<string, number> {
  const settings = new Settings({ ...NONE, error_rate: rate }, seededRandom(1))
  const counts = new Map<string, number>()
  for (let n = 0; n < count; n++) {
    const fault = settings.randomFault()
    const answer = fault?.answer as { status: number } | undefined
    const kind = fault === undefined ? 'none' : String(fault.reset ?? answer!.status)
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  return counts
}

it('falls on the share it is given, in four kinds alike', () => {
  const counts = kinds(0.2, 10_000)
  expect([...counts.keys()].sort()).toEqual(['500', '503', 'after', 'before', 'none'])
  expect(counts.get('none')).toBeGreaterThan(7800)
  expect(counts.get('none')).toBeLessThan(8200)
  for (const kind of ['500', '503', 'after', 'before']) expect(counts.get(kind)).toBeGreaterThan(400)
})

it('never falls, or always', () => {
  expect([...kinds(0, 100).keys()]).toEqual(['none'])
  expect(kinds(1, 100).has('none')).toBe(false)
  expect(new Settings({ ...NONE, error_rate: 1 }, () => 1 - 2 ** -53).randomFault()).toEqual({ reset: 'after' })
})

it('makes faults that could be scripted too', () => {
  for (const draw of [0, 0.25, 0.5, 0.75])
    expect(faultSchema.safeParse(new Settings({ ...NONE, error_rate: 1 }, () => draw).randomFault()).success).toBe(true)
})

it("lets a second's worth pass at once, then says how long to wait", () => {
  const limit = new RateLimit(3)
  expect([limit.secondsToWait(7, 0), limit.secondsToWait(7, 0), limit.secondsToWait(7, 0)]).toEqual([0, 0, 0])
  expect(limit.secondsToWait(7, 0)).toBe(1)
  expect(limit.secondsToWait(7, 400)).toBe(0)
  expect(limit.secondsToWait(7, 400)).toBe(1)
})

it('keeps to the rate in the long run', () => {
  const limit = new RateLimit(10)
  let passed = 0
  for (let now = 0; now < 100_000; now += 10) if (limit.secondsToWait(7, now) === 0) passed++
  expect(passed).toBeGreaterThanOrEqual(1000)
  expect(passed).toBeLessThanOrEqual(1010)
})

it('counts below one a second, in whole seconds', () => {
  const limit = new RateLimit(0.25)
  expect(limit.secondsToWait(7, 0)).toBe(0)
  expect(limit.secondsToWait(7, 1000)).toBe(3)
  expect(limit.secondsToWait(7, 4000)).toBe(0)
})

it('counts each client apart, and bears a clock that goes back', () => {
  const limit = new RateLimit(1)
  expect(limit.secondsToWait(7, 5000)).toBe(0)
  expect(limit.secondsToWait(8, 5000)).toBe(0)
  expect(limit.secondsToWait(7, 1000)).toBe(1)
  expect(limit.secondsToWait(7, 2000)).toBe(0)
})

it('is the same for the same seed, another for another', () => {
  const draw = (seed: number): number[] => {
    const random = seededRandom(seed)
    return Array.from({ length: 1000 }, random)
  }
  expect(draw(7)).toEqual(draw(7))
  expect(draw(7)).not.toEqual(draw(8))
  expect(draw(0)[0]).not.toBe(draw(1)[0])
  expect(draw(2 ** 32 - 1)).toEqual(draw(-1))
})
