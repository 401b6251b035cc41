// Letters of one partition, with brokers that are scripted: nothing is lost, nothing overtakes.

import { describe, expect, it } from 'vitest'
import { ConnectorError } from '../../core/errors.ts'
import type { Clock } from '../../core/types.ts'
import { LetterLane, Outage, type AttemptFailure } from './letter-lane.ts'

interface Letter {
  readonly name: string
  readonly bytes: number
}

const letter = (name: string, bytes = 100): Letter => ({ name, bytes })
const GIVEN_UP = new ConnectorError('transient', 'program.fault', 'given up')
const TOO_LARGE = new ConnectorError('config', 'program.fault', 'too large')
const REFUSED = new ConnectorError('config', 'program.fault', 'refused')
const ENDED = new ConnectorError('transient', 'program.fault', 'ended')

const VERDICTS: Readonly<Record<string, AttemptFailure>> = {
  again: { kind: 'again' },
  large: { kind: 'too-large', error: TOO_LARGE },
  refused: { kind: 'stop', error: REFUSED },
}

/** Time passes when it is waited for. */
class Wait implements Clock {
  #now = 0
  readonly waits: number[] = []
  now = (): number => this.#now
  random = (): number => 1
  wait = (ms: number, signal: AbortSignal): Promise<void> => {
    if (!signal.aborted) {
      this.waits.push(ms)
      this.#now += ms
    }
    return new Promise((resolve) => {
      setImmediate(resolve)
    })
  }
}

/** @param answer of each attempt: a verdict's name, or undefined when it is confirmed */
function laneOf(answer: (letters: readonly Letter[], attempts: number) => string | undefined | Promise<undefined>) {
  const clock = new Wait()
  const sent: string[] = []
  const end = new AbortController()
  const failures = { count: 0 }
  const parts = {
    clock,
    outage: new Outage(clock, 60_000),
    async attempt(letters: readonly Letter[]) {
      sent.push(letters.map(({ name }) => name).join(''))
      const verdict = await answer(letters, sent.length)
      if (verdict !== undefined) throw new Error(verdict)
    },
    judge: (error: unknown) => VERDICTS[(error as Error).message]!,
    givenUp: () => GIVEN_UP,
    failed: () => failures.count++,
  }
  return { clock, sent, failures, end, lane: new LetterLane<Letter>(parts, end.signal) }
}

describe('a lane of letters', () => {
  it('sends what waits while others are under way in one go, in order', async () => {
    const first = Promise.withResolvers<undefined>()
    const { lane, sent } = laneOf((_, attempts) => (attempts === 1 ? first.promise : undefined))
    const one = lane.send(letter('a'))
    await new Promise((resolve) => setImmediate(resolve))
    const others = ['b', 'c', 'd'].map((name) => lane.send(letter(name)))
    expect(sent).toEqual(['a'])
    first.resolve(undefined)
    await Promise.all([one, ...others])
    await lane.send(letter('e'))
    expect(sent).toEqual(['a', 'bcd', 'e'])
  })

  it('bounds the bytes of one go, but for a letter that is larger alone', async () => {
    const { lane, sent } = laneOf(() => undefined)
    const sizes = { a: 300_000, b: 200_000, c: 100_000, d: 3_000_000, e: 1 }
    await Promise.all(Object.entries(sizes).map(([name, bytes]) => lane.send(letter(name, bytes))))
    expect(sent).toEqual(['ab', 'c', 'd', 'e'])
  })

  it('tries again while brokers are away, from 0.1 to 2 s apart, and waits in between', async () => {
    const { lane, sent, clock, failures } = laneOf((_, attempts) => (attempts < 8 ? 'again' : undefined))
    await Promise.all([lane.send(letter('a')), lane.send(letter('b'))])
    expect(sent).toEqual(Array(8).fill('ab'))
    expect(clock.waits).toEqual([100, 200, 400, 800, 1600, 2000, 2000])
    expect(failures.count).toBe(7)
  })

  it('gives up after the deadline, not before, and tries later ones afresh', async () => {
    let isAway = true
    const { lane, sent, clock } = laneOf(() => (isAway ? 'again' : undefined))
    await expect(lane.send(letter('a'))).rejects.toBe(GIVEN_UP)
    expect(clock.now()).toBeGreaterThanOrEqual(60_000)
    expect(clock.now()).toBeLessThan(62_000)
    isAway = false
    await lane.send(letter('b'))
    expect(sent.at(-1)).toBe('b')
  })

  it('halves what is too large together, and refuses only what is too large alone', async () => {
    const most = 350
    const { lane, sent, failures } = laneOf((letters) =>
      letters.reduce((sum, { bytes }) => sum + bytes, 0) > most ? 'large' : undefined,
    )
    const letters = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => letter(name, name === 'd' ? 1000 : 100))
    const results = await Promise.allSettled(letters.map((each) => lane.send(each)))
    expect(results.map(({ status }) => status)).toEqual(
      ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => (name === 'd' ? 'rejected' : 'fulfilled')),
    )
    expect(results[3]).toMatchObject({ reason: TOO_LARGE })
    expect(failures.count).toBe(1)
    expect(sent.join('').replaceAll(/[^abcef]/g, '')).toContain('abc')
  })

  it('refuses what the topic cannot take without trying again', async () => {
    const { lane, sent, failures } = laneOf(() => 'refused')
    await expect(lane.send(letter('a'))).rejects.toBe(REFUSED)
    expect([sent, failures.count]).toEqual([['a'], 1])
  })

  it('ends all that is not confirmed at once when it is told to', async () => {
    const never = new Promise<undefined>(() => {})
    const { lane, end } = laneOf(() => never)
    const sends = [lane.send(letter('a'))]
    await new Promise((resolve) => setImmediate(resolve))
    sends.push(lane.send(letter('b')))
    end.abort(ENDED)
    sends.push(lane.send(letter('c')))
    for (const send of sends) await expect(send).rejects.toBe(ENDED)
  })

  it('is idle soon after its end, also in the middle of an outage', async () => {
    const { lane, end, sent } = laneOf(() => 'again')
    const send = lane.send(letter('a'))
    await new Promise((resolve) => setImmediate(resolve))
    end.abort(ENDED)
    await expect(send).rejects.toBe(ENDED)
    await lane.idle()
    const attempts = sent.length
    await new Promise((resolve) => setImmediate(resolve))
    expect(sent.length).toBe(attempts)
  })
})
