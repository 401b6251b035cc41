// When a token is fetched, on a virtual clock.

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HandClock, settle } from '../core/testing/hand-clock.ts'
import { Secret } from '../core/secret.ts'
import { HeldToken } from './held-token.ts'
import type { Miss, Token } from './token-source.ts'

const LIFE = 60_000
const DEADLINE = 900_000
const AWAY: Miss = { cause: { words: 'connection refused' }, remedy: 'Check the port.' }
const REFUSED: Miss = { cause: { words: 'it refuses' }, remedy: 'Change it.', code: 'identity.refused' }

/** @param answer what the server does at that time */
async function make(answer: (now: number, nth: number) => Token | Miss | number, lifeMs = LIFE) {
  const clock = new HandClock()
  const fetches: number[] = []
  const source = async (signal: AbortSignal): Promise<Token | Miss> => {
    fetches.push(clock.now())
    const nth = fetches.length
    let found = answer(clock.now(), nth)
    if (typeof found === 'number') {
      await clock.wait(found, signal)
      found = given(nth, lifeMs)
    }
    return found
  }
  const held = new HeldToken({ source, place: 'idp:443', clock, deadlineMs: DEADLINE })
  const stop = new AbortController()
  void held.run(stop.signal)
  await settle()
  return { clock, fetches, held, stop }
}

function given(nth: number, lifeMs = LIFE): Token {
  return { token: new Secret(`token-${nth}`), lifeMs, serverDate: undefined, lacks: [] }
}

const textOf = async (taken: Promise<Secret>): Promise<string> => (await taken).reveal()

describe('a token', () => {
  it('is fetched once for all who begin at once, and renewed at half of its life', async () => {
    const { clock, fetches, held } = await make((_, nth) => given(nth))
    await clock.to(0)
    const taken = await Promise.all(Array.from({ length: 60 }, () => textOf(held.take())))
    expect(new Set(taken)).toEqual(new Set(['token-1']))
    expect(fetches).toEqual([0])
    await clock.to(10 * LIFE - 1)
    expect(fetches).toEqual(Array.from({ length: 20 }, (_, at) => (at * LIFE) / 2))
    expect(held.facts).toMatchObject({ fetched: 20, failed: 0, failingSince: undefined })
  })

  it('in hand is taken at once, as long as half of its life is left', async () => {
    const { clock, held } = await make((now, nth) => (nth === 1 ? given(1) : now < 50_000 ? AWAY : given(nth)))
    await clock.to(LIFE / 2)
    expect(await textOf(held.take())).toBe('token-1')
  })

  it('is asked for again soon, and then twice as late each time, up to a limit', async () => {
    const { clock, fetches } = await make(() => AWAY)
    await clock.to(30_000)
    const pauses = fetches.slice(1, 7).map((at, index) => at - fetches[index]!)
    // by this clock's chance
    expect(pauses).toEqual([500, 1000, 2000, 4000, 5000, 5000].map((step) => step * (0.5 + clock.random() / 2)))
  })

  it('that is older is waited with for two seconds, and taken while it lives', async () => {
    const { clock, held } = await make((_, nth) => (nth === 1 ? given(1) : 1e9))
    await clock.to(LIFE / 2 + 1)
    let took: string | undefined
    void textOf(held.take()).then((text) => (took = text))
    await clock.to(LIFE / 2 + 2_000)
    expect(took).toBeUndefined()
    await clock.to(LIFE / 2 + 2_001)
    expect(took).toBe('token-1')
  })

  it('that is refused makes a new one wanted, once in ten seconds', async () => {
    const { clock, fetches, held } = await make((_, nth) => given(nth))
    await clock.to(1_000)
    const first = await held.take()
    const next = held.take(first)
    await clock.to(1_000)
    expect(await textOf(next)).toBe('token-2')
    const another = held.take(await held.take())
    await clock.to(4_000)
    expect(await textOf(another)).toBe('token-2')
    expect(fetches).toEqual([0, 1_000])
  })

  it('is not given once it has expired', async () => {
    const { clock, held } = await make((_, nth) => (nth === 1 ? given(1) : AWAY))
    await clock.to(LIFE - 2_000)
    const taken = held.take().catch((error: Error & { code: string }) => error)
    await clock.to(LIFE)
    expect(await taken).toMatchObject({
      code: 'NO_TOKEN',
      message: 'the token server idp:443 gives no token: connection refused',
      remedy: 'Check the port.',
    })
  })
})

describe('a server that refuses', () => {
  it('ends the run at once at the start', async () => {
    const { clock, held } = await make(() => REFUSED)
    await clock.to(0)
    await expect(held.ready()).rejects.toMatchObject({
      kind: 'config',
      code: 'identity.refused',
      message: 'The token server idp:443: it refuses. Change it.',
    })
  })

  it('is asked again after a good start, for as long as one that is away', async () => {
    const { clock, held } = await make((_, nth) => (nth === 1 ? given(1) : REFUSED))
    await clock.to(LIFE + DEADLINE - 1)
    expect(held.failed).toBeUndefined()
    await clock.to(LIFE + DEADLINE + 5_000)
    expect(held.failed).toMatchObject({ kind: 'transient', code: 'identity.refused' })
  })
})

it('a fault of ours ends the run as one', async () => {
  const { clock, held } = await make((_, nth) => {
    if (nth === 1) return given(1)
    throw new TypeError('a bug')
  })
  await clock.to(LIFE / 2)
  expect(held.failed).toMatchObject({ kind: 'system', code: 'program.fault' })
})

describe('a server that is away', () => {
  it('is waited for at the start, and then ends the run with a code of its own', async () => {
    const { clock, held, fetches } = await make(() => AWAY)
    await clock.to(DEADLINE - 1)
    expect(held.failed).toBeUndefined()
    expect(fetches.length).toBeGreaterThan(DEADLINE / 5_000)
    await clock.to(DEADLINE + 5_000)
    const message =
      'The token server idp:443: no token could be fetched for 15 min (kafka.broker_deadline_seconds): connection refused. Check the port.'
    expect(held.failed).toMatchObject({ kind: 'transient', code: 'identity.unreachable', message })
    await expect(held.ready()).rejects.toBe(held.failed)
    const asked = fetches.length
    await clock.to(2 * DEADLINE)
    expect(fetches).toHaveLength(asked)
  })

  it('ends nothing as long as a token lives, however long that is', async () => {
    const day = 86_400_000
    const { clock, held } = await make((_, nth) => (nth === 1 ? given(1, day) : AWAY))
    await clock.to(day + DEADLINE / 2)
    expect(held.failed).toBeUndefined()
    expect(held.facts.failingSince).toBe(day / 2)
    await clock.to(day + DEADLINE + 5_000)
    expect(held.failed).toMatchObject({ code: 'identity.unreachable' })
  })

  it('is asked again when it said, at most a minute later', async () => {
    const { clock, fetches } = await make((_, nth) =>
      nth < 3 ? { cause: { words: '429' }, afterMs: nth === 1 ? 20_000 : 1e9 } : given(nth),
    )
    await clock.to(90_000)
    expect(fetches.slice(0, 3)).toEqual([0, 20_000, 80_000])
  })
})

it('whatever the server does and whenever logins come, what they get lives, and none waits for longer than two seconds', async () => {
  const behaviour = fc.array(
    fc.oneof(fc.constant('good'), fc.constant('away'), fc.constant('refused'), fc.nat(30_000)),
    {
      maxLength: 30,
    },
  )
  const logins = fc.array(fc.record({ at: fc.nat(300_000), refuses: fc.boolean() }), { maxLength: 40 })
  await fc.assert(
    fc.asyncProperty(behaviour, logins, fc.integer({ min: 1_000, max: 120_000 }), async (does, logins, lifeMs) => {
      const born = new Map<string, number>()
      let hadOne = false
      const { clock, held, stop, fetches } = await make((now, nth) => {
        born.set(`token-${nth}`, now)
        const what = does[nth - 1] ?? 'good'
        const isFirst = !hadOne
        hadOne ||= what === 'good' || typeof what === 'number'
        if (typeof what === 'number') return what
        return what === 'away' || (what === 'refused' && isFirst)
          ? AWAY
          : what === 'refused'
            ? REFUSED
            : given(nth, lifeMs)
      }, lifeMs)
      for (const { at, refuses } of logins.toSorted((a, b) => a.at - b.at)) {
        await clock.to(Math.max(at, clock.now()))
        const before = clock.now()
        const asked = fetches.length
        let ended: { readonly text?: string; readonly secret?: Secret } | undefined
        void held.take().then(
          (secret) => (ended = { secret, text: secret.reveal() }),
          () => (ended = {}),
        )
        await clock.to(before + 2_000)
        expect(ended).toBeDefined()
        if (ended?.text !== undefined)
          expect(born.get(ended.text)! + lifeMs - before).toBeGreaterThanOrEqual(Math.min(3_000, lifeMs / 2) - 2_000)
        if (refuses && ended?.secret) void held.take(ended.secret).catch(() => {})
        expect(fetches.length - asked).toBeLessThan(12)
      }
      expect(held.failed).toBeUndefined()
      stop.abort()
      await clock.to(clock.now() + 1_000)
    }),
    { numRuns: 300 },
  )
})
