// A `stream` that is told to end while its requests take long, on a real broker, and the member that reads on behind it: what is
// answered in time is the older value, and stays so; what is not may land over the newer one.

import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { uniqueName } from '../kafka/available.ts'
import { until } from '../kafka/until.ts'
import { describeStream, type StreamDriver } from './driver.ts'
import { Receiver } from './receiver.ts'
import type { StreamProcess } from './stream-process.ts'
import { textOf } from './workload.ts'

const IDS = Array.from({ length: 50 }, (_, id) => id)
const SLOW = 1
const NEXT = 2

/** A service that keeps the upserts of one member until it is told to take them. */
class SlowCase implements AsyncDisposable {
  readonly group = uniqueName('group')
  readonly receiver: Receiver
  readonly topic: string
  readonly take: () => void
  readonly #driver: StreamDriver

  static async open(driver: StreamDriver, partitions: number): Promise<SlowCase> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const held = (member: number): Promise<void> | undefined => (member === SLOW ? promise : undefined)
    const receiver = await Receiver.open({ delayMs: () => 0, held })
    return new SlowCase(driver, receiver, await driver.topic(partitions), resolve)
  }

  private constructor(driver: StreamDriver, receiver: Receiver, topic: string, take: () => void) {
    this.#driver = driver
    this.receiver = receiver
    this.topic = topic
    this.take = take
  }

  start(member: number): Promise<StreamProcess> {
    const { group, topic, receiver } = this
    const config = { client_id: member, import_url: `http://127.0.0.1:${receiver.port}` }
    return this.#driver.start({
      group,
      topics: [{ topic, keys: ['id'], table: 'rows' }],
      kafka: { rebalance_timeout_seconds: 60 },
      config,
    })
  }

  /** So many members, who share everything out. @returns the partitions of each, by number */
  async joined(members: number): Promise<readonly (readonly number[])[]> {
    let found: readonly (readonly number[])[] = []
    await until(
      async () => {
        const { state, members: all } = await this.#driver.client.describeGroup(this.group)
        found = all.map(({ assigned }) => assigned[this.topic] ?? [])
        return state === 'Stable' && all.length === members
      },
      () => `they never joined: ${JSON.stringify(found)}`,
    )
    return found
  }

  /** The same rows in every partition. */
  async produce(version: number, partitions: readonly number[]): Promise<void> {
    const records = partitions.flatMap((partition) =>
      IDS.map((id) => {
        const one = { id: id + partition * IDS.length, partition, version }
        return { partition, key: String(one.id), value: textOf(one) }
      }),
    )
    await this.#driver.client.produce(this.topic, records)
  }

  /** @returns the rows of these partitions, by the version each has */
  versions(partitions: readonly number[]): Map<number | undefined, number> {
    const ids = partitions.flatMap((partition) => IDS.map((id) => id + partition * IDS.length))
    const found = Map.groupBy(ids, (id) => this.receiver.rows.get(id)?.version)
    return new Map([...found].map(([version, of]) => [version, of.length]))
  }

  async versionsAre(version: number, partitions: readonly number[]): Promise<void> {
    await until(
      () => this.versions(partitions).get(version) === partitions.length * IDS.length,
      () => `rows are of the versions ${JSON.stringify([...this.versions(partitions)])}`,
    )
  }

  /** Upserts of the slow member that have arrived. */
  get slow(): readonly { readonly takenAt: number | undefined; readonly points: readonly { id: number }[] }[] {
    return this.receiver.upserts.filter(({ member }) => member === SLOW)
  }

  async slowHas(rows: number, process: StreamProcess): Promise<void> {
    await until(
      () => new Set(this.slow.flatMap(({ points }) => points.map(({ id }) => id))).size === rows,
      () => `not all is under way:\n${process.toString()}`,
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.take()
    await this.receiver[Symbol.asyncDispose]()
  }
}

describeStream('stream told to end while its requests take long', (driver) => {
  const membersOf = async (group: string): Promise<readonly unknown[]> =>
    (await driver.client.describeGroup(group)).members

  it.concurrent('waits for them in its group, so that newer values come behind them', async () => {
    await using it = await SlowCase.open(driver, 2)
    await using slow = await it.start(SLOW)
    await it.joined(1)
    await it.produce(1, [0, 1])
    await it.slowHas(2 * IDS.length, slow)
    slow.send('SIGTERM')
    await it.produce(2, [0, 1])
    // it comes while the first one waits, as in a rolling update
    await using next = await it.start(NEXT)
    await sleep(15_000)
    expect(slow.isAlive, slow.toString()).toBe(true)
    expect(it.receiver.rows.size).toBe(0)
    it.take()
    expect((await driver.endOf(slow)).code, slow.toString()).toBe(143)
    expect(it.slow.every(({ takenAt }) => takenAt !== undefined)).toBe(true)
    await it.versionsAre(2, [0, 1])
    expect(await it.joined(1)).toEqual([[0, 1]])
    await driver.stop(next)
  })

  it.concurrent('waits no longer than it may, and what lands later may win until the next change', async () => {
    await using it = await SlowCase.open(driver, 2)
    await using slow = await it.start(SLOW)
    await it.joined(1)
    await using next = await it.start(NEXT)
    await it.joined(2)
    await it.produce(1, [0, 1])
    await until(
      () => it.slow.length > 0 && it.receiver.taken.length > 0,
      () => `nothing is under way:\n${slow.toString()}`,
    )
    await it.slowHas(IDS.length, slow)
    const partitions = [
      ...new Set(it.slow.flatMap(({ points }) => points.map(({ id }) => Math.floor(id / IDS.length)))),
    ]
    const told = performance.now()
    slow.send('SIGTERM')
    await it.produce(2, partitions)
    expect((await driver.endOf(slow)).code, slow.toString()).toBe(143)
    expect(performance.now() - told).toBeLessThan(30_000)
    expect(await membersOf(it.group)).toHaveLength(1)
    // the next owner sends what was not answered, and what is newer
    await it.versionsAre(2, partitions)
    it.take()
    await it.versionsAre(1, partitions)
    await it.produce(3, partitions)
    await it.versionsAre(3, partitions)
    await driver.stop(next)
  })
})
