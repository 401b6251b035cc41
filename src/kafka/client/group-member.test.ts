import { once } from 'node:events'
import { describe, expect, it, vi } from 'vitest'
import type { TopicConfig } from '../../config/stream/stream-config.ts'
import { ConnectorError } from '../../core/errors.ts'
import type { Clock } from '../../core/types.ts'
import { topicFinder } from '../source/find-topics.ts'
import { wholeNames } from '../../config/stream/topic-choice.ts'
import { topicConfig } from '../source/testing/topics.ts'
import { GroupMember } from './group-member.ts'
import { Restarts } from './restarts.ts'
import { memberEvents } from './testing/member.ts'

const CONNECTION = { brokers: ['a:9092'], clientId: 'c', tls: undefined, sasl: undefined, allowInsecureLogin: false }
const named = (name: string): TopicConfig => topicConfig({ topic: { name } })
const pattern = (text: string): TopicConfig =>
  topicConfig({ topic: { pattern: wholeNames(text, ['shop.dead']), text } })

/** Time passes as soon as somebody waits for it.
 *  @param looks the topics there are at each look, or that it is not answered; of the last ones for ever
 *  @param absent brokers say that it is not there, to whoever wants to read it: then time does not pass at all */
function memberOf(
  topics: readonly TopicConfig[],
  looks: readonly (readonly string[] | Error | 'hangs')[],
  absent?: string,
  crash?: Error,
) {
  let now = 0
  let look = 0
  const stop = new AbortController()
  const happened: string[] = []
  const errors: ConnectorError[] = []
  const clock: Clock = {
    now: () => now,
    random: () => 0,
    async wait(ms, signal) {
      if (absent !== undefined && !signal.aborted) await once(signal, 'abort')
      if (absent !== undefined) return
      await new Promise((resolve) => setImmediate(resolve))
      if (look >= looks.length + 1) stop.abort()
      if (!signal.aborted) now += ms
    },
  }
  const events = memberEvents({
    revoked: () => {
      happened.push('let go')
      return Promise.resolve()
    },
    failed(error) {
      errors.push(error)
      setImmediate(() => stop.abort())
    },
    log: (_level, message) => happened.push(message),
  })
  const finder = topicFinder({
    kafka: { brokers: CONNECTION.brokers, topicRefreshMs: 1000 },
    topics,
    check: (read) => {
      if (read.includes('shop.refused')) throw new ConnectorError('config', 'program.fault', 'refused')
      return read
    },
    log: () => {},
    listTopics: (signal) => {
      const there = looks[Math.min(look++, looks.length - 1)]!
      if (there === 'hangs')
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
      return there instanceof Error ? Promise.reject(there) : Promise.resolve(there)
    },
  })
  const times = { sessionTimeoutMs: 30_000, rebalanceTimeoutMs: 60_000, heartbeatMs: 3000, brokerDeadlineMs: 5000 }
  const policies = { startOf: () => 'earliest' as const, outOfRangeOf: () => 'stop' as const }
  const settings = { connection: CONNECTION, group: 'g', topics: finder, clock, scrub: (text: string) => text }
  const member = new GroupMember(
    {
      ...settings,
      ...times,
      ...policies,
      openSession: ({ topics: read, isHalted }, membership) => ({
        pause: () => {},
        resume: () => {},
        halt: () => happened.push('halt'),
        commit: () => Promise.resolve(),
        async run(signal) {
          if (isHalted()) happened.push('halt')
          happened.push(`join ${read.join()}`)
          if (absent !== undefined && read.includes(absent)) return NOT_THERE
          if (crash) return crash
          membership.heard(now)
          membership.joined('1')
          membership.assign([])
          if (!signal.aborted) await once(signal, 'abort')
          membership.left()
          happened.push(`leave ${read.join()}`)
          return undefined
        },
      }),
    },
    events,
  )
  return { member, stop, happened, errors, run: () => member.run(stop.signal) }
}

/** As brokers say it. */
const NOT_THERE = Object.assign(new Error('This server does not host this topic-partition'), {
  type: 'UNKNOWN_TOPIC_OR_PARTITION',
})
const ANEW = expect.stringMatching(/^The Kafka client is restarted: .*Topics do not exist/) as unknown

describe('GroupMember', () => {
  it('reads named topics, whatever else there is, and leaves when told to', async () => {
    const { run, stop, happened, errors } = memberOf([named('a')], [['a', 'b']])
    const running = run()
    await new Promise((resolve) => setTimeout(resolve, 5))
    stop.abort()
    await running
    expect(happened).toEqual(['join a', 'leave a'])
    expect(errors).toEqual([])
  })

  it('ends with the names of topics that are not there', async () => {
    const { run, errors } = memberOf([named('a'), named('b'), named('c')], [['b']])
    await run()
    expect(errors[0]).toMatchObject({ kind: 'config', message: expect.stringContaining('no topic "a", "c"') as string })
  })

  it('waits for the first topic of a pattern, and joins anew when others come or go', async () => {
    const looks = [[], ['shop.a', '__shop.x', 'shop.dead'], ['shop.a'], ['shop.a', 'shop.b'], ['shop.b']]
    const { run, happened, errors } = memberOf([pattern('(__)?shop\\..*')], looks)
    await run()
    expect(happened).toEqual([
      'No topic matches yet; looking again regularly.',
      'join shop.a',
      'New topics join: shop.b.',
      'halt',
      'let go',
      'leave shop.a',
      'join shop.a,shop.b',
      'Topics are gone: shop.a.',
      'halt',
      'let go',
      'leave shop.a,shop.b',
      'join shop.b',
      'leave shop.b',
    ])
    expect(errors).toEqual([])
  })

  it('looks at once when brokers say that a topic is not there, or all the others would rest', async () => {
    const { run, stop, happened } = memberOf([pattern('[ab]')], [['a', 'b'], ['a']], 'b')
    const running = run()
    await vi.waitFor(() => expect(happened).toContain('join a'))
    stop.abort()
    await running
    expect(happened).toEqual(['join a,b', ANEW, 'Topics are gone: b.', 'join a', 'leave a'])
  })

  it('leaves it to its sessions how long a named topic is waited for that is not there any more', async () => {
    const { run, stop, happened, errors } = memberOf([named('a'), pattern('b.*')], [['a', 'b1'], ['b1']], 'a')
    const running = run()
    await vi.waitFor(() => expect(happened).toContainEqual(ANEW))
    stop.abort()
    await running
    expect(happened).toEqual(['join a,b1', ANEW])
    expect(errors).toEqual([])
  })

  it('looks for brokers until the deadline', async () => {
    const away = new Error('connection refused')
    const { run, happened, errors } = memberOf(
      [named('a')],
      Array.from({ length: 9 }, () => away),
    )
    await run()
    expect(happened).toEqual(['The brokers cannot be asked for topics yet: connection refused.'])
    expect(errors[0]?.kind).toBe('transient')
    expect(errors[0]?.message).toContain('in 5 s (kafka.broker_deadline_seconds): connection refused')
  })

  it('blames the token server, not the brokers, where no token comes until the deadline', async () => {
    const words = 'the token server idp:1 gives no token: connection refused'
    const crash = Object.assign(new Error(words), { code: 'NO_TOKEN', remedy: 'Check the port.' })
    const looks = Array.from({ length: 99 }, () => ['a'])
    for (const [error, message] of [
      [crash, `Kafka: no login was possible for 5 s: ${words}. Check the port.`],
      [new Error('gone'), `Kafka: the brokers ${CONNECTION.brokers.join(', ')} could not be used for 5 s: gone.`],
    ] as const) {
      const { run, errors } = memberOf([named('a')], looks, undefined, error)
      await run()
      const code = error === crash ? 'identity.unreachable' : 'kafka.unreachable'
      expect(errors).toMatchObject([{ kind: 'transient', code, message }])
    }
  })

  it('ends as soon as it is told to, also while brokers do not answer', async () => {
    const first = memberOf([named('a')], ['hangs'])
    const later = memberOf([pattern('a|b')], [['a'], 'hangs'])
    const running = [first.run(), later.run()]
    await vi.waitFor(() => expect(later.happened).toEqual(['join a']))
    await new Promise((resolve) => setTimeout(resolve, 20))
    first.stop.abort()
    later.stop.abort()
    await Promise.all(running)
    expect([first.happened, later.happened]).toEqual([[], ['join a', 'leave a']])
    expect([...first.errors, ...later.errors]).toEqual([])
  })

  it('ends when topics that join cannot be read together with the others', async () => {
    const { run, happened, errors } = memberOf([pattern('shop\\..*')], [['shop.a'], ['shop.a', 'shop.refused']])
    await run()
    expect(happened).toEqual(['join shop.a', 'halt', 'leave shop.a'])
    expect(errors.map(({ message }) => message)).toEqual(['refused'])
  })

  it('goes on with what it has while brokers cannot be asked', async () => {
    const { run, happened } = memberOf([pattern('a|b')], [['a'], new Error('away'), new Error('away'), []])
    await run()
    expect(happened).toEqual(['join a', 'leave a'])
  })

  it('halts for good', async () => {
    const { member, run, stop, happened } = memberOf([named('a')], [['a']])
    member.halt()
    expect([member.isMember(), member.generation, member.end({ topic: 'a', partition: 0 })]).toEqual([
      false,
      undefined,
      undefined,
    ])
    const running = run()
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect([member.isMember(), member.generation]).toEqual([true, '1'])
    stop.abort()
    await running
    expect(happened).toEqual(['halt', 'join a', 'leave a'])
  })
})

it('fails once only, with secrets taken out, when topics that join are refused and its client ends later', async () => {
  const happened: string[] = []
  const session = Promise.withResolvers<Error>()
  const stop = new AbortController()
  let looks = 0
  const clock: Clock = {
    now: () => 0,
    random: () => 0,
    wait: () => new Promise((resolve) => setImmediate(resolve)),
  }
  const find = async (): Promise<string[]> => {
    if (looks++ > 0) throw new ConnectorError('config', 'program.fault', 'refused: SECRET')
    return ['a']
  }
  const member = new GroupMember(
    {
      connection: CONNECTION,
      group: 'g',
      clock,
      topics: { find, refreshMs: 1000, mayChange: true },
      scrub: (text) => text.replace('SECRET', '***'),
      sessionTimeoutMs: 30_000,
      rebalanceTimeoutMs: 60_000,
      heartbeatMs: 3000,
      brokerDeadlineMs: 5000,
      startOf: () => 'earliest',
      outOfRangeOf: () => 'stop',
      openSession: ({ isHalted }) => ({
        pause: () => {},
        resume: () => {},
        halt: () => void happened.push(`halt ${isHalted()}`),
        commit: () => Promise.resolve(),
        run: () => (happened.push('join'), session.promise),
      }),
    },
    memberEvents({
      failed: ({ message }) => void happened.push(`failed ${message}`),
      log: (_level, message) => happened.push(message),
    }),
  )
  const running = member.run(stop.signal)
  await vi.waitFor(() => expect(happened).toContain('failed refused: ***'))
  session.resolve(new Error('the connection closed'))
  await new Promise((resolve) => setTimeout(resolve, 20))
  stop.abort()
  await running
  expect(happened).toEqual(['join', 'halt true', 'failed refused: ***'])
})

const DEADLINE = 900_000

describe('Restarts', () => {
  it('waits longer each time, but never long', () => {
    const restarts = new Restarts(DEADLINE)
    const waits = Array.from({ length: 7 }, (_, index) => restarts.ended('passing', index * 1000))
    expect(waits).toEqual([200, 400, 800, 1600, 2000, 2000, 2000].map((waitMs) => ({ kind: 'wait', waitMs })))
  })

  it('bears what passes until the deadline', () => {
    const restarts = new Restarts(DEADLINE)
    for (let now = 0; now < DEADLINE; now += 2000) expect(restarts.ended('passing', now)).toHaveProperty('waitMs')
    expect(restarts.ended('passing', DEADLINE)).toEqual({ kind: 'give up', failedMs: DEADLINE })
  })

  it('ends at once on what no try can help', () => {
    const restarts = new Restarts(DEADLINE)
    restarts.joined(0)
    expect(restarts.ended('final', 100_000)).toHaveProperty('failedMs')
  })

  it('ends at once on a refusal at the start, but bears one for an outage once it was a member', () => {
    expect(new Restarts(DEADLINE).ended('refused', 0)).toHaveProperty('failedMs')
    const member = new Restarts(DEADLINE)
    member.joined(0)
    for (let now = 100_000; now < 160_000; now += 2000) expect(member.ended('refused', now)).toHaveProperty('waitMs')
    expect(member.ended('refused', 160_000)).toHaveProperty('failedMs')
  })

  it('gives a topic that is being made a moment', () => {
    const restarts = new Restarts(DEADLINE)
    expect(restarts.ended('absent', 0)).toHaveProperty('waitMs')
    expect(restarts.ended('absent', 9000)).toHaveProperty('waitMs')
    expect(restarts.ended('absent', 10_000)).toHaveProperty('failedMs')
  })

  it('takes the end of a steady client for a new trouble, that of a short-lived one for the old', () => {
    const restarts = new Restarts(DEADLINE)
    restarts.ended('passing', 0)
    restarts.joined(1000)
    expect(restarts.ended('passing', 40_000)).toEqual({ kind: 'wait', waitMs: 200 })
    const looping = new Restarts(DEADLINE)
    let now = 0
    let advice = looping.ended('passing', now)
    while ('waitMs' in advice && now < 2 * DEADLINE) {
      looping.joined((now += 2000))
      advice = looping.ended('passing', (now += 8000))
    }
    expect(advice).toHaveProperty('failedMs')
  })
})
