// Silence, and what only looks like it.

import { describe, expect, it } from 'vitest'
import { ClientWatchdog } from './client-watchdog.ts'

const LIMIT = 10_000
const JOIN = 60_000

/** Asked once a second, like the real one. */
function ask(watchdog: ClientWatchdog, from: number, until: number): string | undefined {
  for (let now = from; now <= until; now += 1000) {
    const problem = watchdog.problem(now, undefined)
    if (problem !== undefined) return problem
  }
  return undefined
}

describe('ClientWatchdog', () => {
  it('is content as long as something is heard', () => {
    const watchdog = new ClientWatchdog(LIMIT, JOIN, 0)
    for (let now = 0; now < 100_000; now += 5000) {
      watchdog.heard(now)
      expect(ask(watchdog, now, now + 4000)).toBeUndefined()
    }
  })

  it('finds a client that fell silent', () => {
    const watchdog = new ClientWatchdog(LIMIT, JOIN, 0)
    expect(ask(watchdog, 0, 10_000)).toBeUndefined()
    expect(watchdog.problem(11_000, undefined)).toMatch(/silent/)
  })

  it('finds a broker that does not answer behind one that does', () => {
    const watchdog = new ClientWatchdog(LIMIT, JOIN, 0)
    for (let now = 0; now <= 15_000; now += 1000) {
      watchdog.heard(now)
      const problem = watchdog.problem(now, 2000)
      if (now <= 12_000) expect(problem).toBeUndefined()
      else expect(problem).toMatch(/does not answer/)
    }
  })

  it('gives a join its own time', () => {
    const watchdog = new ClientWatchdog(LIMIT, JOIN, 0)
    watchdog.joinBegan(1000)
    expect(ask(watchdog, 1000, 61_000)).toBeUndefined()
    expect(watchdog.problem(62_000, undefined)).toMatch(/generation/)
    const joined = new ClientWatchdog(LIMIT, JOIN, 0)
    joined.joinBegan(0)
    expect(ask(joined, 0, 50_000)).toBeUndefined()
    joined.joinEnded(50_000)
    expect(ask(joined, 50_000, 60_000)).toBeUndefined()
    expect(joined.problem(61_000, undefined)).toMatch(/silent/)
  })

  it('finds a rejoin that was broken off, although fetching goes on', () => {
    const watchdog = new ClientWatchdog(LIMIT, JOIN, 0)
    watchdog.joinBegan(0)
    watchdog.joinBroken(1000)
    let problem: string | undefined
    for (let now = 1000; now <= 12_000 && problem === undefined; now += 1000) {
      watchdog.heard(now)
      problem = watchdog.problem(now, undefined)
    }
    expect(problem).toMatch(/broken off/)
  })

  it('does not take the closing of an old connection for a broken rejoin, nor one that is tried again', () => {
    const watchdog = new ClientWatchdog(LIMIT, JOIN, 0)
    watchdog.joinBegan(0)
    watchdog.joinEnded(500)
    watchdog.joinBroken(1000)
    watchdog.joinBegan(2000)
    watchdog.joinBroken(3000)
    watchdog.joinBegan(4000)
    expect(ask(watchdog, 0, 30_000)).toBeUndefined()
  })

  it('gives everything a new chance after the process itself slept', () => {
    const watchdog = new ClientWatchdog(LIMIT, JOIN, 0)
    expect(watchdog.problem(1000, 500)).toBeUndefined()
    expect(watchdog.problem(3_600_000, 500)).toBeUndefined()
    expect(ask(watchdog, 3_601_000, 3_610_000)).toBeUndefined()
    expect(watchdog.problem(3_611_000, 500)).toMatch(/silent/)
    const joining = new ClientWatchdog(LIMIT, JOIN, 0)
    joining.joinBegan(0)
    expect(ask(joining, 3_600_000, 3_660_000)).toBeUndefined()
    expect(joining.problem(3_661_000, undefined)).toMatch(/generation/)
  })
})
