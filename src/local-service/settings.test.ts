import { expect, it } from 'vitest'
import { Settings, settingsFaults, type SettingsJson } from './settings.ts'

const NONE: SettingsJson = { latency_ms: null, error_rate: 0, rate_limit: null }

it('changes what is named, for what comes next, and goes back', () => {
  const settings = new Settings({ ...NONE, rate_limit: 1 }, () => 0.5)
  expect(settings.latency()).toBeUndefined()
  expect(settings.randomFaults.take()).toBeUndefined()
  expect([settings.rateLimit.take(7, 0), settings.rateLimit.take(7, 0)]).toEqual([0, 1])
  settings.change({ latency_ms: { from: 10, to: 20 }, error_rate: 1 })
  expect(settings.latency()).toBe(15)
  expect(settings.randomFaults.take()).toBeDefined()
  expect(settings.rateLimit.take(7, 0)).toBe(1)
  settings.change({ rate_limit: null })
  expect([settings.rateLimit.take(7, 0), settings.rateLimit.take(7, 0)]).toEqual([0, 0])
  expect(settings.json).toEqual({ latency_ms: { from: 10, to: 20 }, error_rate: 1, rate_limit: null })
  settings.reset()
  expect(settings.json).toEqual({ ...NONE, rate_limit: 1 })
  expect(settings.latency()).toBeUndefined()
  expect(settings.randomFaults.take()).toBeUndefined()
  expect([settings.rateLimit.take(7, 0), settings.rateLimit.take(7, 0)]).toEqual([0, 1])
})

it('takes no settings that are none', () => {
  const right = [{}, NONE, { latency_ms: { from: 0, to: 0 } }, { error_rate: 1 }, { rate_limit: 0.1 }]
  for (const value of right) expect(settingsFaults(value), JSON.stringify(value)).toEqual([])
  const wrong: [unknown, RegExp][] = [
    [null, /object/],
    [[], /object/],
    ['x', /object/],
    [{ latency: 5 }, /"latency" is unknown/],
    [{ ['__proto__x']: 1 }, /unknown/],
    [{ latency_ms: 5 }, /latency_ms/],
    [{ latency_ms: { from: 5 } }, /latency_ms/],
    [{ latency_ms: { from: 5, to: 4 } }, /latency_ms/],
    [{ latency_ms: { from: -1, to: 4 } }, /latency_ms/],
    [{ latency_ms: { from: 0, to: 2 ** 31 } }, /latency_ms/],
    [{ latency_ms: { from: 0, to: 1, x: 1 } }, /latency_ms/],
    [{ error_rate: 1.1 }, /error_rate/],
    [{ error_rate: null }, /error_rate/],
    [{ error_rate: '0.1' }, /error_rate/],
    [{ rate_limit: 0 }, /rate_limit/],
    [{ rate_limit: -1 }, /rate_limit/],
    [JSON.parse('{"rate_limit": 1e999}'), /rate_limit/],
  ]
  for (const [value, reason] of wrong) expect(settingsFaults(value).join(), JSON.stringify(value)).toMatch(reason)
})
