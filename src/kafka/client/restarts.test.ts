// How long which trouble is borne.

import { describe, expect, it } from 'vitest'
import { Restarts } from './restarts.ts'

const DEADLINE = 900_000

describe('Restarts', () => {
  it('waits longer each time, but never long', () => {
    const restarts = new Restarts(DEADLINE)
    const waits = Array.from({ length: 7 }, (_, index) => restarts.ended('passing', index * 1000))
    expect(waits).toEqual([200, 400, 800, 1600, 2000, 2000, 2000].map((waitMs) => ({ waitMs })))
  })

  it('bears what passes until the deadline', () => {
    const restarts = new Restarts(DEADLINE)
    for (let now = 0; now < DEADLINE; now += 2000) expect(restarts.ended('passing', now)).toHaveProperty('waitMs')
    expect(restarts.ended('passing', DEADLINE)).toEqual({ giveUp: 'deadline', forMs: DEADLINE })
  })

  it('ends at once on what no try can help', () => {
    const restarts = new Restarts(DEADLINE)
    restarts.joined(0)
    expect(restarts.ended('final', 100_000)).toHaveProperty('giveUp', 'final')
  })

  it('ends at once on a refusal at the start, but bears one for an outage once it was a member', () => {
    expect(new Restarts(DEADLINE).ended('refused', 0)).toHaveProperty('giveUp')
    const member = new Restarts(DEADLINE)
    member.joined(0)
    for (let now = 100_000; now < 160_000; now += 2000) expect(member.ended('refused', now)).toHaveProperty('waitMs')
    expect(member.ended('refused', 160_000)).toHaveProperty('giveUp', 'final')
  })

  it('gives a topic that is being made a moment', () => {
    const restarts = new Restarts(DEADLINE)
    expect(restarts.ended('absent', 0)).toHaveProperty('waitMs')
    expect(restarts.ended('absent', 9000)).toHaveProperty('waitMs')
    expect(restarts.ended('absent', 10_000)).toHaveProperty('giveUp', 'final')
  })

  it('takes the end of a steady client for a new trouble, that of a short-lived one for the old', () => {
    const restarts = new Restarts(DEADLINE)
    restarts.ended('passing', 0)
    restarts.joined(1000)
    expect(restarts.ended('passing', 40_000)).toEqual({ waitMs: 200 })
    const looping = new Restarts(DEADLINE)
    let now = 0
    let advice = looping.ended('passing', now)
    while ('waitMs' in advice && now < 2 * DEADLINE) {
      looping.joined((now += 2000))
      advice = looping.ended('passing', (now += 8000))
    }
    expect(advice).toHaveProperty('giveUp', 'deadline')
  })
})
