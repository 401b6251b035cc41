// What an answer to a heartbeat means.

import { describe, expect, it } from 'vitest'
import { Heartbeats } from './heartbeats.ts'
import { TestClock } from './testing/clock.ts'

const refusal = (type: string): Error => Object.assign(new Error('refused'), { type })

function make() {
  const clock = new TestClock()
  const heard: number[] = []
  return { clock, heard, heartbeats: new Heartbeats(clock, (at) => void heard.push(at)) }
}

describe('Heartbeats', () => {
  it('finds nothing wrong while none can be sent', async () => {
    expect(await make().heartbeats.beat()).toBe('good')
  })

  it('takes an answer for as old as its question', async () => {
    const { clock, heard, heartbeats } = make()
    const from = clock.now()
    heartbeats.sent()
    await clock.pass(5000)
    heartbeats.answered()
    expect(heard).toEqual([from])
  })

  it('takes a rebalance for a good answer', async () => {
    const { clock, heard, heartbeats } = make()
    heartbeats.use(async () => {
      heartbeats.sent()
      throw refusal('REBALANCE_IN_PROGRESS')
    })
    expect(await heartbeats.beat()).toBe('good')
    expect(heard).toEqual([clock.now()])
  })

  it.each(['UNKNOWN_MEMBER_ID', 'ILLEGAL_GENERATION', 'FENCED_INSTANCE_ID'])('takes %s for the end', async (type) => {
    const { heard, heartbeats } = make()
    heartbeats.use(async () => {
      throw new Error('wrapped', { cause: refusal(type) })
    })
    expect(await heartbeats.beat()).toBe('gone')
    expect(heard).toEqual([])
  })

  it('does not wait for ever, nor take trouble for an answer', async () => {
    const { clock, heartbeats } = make()
    heartbeats.use(async () => {
      throw refusal('NOT_COORDINATOR_FOR_GROUP')
    })
    expect(await heartbeats.beat()).toBe('unanswered')
    heartbeats.use(() => new Promise(() => undefined))
    const beat = heartbeats.beat()
    await clock.pass(2000)
    expect(await beat).toBe('unanswered')
  })
})
