// The kafkajs consumer leaves its group whenever it is stopped, on a real broker: no dead member is left behind, whose
// partitions nobody reads until the session timeout.

import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { ConsumerCases, groupOf, type Join } from './consumer-cases.ts'
import type { Member } from './member.ts'

/** Far longer than a test waits: who is left behind stays for all of it. */
const LASTING = { sessionTimeoutMs: 120_000, rebalanceTimeoutMs: 240_000 }
const MOMENTS_MS = Array.from({ length: 40 }, (_, index) => index * 10)
/** A broker is held for so long: less than a stop waits for it. */
const HELD_MS = 500

const cases = new ConsumerCases()

const membersOf = async (topic: string): Promise<readonly unknown[]> =>
  (await cases.client.describeGroup(groupOf(topic))).members

/** Also one that was only promised a place is waited for by the next. */
async function joinsAlone(join: Join): Promise<void> {
  await using next = join()
  await next.until(({ story }) => story.includes('assigned'))
}

/** For one that keeps what it has, and so the whole group, until it may let go or is stopped. */
function keeping(): { letGo: () => void; onRevoked: (member: Member, signal: AbortSignal) => Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>()
  const onRevoked = async (_: Member, signal: AbortSignal): Promise<void> => {
    signal.addEventListener('abort', () => resolve())
    await promise
  }
  return { letGo: resolve, onRevoked }
}

const isRejoining = (member: Member): boolean => member.story.at(-1) === 'let go'

cases.describe('a member that is stopped leaves its group', () => {
  it.concurrent('at any moment of its start', async () => {
    const topic = await cases.topicOf(2)
    const join = cases.joiner(topic, LASTING)
    for (const moment of MOMENTS_MS) {
      const member = join()
      await sleep(moment)
      await member.stop()
      expect(await membersOf(topic), `stopped after ${moment} ms:\n${member.toString()}`).toEqual([])
    }
    await joinsAlone(join)
  })

  it.concurrent('in a first join that others keep waiting', async () => {
    const topic = await cases.topicOf(2)
    const kept = keeping()
    await using first = cases.joiner(topic, { ...LASTING, onRevoked: kept.onRevoked })()
    await first.until(({ story }) => story.includes('assigned'))
    const second = cases.joiner(topic, LASTING)()
    await first.until(({ story }) => story.includes('revoked'))
    await second.stop()
    expect(await membersOf(topic), second.toString()).toHaveLength(1)
    kept.letGo()
    await first.until((member) => member.of('assigned').length === 2)
    expect(first.partitions).toEqual([0, 1])
  })

  it.concurrent('in a rejoin that others keep waiting', async () => {
    const topic = await cases.topicOf(2)
    const kept = keeping()
    const join = cases.joiner(topic, LASTING)
    await using first = join()
    await first.until(({ story }) => story.includes('assigned'))
    await using second = join({ onRevoked: kept.onRevoked })
    await second.until(({ partitions }) => partitions.length === 1)
    await first.until(({ partitions }) => partitions.length === 1)
    await using third = join()
    await first.until(isRejoining)
    await first.stop()
    expect(await membersOf(topic), first.toString()).toHaveLength(2)
    kept.letGo()
    await third.until(({ story }) => story.includes('assigned'))
    await second.until((member) => member.of('assigned').length === 2)
    expect([...second.partitions, ...third.partitions].toSorted((a, b) => a - b)).toEqual([0, 1])
  })

  // these hold the broker of all
  it('at any moment of its start, also where the coordinator answers late', async () => {
    const topic = await cases.topicOf(2)
    const join = cases.joiner(topic, LASTING)
    for (const moment of MOMENTS_MS.filter((_, index) => index % 2 === 0)) {
      const member = join()
      await sleep(moment)
      process.kill(cases.broker.pid!, 'SIGSTOP')
      const stopped = member.stop()
      await sleep(HELD_MS)
      process.kill(cases.broker.pid!, 'SIGCONT')
      await stopped
      expect(await membersOf(topic), `stopped after ${moment} ms:\n${member.toString()}`).toEqual([])
    }
    await joinsAlone(join)
  })

  it('as far as its coordinator answers, and says so where it does not', async () => {
    const topic = await cases.topicOf(2)
    const join = cases.joiner(topic, { sessionTimeoutMs: 6000 })
    const member = await join().until(({ story }) => story.includes('assigned'))
    process.kill(cases.broker.pid!, 'SIGSTOP')
    const told = performance.now()
    await member.stop()
    process.kill(cases.broker.pid!, 'SIGCONT')
    expect(performance.now() - told).toBeLessThan(20_000)
    expect(member.of('said').at(-1)?.text).toMatch(/^Group group-of-.* could not be left.*up to 6 s/)
    await joinsAlone(join)
  })
})
