import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { settle, TestClock } from '../kafka/client/testing/clock.ts'
import type { RegistryResult } from './retrying-client.ts'
import { CachingStore, type SchemaStore } from './schema-store.ts'
import { answered, TestRegistry } from './testing/registry.ts'
import type { RegisteredSchema, SchemaId, ValueDecoder } from './types.ts'
import { asText } from './testing/as-text.ts'

interface Made {
  readonly store: CachingStore
  readonly registry: TestRegistry
  readonly clock: TestClock
  readonly lines: string[]
  readonly told: string[]
  /** Schemas a decoder was made for. */
  readonly made: RegisteredSchema[]
}

function make(): Made {
  const registry = new TestRegistry()
  const clock = new TestClock()
  const lines: string[] = []
  const told: string[] = []
  const made: RegisteredSchema[] = []
  const decoder = (schema: RegisteredSchema): ValueDecoder | { problem: string } => {
    made.push(schema)
    if (schema.text === 'broken') return { problem: 'cannot be read' }
    const warning = schema.text === 'doubtful' ? 'is doubtful.' : undefined
    return { type: schema.type, warning, decode: () => ({ json: Buffer.from(schema.text) }) }
  }
  const store = new CachingStore({
    ask: registry.ask,
    address: 'http://registry',
    clock,
    make: { AVRO: decoder, PROTOBUF: decoder, JSON: decoder },
    log: (level, message) => lines.push(`${level} ${message}`),
    outage: {
      began: () => {},
      answered: () => told.push('answered'),
      throttled: () => told.push('throttled'),
      failed: () => told.push('failed'),
      ended: () => told.push('ended'),
    },
  })
  return { store, registry, clock, lines, told, made }
}

const never = new AbortController().signal
const has = (registry: TestRegistry, id: number, schema: object = { schema: `s${id}` }): void =>
  registry.has(`/schemas/ids/${id}`, schema)

/** Time passes until they are loaded. @returns milliseconds that it took, a tenth of a second at a time */
async function loadedIn({ store, clock }: Made, ids: readonly SchemaId[]): Promise<number> {
  const start = clock.now()
  const loaded = new AbortController()
  const loading = store.load(ids, never).finally(() => loaded.abort())
  for (await settle(); !loaded.signal.aborted;) await clock.pass(100)
  await loading
  return clock.now() - start
}

function jsonOf(store: SchemaStore, id: SchemaId): unknown {
  const known = store.known(id)
  return known && 'decode' in known ? asText(known.decode(Buffer.alloc(0), 0, undefined)) : known
}

it('warns once of a schema that its decoder doubts', async () => {
  const { store, registry, lines } = make()
  has(registry, 1, { schema: 'doubtful' })
  has(registry, 2)
  for (const id of [1, 2, 1]) await store.load([id], never)
  expect(lines).toEqual(['warn Schema 1 is doubtful.'])
})

it('knows what it loaded, and asks no more', async () => {
  const { store, registry, made } = make()
  for (const id of [1, 2]) has(registry, id)
  has(registry, 3, { schema: 'broken' })
  expect(store.known(1)).toBeUndefined()
  await store.load([1, 2, 1, 3], never)
  expect([1, 2, 3, 4].map((id) => jsonOf(store, id))).toEqual([
    { json: 's1' },
    { json: 's2' },
    { problem: 'cannot be read' },
    undefined,
  ])
  await store.load([3, 2, 1], never)
  expect(registry.paths).toEqual(['/schemas/ids/1', '/schemas/ids/2', '/schemas/ids/3'])
  expect(made).toHaveLength(3)
})

it('one request is made, however many ask, and never more than eight at once', async () => {
  const { store, registry } = make()
  const ids = Array.from({ length: 50 }, (_, id) => id)
  for (const id of ids) has(registry, id)
  await Promise.all(Array.from({ length: 100 }, () => store.load(ids, never)))
  expect(registry.paths).toHaveLength(50)
  expect(registry.mostAtOnce).toBe(8)
})

describe('what the registry does not know', () => {
  const path = '/schemas/ids/7'

  it('is asked for four times in three seconds, and its records wait no longer', async () => {
    const { store, registry, clock } = make()
    const asked: number[] = []
    const start = clock.now()
    registry.answers.set(path, () => {
      asked.push(clock.now() - start)
      return Promise.resolve(answered(404, { error_code: 40403 }))
    })
    const loaded = store.load([7], never).then(() => clock.now() - start)
    await clock.pass(3_000)
    expect(asked).toEqual([0, 400, 1_200, 2_800])
    expect(await loaded).toBe(2_800)
    expect(store.known(7)).toMatchObject({ problem: 'is not known to the registry (40403)' })
    store[Symbol.dispose]()
  })

  // a replica that is behind, or an ingress that has lost the registry
  const gone = [answered(404, { error_code: 40403 }), answered(404, 'default backend - 404')]
  it.each(gone.flatMap((answer) => [1, 2, 3].map((times) => ({ times, answer }))))(
    'is no reject, if it comes after $times answers $answer.body',
    async ({ times, answer }) => {
      const { store, registry, clock } = make()
      let left = times
      registry.answers.set(path, () =>
        Promise.resolve(left-- > 0 ? answer : answered(200, { schema: 's7', references })),
      )
      const references = [{ name: 'r', subject: 'r', version: 1 }]
      let leftOfIt = 3 - times
      registry.answers.set('/subjects/r/versions/1', () =>
        Promise.resolve(leftOfIt-- > 0 ? answer : answered(200, { schema: 'r' })),
      )
      const loaded = store.load([7], never)
      await clock.pass(3_000)
      await loaded
      expect(jsonOf(store, 7)).toEqual({ json: 's7' })
    },
  )

  it('holds up no other while it is doubted', async () => {
    const { store, registry } = make()
    has(registry, 1_000)
    const garbage = Array.from({ length: 50 }, (_, id) => id)
    const aborter = new AbortController()
    const ended = expect(store.load(garbage, aborter.signal)).rejects.toThrow('enough')
    await store.load([1_000], never)
    expect(jsonOf(store, 1_000)).toEqual({ json: 's1000' })
    aborter.abort(new Error('enough'))
    await ended
  })

  it('is doubted for 100 ids at once, each once a minute', async () => {
    const made = make()
    const { registry, store, clock } = made
    const asked = async (ids: readonly number[]): Promise<number> => {
      const before = registry.paths.length
      expect(await loadedIn(made, ids)).toBeLessThanOrEqual(4_000)
      return registry.paths.length - before
    }
    store[Symbol.dispose]()
    const first = Array.from({ length: 150 }, (_, id) => id)
    expect(await asked(first)).toBe(100 * 4 + 50)
    expect(await asked([200, 201])).toBe(2)
    await clock.pass(60_000)
    expect(await asked(first)).toBe(100 * 4 + 50)
  })

  it('is asked for in the background, ever more seldom, and its records are rejected meanwhile', async () => {
    const { store, registry, clock } = make()
    const loaded = store.load([7], never)
    await clock.pass(2_800)
    await loaded
    registry.paths.length = 0
    const asked: number[] = []
    for (let second = 1; second <= 200; second++) {
      await clock.pass(1_000)
      expect(store.known(7)).toMatchObject({ problem: 'is not known to the registry (40403)' })
      if (registry.paths.length > asked.length) asked.push(second)
    }
    expect(asked).toEqual([3, 7, 15, 31, 63, 124, 184])
    has(registry, 7)
    await clock.pass(60_000)
    expect(jsonOf(store, 7)).toEqual({ json: 's7' })
    await clock.pass(600_000)
    expect(registry.paths).toHaveLength(asked.length + 1)
  })

  it('is not asked for any more when no record names it, and as new when one does', async () => {
    const { store, registry, clock } = make()
    const loaded = store.load([7], never)
    await clock.pass(200_000)
    await loaded
    const asked = registry.paths.length
    // after 2, 6, 14, 30 seconds, and not after 62
    expect(asked).toBe(4 + 4)
    expect(store.known(7)).toBeUndefined()
    const again = store.load([7], never)
    await clock.pass(3_000)
    await again
    expect(registry.paths).toHaveLength(asked + 4)
    store[Symbol.dispose]()
  })

  it('is asked for five times a second at most, those first that records name', async () => {
    const made = make()
    const { store, registry, clock } = made
    const garbage = Array.from({ length: 2_000 }, (_, id) => id + 1_000)
    await loadedIn(made, [...garbage.slice(0, 1_000), 7, ...garbage.slice(1_000)])
    await clock.pass(2_000)
    registry.answers.set(path, answered(200, { schema: 's7', references: [{ name: 'r', subject: 'r', version: 1 }] }))
    registry.has('/subjects/r/versions/1', { schema: 'r' })
    registry.paths.length = 0
    for (let turn = 0; turn < 20; turn++) {
      // so does garbage that is read over and over
      for (const id of [7, 1_500]) store.known(id)
      await clock.pass(100)
    }
    expect(jsonOf(store, 7)).toEqual({ json: 's7' })
    expect(registry.paths.length).toBeLessThanOrEqual(10)
    await clock.pass(50_000)
    expect(registry.paths.length).toBeGreaterThan(200)
    expect(registry.paths.length).toBeLessThanOrEqual(260)
    store[Symbol.dispose]()
  })

  it('is asked for as before after the registry failed or refused in the background', async () => {
    const { store, registry, clock, told } = make()
    const loaded = store.load([7], never)
    await clock.pass(2_800)
    await loaded
    const tell = told.length
    for (const answer of [answered(401), answered(503)]) {
      registry.answers.set(path, answer)
      for (let turn = 0; turn < 5; turn++) {
        await clock.pass(5_000)
        expect([store.known(7), store.waitsBecause]).toMatchObject([{ problem: /not known/ }, undefined])
      }
    }
    expect(told).toHaveLength(tell)
    has(registry, 7)
    await clock.pass(60_000)
    expect(jsonOf(store, 7)).toEqual({ json: 's7' })
  })

  it('is asked for no more once the store is given up', async () => {
    const { store, registry, clock } = make()
    const loaded = store.load([7], never)
    await clock.pass(2_800)
    await loaded
    store[Symbol.dispose]()
    const asked = registry.paths.length
    await clock.pass(30_000)
    expect(registry.paths).toHaveLength(asked)
  })

  it('pushes out nothing that is known', async () => {
    const made = make()
    const { store, registry } = made
    has(registry, 1)
    await store.load([1], never)
    const many = Array.from({ length: 12_000 }, (_, index) => index + 2)
    store[Symbol.dispose]()
    await loadedIn(made, many)
    expect(jsonOf(store, 1)).toEqual({ json: 's1' })
    expect(many.filter((id) => store.known(id)).length).toBeLessThanOrEqual(10_000)
    expect(store.known(many.at(-1)!)).toBeDefined()
  })
})

it('what it knows is bounded, and what is used stays', async () => {
  const { store, registry } = make()
  const many = Array.from({ length: 12_000 }, (_, id) => id)
  for (const id of many) has(registry, id)
  for (let from = 0; from < many.length; from += 1_000) {
    await store.load(many.slice(from, from + 1_000), never)
    expect(jsonOf(store, 5)).toEqual({ json: 's5' })
  }
  expect(many.filter((id) => store.known(id)).length).toBeLessThanOrEqual(10_000)
})

describe('an outage', () => {
  it('is waited for, told, and over when the registry answers', async () => {
    const { store, registry, clock, told } = make()
    registry.answers.set('/schemas/ids/1', { failed: 'refused' })
    const loading = store.load([1], never)
    await clock.pass(120_000)
    expect(store.waitsBecause).toBe('the schema registry http://registry cannot be asked: refused')
    expect(store.known(1)).toBeUndefined()
    has(registry, 1)
    await clock.pass(5_000)
    await loading
    expect(jsonOf(store, 1)).toEqual({ json: 's1' })
    expect(store.waitsBecause).toBeUndefined()
    expect([told[0], told.at(-1)]).toEqual(['failed', 'answered'])
  })

  it('one who gives up fails no other; when none waits any more nothing is asked any more', async () => {
    const { store, registry, clock } = make()
    registry.answers.set('/schemas/ids/1', { failed: 'refused' })
    const [first, second] = [new AbortController(), new AbortController()]
    const one = expect(store.load([1], first.signal)).rejects.toThrow('first')
    const two = expect(store.load([1], second.signal)).rejects.toThrow('second')
    await clock.pass(500)
    first.abort(new Error('first'))
    await one
    await clock.pass(10_000)
    const asked = registry.paths.length
    expect(asked).toBeGreaterThan(4)
    expect(store.waitsBecause).toBeDefined()
    second.abort(new Error('second'))
    await two
    await clock.pass(60_000)
    expect(registry.paths).toHaveLength(asked)
    expect(store.waitsBecause).toBeUndefined()
    has(registry, 1)
    await store.load([1], never)
    expect(jsonOf(store, 1)).toEqual({ json: 's1' })
  })

  it('those behind the eight that are asked for come when these give up', async () => {
    const { store, registry, clock } = make()
    const stuck = Array.from({ length: 8 }, (_, id) => id)
    for (const id of stuck) registry.answers.set(`/schemas/ids/${id}`, answered(500))
    has(registry, 9)
    const aborter = new AbortController()
    const ended = expect(store.load(stuck, aborter.signal)).rejects.toThrow('enough')
    await clock.pass(1_000)
    const ninth = store.load([9], never)
    await clock.pass(1_000)
    expect(store.known(9)).toBeUndefined()
    aborter.abort(new Error('enough'))
    await ended
    await ninth
    expect(jsonOf(store, 9)).toEqual({ json: 's9' })
  })
})

it('a signal that has aborted asks nothing', async () => {
  const { store, registry } = make()
  await expect(store.load([1], AbortSignal.abort(new Error('over')))).rejects.toThrow('over')
  expect(registry.paths).toEqual([])
})

it('a refusal fails all who wait for it, and the next asks anew', async () => {
  const { store, registry } = make()
  registry.answers.set('/schemas/ids/1', answered(401))
  has(registry, 2)
  const both = await Promise.allSettled([store.load([1, 2], never), store.load([1], never)])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(registry.paths.filter((path) => path === '/schemas/ids/1')).toHaveLength(1)
  has(registry, 1)
  await store.load([1, 2], never)
  expect([jsonOf(store, 1), jsonOf(store, 2)]).toEqual([{ json: 's1' }, { json: 's2' }])
})

it('rules that nobody applies are said, once a schema', async () => {
  const { store, registry, lines } = make()
  const ruleSet = {
    domainRules: [
      { type: 'ENCRYPT', mode: 'WRITEREAD' },
      { type: 'x\ny', mode: 'READ' },
    ],
  }
  has(registry, 1, { schema: 's', ruleSet })
  await store.load([1], never)
  await store.load([1], never)
  expect(lines).toEqual([
    expect.stringMatching(/^warn Schema 1 has rules for its readers \(ENCRYPT, x_y\) that are not applied/),
  ])
})

it('whatever the registry does and whoever gives up, everyone is told, and asked is never more than needed', async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('load' as const), ids: fc.array(fc.nat(5), { maxLength: 4 }), gives: fc.boolean() }),
    fc.record({ kind: fc.constant('abort' as const) }),
    fc.record({ kind: fc.constant('answer' as const), id: fc.nat(5), status: fc.constantFrom(200, 404, 500, 503) }),
    fc.record({ kind: fc.constant('pass' as const), ms: fc.constantFrom(0, 50, 1_000, 70_000) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const { store, registry, clock } = make()
      const answers = new Map<number, number>()
      const loads: { loaded: Promise<unknown>; ids: readonly number[]; aborter: AbortController }[] = []
      const answer = (id: number, status: number): void => {
        answers.set(id, status)
        const given: RegistryResult =
          status === 200 ? answered(200, { schema: `s${id}` }) : answered(status, { error_code: 40403 })
        registry.answers.set(`/schemas/ids/${id}`, given)
      }
      for (const one of steps) {
        if (one.kind === 'answer') answer(one.id, one.status)
        if (one.kind === 'pass') await clock.pass(one.ms)
        if (one.kind === 'abort') loads.at(-1)?.aborter.abort(new Error('enough'))
        if (one.kind === 'load') {
          const aborter = new AbortController()
          const isMissing = (id: number): boolean => store.known(id) === undefined
          const loadAll = async (): Promise<void> => {
            // while one is loaded, another may expire
            while (one.ids.some(isMissing)) await store.load(one.ids, aborter.signal)
          }
          const loaded = loadAll().then(
            () => true,
            (error: unknown) => error instanceof Error && error.message === 'enough' && aborter.signal.aborted,
          )
          loads.push({ loaded, ids: one.ids, aborter })
        }
      }
      for (let id = 0; id <= 5; id++) answer(id, 200)
      await clock.pass(10_000)
      await settle()
      expect(await Promise.all(loads.map(({ loaded }) => loaded))).toEqual(loads.map(() => true))
      expect([store.waitsBecause, registry.underway]).toEqual([undefined, 0])
    }),
    { numRuns: 60 },
  )
})
