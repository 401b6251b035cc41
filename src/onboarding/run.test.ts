import { describe, expect, it } from 'vitest'

import { isStop, NO_CHOICES, PLAN, testWorld, type Fate, type World } from './testing/world.ts'

const IN_ORDER = ['A1', 'A2', 'A3', 'A4', 'A5', 'A6', 'A7', 'A8', 'A9', 'A10', 'A11']

async function stopOf(world: World): Promise<string> {
  const error: unknown = await world.run().then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!isStop(error)) throw error
  return error.message
}

it('goes through all endpoints in their order, once each', async () => {
  const world = testWorld(() => 'well')
  expect((await world.run()).status).toBe('done')
  expect(world.calls).toEqual(IN_ORDER)
  expect(world.reports.filter(({ state }) => state === 'done')).toHaveLength(7)
  await world.run()
  expect(world.calls).toEqual(IN_ORDER)
})

it.each<[string, object, number | undefined, number]>([
  ['the user whom the answer of A4 names', { id: 5, user_id: 6 }, 8, 6],
  ['the user of the config, where the answer names none', { id: 5 }, 8, 8],
  ['the user of the login, where neither does', { id: 5 }, undefined, 7],
])('makes dashboards for %s', async (_, invite, userId, owner) => {
  const world = testWorld(() => 'well')
  const owners: unknown[] = []
  const { createDashboards } = world.api
  Object.assign(world.api, {
    createUser: () => Promise.resolve({ status: 'answered', value: invite }),
    createDashboards: (...given: Parameters<typeof createDashboards>) => {
      owners.push(given[5])
      return createDashboards(...given)
    },
  })
  const plan = { ...PLAN, dashboards: { ...PLAN.dashboards, userId } }
  expect((await world.run(NO_CHOICES, new AbortController().signal, plan)).status).toBe('done')
  expect(owners).toEqual([owner])
})

it('polls with pauses that grow, and ends when the step takes too long', async () => {
  const world = testWorld(
    () => 'well',
    (endpoint) => (endpoint === 'A7' ? 'syncing' : 'completed'),
  )
  const message = await stopOf(world)
  expect(message).toMatch(
    /^A7 .*its last status: "syncing"\. Asked \d+ times in 600 s \(timeouts\.connection_seconds\)/,
  )
  const polls = world.calls.filter((call) => call === 'A7').length
  expect(polls).toBeGreaterThan(15)
  expect(polls).toBeLessThan(40)
  expect(world.clock.now()).toBeLessThan(700_000)
})

it('repeats a busy creating request for retry_for_seconds, each time with an intent of its own', async () => {
  const world = testWorld((endpoint) => (endpoint === 'A4' ? 'busy' : 'well'))
  expect(await stopOf(world)).toMatch(/A4 is busy\. Tried \d+ times in 120 s \(retry_for_seconds/)
  const tried = world.calls.filter((call) => call === 'A4').length
  const intents = world.journal.entries.filter((entry) => entry.event === 'intent' && entry.endpoint === 'A4')
  expect(intents).toHaveLength(tried)
  expect(world.journal.known.made.A4.state).toBe('none')
})

describe.each([
  ['A4', 'createUser'],
  ['A3', 'readSignup'],
] as const)('a Retry-After of %s', (endpoint, name) => {
  const asking = (afterMs: number, timing: object = {}): World => {
    const world = testWorld(() => 'well', undefined, { ...PLAN, timing: { ...PLAN.timing, ...timing } })
    const call = world.api[name] as (...given: unknown[]) => unknown
    const busy = { status: 'retry', reason: `${endpoint} is busy`, ambiguous: false, afterMs } as const
    let tries = 0
    Object.assign(world.api, {
      [name]: (...given: unknown[]) => (++tries === 1 ? Promise.resolve(busy) : call(...given)),
    })
    return world
  }

  it('is waited for, up to all the time that there is', async () => {
    for (const afterMs of [40_000, 120_000]) {
      const world = asking(afterMs)
      expect((await world.run()).status).toBe('done')
      expect(world.clock.now()).toBe(afterMs)
    }
  })

  it('ends the run at once where it is longer than that', async () => {
    const timeouts = { ...PLAN.timing.timeouts, clientMs: 300_000, totalMs: 300_000 }
    for (const [afterMs, timing, words] of [
      [120_001, {}, `${endpoint} is busy, and it asks to wait 120 s. Tried once in 0.0 s (retry_for_seconds`],
      [300_001, { retryForMs: 1e9, timeouts }, endpoint],
    ] as const) {
      const world = asking(afterMs, timing)
      expect(await stopOf(world)).toContain(words)
      expect(world.clock.now()).toBe(0)
    }
  })
})

describe('a service that fails while a job is waited for', () => {
  it('ends the wait after retry_for_seconds, and the next run goes on with it', async () => {
    let fate: Fate = 'busy'
    const world = testWorld((endpoint) => (endpoint === 'A3' ? fate : 'well'))
    expect(await stopOf(world)).toMatch(
      /^A3 is busy\. Tried \d+ times in 120 s \(retry_for_seconds\)\. When the service is back, run the same command again/,
    )
    expect(world.clock.now()).toBe(120_000)
    fate = 'well'
    expect((await world.run()).status).toBe('done')
    expect(world.made.A2).toHaveLength(1)
  })

  it('has as long again after each answer', async () => {
    let polls = 0
    const world = testWorld(
      (endpoint) => (endpoint === 'A3' && ++polls % 4 !== 0 ? 'busy' : 'well'),
      () => (polls < 16 ? 'pending' : 'completed'),
    )
    expect((await world.run()).status).toBe('done')
    expect(world.clock.now()).toBeGreaterThan(120_000)
  })

  it('is not waited for beyond the time of the step', async () => {
    const plan = { ...PLAN, timing: { ...PLAN.timing, retryForMs: 1e9 } }
    const world = testWorld((endpoint) => (endpoint === 'A7' ? 'lost before' : 'well'), undefined, plan)
    expect(await stopOf(world)).toMatch(
      /^A7 .*: the connection was not done in time; its last status: .*timeouts\.connection_seconds.* ask the operator of the service\.$/s,
    )
  })
})

it('looks by its name for a connection that is in the place of what is to be made (409)', async () => {
  const world = testWorld((endpoint) => (endpoint === 'A6' ? 'conflict' : 'well'))
  world.made.A6.push(50)
  expect(await world.run()).toMatchObject({ status: 'done', value: { connection_id: 50 } })
  expect(world.made.A6).toEqual([50])
})

describe('a part of the service that does not know yet what was created (404)', () => {
  const AFTER = ['A3', 'A4', 'A5', 'A6', 'A7', 'A8', 'A9', 'A10', 'A11'] as const

  it.each(AFTER)('%s: is asked again for ten seconds, and nothing is made twice', async (at) => {
    for (const lagMs of [1, 3_000, 9_999]) {
      let first: number | undefined
      const world = testWorld((endpoint) => {
        if (endpoint !== at) return 'well'
        first ??= world.clock.now()
        return world.clock.now() - first < lagMs ? 'missing' : 'well'
      })
      expect(await world.run()).toMatchObject({ status: 'done' })
      for (const made of Object.values(world.made)) expect(made).toHaveLength(1)
    }
  })

  it.each(AFTER)('%s: is believed after that, and at once when it is asked for later', async (at) => {
    const world = testWorld((endpoint) => (endpoint === at ? 'missing' : 'well'))
    expect(await stopOf(world)).toMatch(new RegExp(`^${at}: 404\\. `))
    expect(world.clock.now()).toBe(10_000)
    const asked = world.calls.filter((call) => call === at).length
    expect(asked).toBeGreaterThan(3)
    await stopOf(world)
    expect(world.calls.filter((call) => call === at)).toHaveLength(asked + 1)
    expect(world.clock.now()).toBe(10_000)
  })

  it.each(['A1', 'A2', 'A4'] as const)('%s: is believed at once where nothing was created', async (at) => {
    const world = testWorld((endpoint) => (endpoint === at ? 'missing' : 'well'))
    const choices = at === 'A4' ? { adopt: { A2: 9 }, notCreated: [] } : NO_CHOICES
    expect(await stopOf({ ...world, run: () => world.run(choices) })).toMatch(`${at}: 404`)
    expect(world.clock.now()).toBe(0)
  })

  it('is asked again no longer than other failures', async () => {
    const plan = { ...PLAN, timing: { ...PLAN.timing, retryForMs: 2_000 } }
    const world = testWorld((endpoint) => (endpoint === 'A3' ? 'missing' : 'well'), undefined, plan)
    expect(await stopOf(world)).toMatch(/^A3: 404\. Check base_url/)
    expect(world.clock.now()).toBe(2_000)
  })

  it('is asked again by a run that continues in that time', async () => {
    let fate: Fate = 'crash before'
    const world = testWorld((endpoint) => (endpoint === 'A3' ? fate : 'well'))
    await expect(world.run()).rejects.toThrow()
    fate = 'missing'
    expect(await stopOf(world)).toMatch('A3: 404')
    expect(world.clock.now()).toBe(10_000)
  })
})

it('ends its words about a redirect once', async () => {
  const world = testWorld((endpoint) => (endpoint === 'A2' ? 'redirected behind' : 'well'))
  expect(await world.run()).toMatchObject({
    question: expect.stringContaining('no usable answer came: A2 leads elsewhere.\n'),
  })
})

it.each(['A4', 'A5', 'A6'])('logs in again once for %s, not for ever', async (at) => {
  let left = 3
  const world = testWorld((endpoint) => (endpoint === at && left-- > 0 ? 'unauthorised' : 'well'))
  expect(await stopOf(world)).toMatch(new RegExp(`^${at}: 401\\. Check that the user of login may do this`))
  expect(world.calls.slice(-3)).toEqual([at, 'A1', at])
})

it('renews the token while it polls', async () => {
  let polls = 0
  const timeouts = { ...PLAN.timing.timeouts, totalMs: 1e9, dashboardsMs: 1e9 }
  const plan = { ...PLAN, timing: { ...PLAN.timing, timeouts } }
  const word = (endpoint: string): string => (endpoint === 'A11' && ++polls < 2_000 ? 'running' : 'completed')
  const world = testWorld(() => 'well', word, plan)
  expect((await world.run()).status).toBe('done')
  const hours = world.clock.now() / 3_600_000
  expect(world.calls.filter((call) => call === 'A1').length).toBe(Math.ceil(hours / ((14_400 - 60) / 3_600)))
})

it('sends the properties again when they have changed, and only then', async () => {
  const world = testWorld((endpoint) => (endpoint === 'A6' ? 'refused' : 'well'))
  await stopOf(world)
  await stopOf(world)
  expect(world.calls.filter((call) => call === 'A5')).toHaveLength(1)
  Object.assign(PLAN.update.properties, { timezone: 'UTC' })
  await stopOf(world)
  expect(world.calls.filter((call) => call === 'A5')).toHaveLength(2)
})

describe('told to stop', () => {
  it('before it began, it sends nothing', async () => {
    const world = testWorld(() => 'well')
    const ended = await world.run(NO_CHOICES, AbortSignal.abort())
    expect(ended).toEqual({ status: 'stopped' })
    expect(world.calls).toEqual([])
  })

  it('while a creating request is under way, it keeps the answer and sends nothing more', async () => {
    const stopped = new AbortController()
    const world = testWorld((endpoint) => {
      if (endpoint === 'A6') stopped.abort()
      return 'well'
    })
    expect(await world.run(NO_CHOICES, stopped.signal)).toEqual({ status: 'stopped' })
    expect(world.journal.known.made.A6.state).toBe('answered')
    expect((await world.run()).status).toBe('done')
    expect(world.made.A6).toHaveLength(1)
  })
})

describe('a connection test', () => {
  it('that failed is started anew by the next run, and the old one not taken for it', async () => {
    let word = 'failed'
    const world = testWorld(
      () => 'well',
      (endpoint) => (endpoint === 'A9' ? word : 'completed'),
    )
    expect(await stopOf(world)).toContain('ended as "failed"')
    const [first] = world.made.A8
    word = 'completed'
    expect((await world.run()).status).toBe('done')
    expect(world.made.A8).toHaveLength(2)
    expect(world.journal.known.made.A8.seen).toEqual([first])
  })

  it('of a client that was there before is told from its older ones', async () => {
    const world = testWorld(() => 'well')
    world.made.A8.push(50, 52)
    expect((await world.run({ adopt: { A2: 9 }, notCreated: [] })).status).toBe('done')
    expect(world.journal.known.made.A8.seen).toEqual([52, 50])
  })
})
