// A group of `stream` processes at work, and what can happen to them: each step waits until it has shown its effect. What
// must hold of it is judged by judge.ts.

import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { groupGeneration } from '../kafka/group-generation.ts'
import { openParts, type GroupParts, type GroupRunOptions } from './group-parts.ts'
import { judge, type RunVerdict } from './judge.ts'
import type { Stop } from './laws.ts'
import { StreamProcess } from './stream-process.ts'
import { until } from '../kafka/until.ts'
import { clientIdOf, membersOf, ownersOf } from './watcher.ts'
import { kindOf, KINDS, PARTITIONS } from './workload.ts'

const KEY = 'k/é+&=%"\\'
/** Records that wait when a member is killed or stopped: more than it has requests for. */
const BURST = 12_000
const ALONE_MS = 3000
const WITHOUT_COMMIT_MS = 4000
/** How long what is under way goes on while others want partitions. */
const HANDOVER_MS = 1500
const MOST_OF_AN_HOUR_MS = 3_000_000
/** Poison is no JSON, so it has no kind: it is rejected before anything else. */
const ROUTE = {
  by: { field: 'kind' },
  tables: Object.fromEntries(Array.from({ length: KINDS }, (_, id) => [kindOf(id), {}])),
}

/** Disposed nothing of it is left but its topics. */
export class GroupRun implements AsyncDisposable {
  readonly #stack: AsyncDisposableStack
  readonly #parts: GroupParts
  readonly #members = new Map<number, StreamProcess>()
  readonly #stops: Stop[] = []
  readonly #kills: Stop[] = []
  readonly #faults: string[] = []

  /** Records come, and nobody reads them yet. */
  static async open(options: GroupRunOptions): Promise<GroupRun> {
    await using stack = new AsyncDisposableStack()
    const parts = await openParts(options, stack)
    await parts.work.file('api-key', KEY)
    parts.producer.start()
    return new GroupRun(parts, stack.move())
  }

  private constructor(parts: GroupParts, stack: AsyncDisposableStack) {
    this.#parts = parts
    this.#stack = stack
  }

  /** Starts members. @param members their numbers, never used before */
  async start(...members: readonly number[]): Promise<void> {
    const { work, children } = this.#parts
    for (const member of members) {
      this.#say(`member ${member} starts`)
      const file = await work.file(`member-${member}.json`, this.#config(member))
      this.#members.set(member, this.#stack.use(new StreamProcess(children.start(['stream', '--config', file]))))
    }
  }

  /** Starts members while those that run are in the middle of their work. */
  async join(...members: readonly number[]): Promise<void> {
    const { watcher, receiver } = this.#parts
    for (const member of this.#members.keys()) await this.#busy(member)
    await this.start(...members)
    const haveJoined = (): boolean => members.every((member) => membersOf(watcher.last!.group).includes(member))
    await this.#until(haveJoined, `the members ${members.join()} never join`)
    await sleep(HANDOVER_MS)
    receiver.mood = 'fair'
  }

  /** Until the group has all members that run, each with a share of the partitions, and more is acknowledged then. */
  async settled(): Promise<void> {
    const from = performance.now()
    const { watcher, topic } = this.#parts
    const members = [...this.#members.keys()].toSorted((a, b) => a - b)
    const isSo = (): boolean => {
      const { last } = watcher
      if (!last || last.groupAskedAt < from || membersOf(last.group).join() !== members.join()) return false
      const owners = new Set(ownersOf(last.group, topic, PARTITIONS))
      return members.every((member) => owners.has(member)) && !owners.has(undefined)
    }
    await this.#until(isSo, `the group never settled as ${members.join()}`)
    this.#say(`the group is ${members.join(', ')}`)
    await this.progressed()
  }

  /** Until some more is acknowledged. */
  async progressed(records = 200): Promise<void> {
    const { receiver } = this.#parts
    const goal = receiver.records + records
    await this.#until(() => receiver.records >= goal, 'nothing more is acknowledged')
  }

  /** SIGKILL, in the middle of its work. */
  async kill(member: number): Promise<void> {
    await this.#busy(member)
    this.#say(`member ${member} is killed`)
    const process = this.#signal(member, 'SIGKILL')
    this.#members.delete(member)
    await process.ended
    this.#parts.receiver.mood = 'fair'
  }

  /** SIGKILL in ordinary times, so long after a commit as there may be a time without one. */
  async killAtWork(member: number): Promise<void> {
    const { watcher } = this.#parts
    const from = performance.now()
    let [committed, since] = ['', from]
    const isTime = (): boolean => {
      const now = performance.now()
      const last = String(watcher.last?.committed)
      if (last !== committed) [committed, since] = [last, now]
      return now - since >= WITHOUT_COMMIT_MS || now - from >= 2 * WITHOUT_COMMIT_MS
    }
    await this.#until(isTime, 'time stands still')
    this.#say(`member ${member} is killed`)
    const process = this.#signal(member, 'SIGKILL')
    this.#kills.push(this.#stops.at(-1)!)
    this.#members.delete(member)
    await process.ended
  }

  /** SIGTERM. */
  async stop(member: number): Promise<void> {
    this.#say(`member ${member} is told to stop`)
    const process = this.#members.get(member)!
    this.#members.delete(member)
    // a process that has only just started does not listen yet, and dies of the signal
    await process.said(/./)
    const { code } = await process.stop()
    if (code !== 143) this.#faults.push(`member ${member} ends with ${code}:\n${process.toString()}`)
  }

  /** SIGSTOP in the middle of its work, and SIGCONT so much later or once the group has gone on without it. A member behind
   *  a way finds the service there again, but for some seconds no broker. */
  async sleep(member: number, atLeastMs: number): Promise<void> {
    const { watcher, receiver, options } = this.#parts
    const way = options.isolated?.member === member ? options.isolated.way : undefined
    await this.#busy(member)
    this.#say(`member ${member} sleeps`)
    const process = this.#signal(member, 'SIGSTOP')
    receiver.mood = 'fair'
    await sleep(atLeastMs)
    await this.#until(() => !membersOf(watcher.last!.group).includes(member), 'the group keeps a member that sleeps')
    await this.progressed()
    if (way) way.way = 'held'
    process.send('SIGCONT')
    this.#say(`member ${member} wakes`)
    if (!way) return
    await sleep(ALONE_MS)
    way.way = 'open'
    this.#say(`member ${member} has its broker again`)
  }

  /** Nothing reaches the service. */
  async cut(ms: number): Promise<void> {
    void this.#parts.producer.burst(BURST)
    this.#say(`the service is cut off for ${ms / 1000} s`)
    this.#parts.proxy.way = 'cut'
    await sleep(ms)
    this.#parts.proxy.way = 'open'
    this.#say('the service is back')
  }

  generation(): Promise<number | undefined> {
    return groupGeneration(this.#parts.client, this.#parts.group)
  }

  /** Produces what is left, waits until all of it is committed, stops all members, and judges. */
  async finish(): Promise<RunVerdict> {
    const { producer, workload, client, topic, watcher } = this.#parts
    await producer.finish()
    this.#say(`all ${workload.count} records are produced`)
    const ends = await client.highWatermarks(topic)
    const isCommitted = (): boolean => ends.every((end, partition) => watcher.last?.committed[partition] === end)
    await this.#until(isCommitted, `the ends ${ends.join()} are never committed`, MOST_OF_AN_HOUR_MS)
    this.#say('all is committed')
    for (const member of this.#members.keys()) await this.stop(member)
    await watcher[Symbol.asyncDispose]()
    const verdict = await judge(this.#parts, this.#stops, this.#kills)
    return { ...verdict, faults: [...this.#faults, ...verdict.faults] }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync()
  }

  toString(): string {
    const said = Array.from(this.#members, ([member, process]) => `member ${member}:\n${process.toString()}`)
    return [JSON.stringify(this.#parts.watcher.last?.group), ...said].join('\n')
  }

  #config(member: number): object {
    const { options, proxy, work, group, topic, letters } = this.#parts
    const { kafka, config, isolated } = options
    const bootstrap = isolated?.member === member ? isolated.bootstrap : options.bootstrap
    return {
      import_url: proxy.url,
      client_id: member,
      api_key: { file: join(work.path, 'api-key') },
      kafka: { brokers: bootstrap.split(','), group, client_id: clientIdOf(member), ...kafka },
      topics: [{ topic, keys: ['id'], ...(options.isRouted ? { route: ROUTE } : { table: 'events' }) }],
      dead_letters: { topic: letters },
      ...config,
    }
  }

  /** Until requests of it are under way, and many more records wait. */
  async #busy(member: number): Promise<void> {
    const { receiver, producer } = this.#parts
    receiver.mood = 'waits'
    await producer.burst(BURST)
    const isBusy = (): boolean =>
      receiver.upserts.filter((upsert) => upsert.member === member && upsert.isUnderWay).length >= 3
    await this.#until(isBusy, `member ${member} is never busy`)
  }

  #signal(member: number, signal: NodeJS.Signals): StreamProcess {
    const process = this.#members.get(member)!
    this.#stops.push({ member, at: performance.now() })
    process.send(signal)
    return process
  }

  /** @throws when a member ends by itself meanwhile */
  async #until(isTrue: () => boolean, otherwise: string, patienceMs?: number): Promise<void> {
    const { signal } = this.#parts.options
    const dead = (): boolean => [...this.#members.values()].some(({ isAlive }) => !isAlive)
    await until(
      () => dead() || isTrue(),
      () => `${otherwise}:\n${this.toString()}`,
      patienceMs,
    )
    signal?.throwIfAborted()
    if (dead()) throw new Error(`a member ended by itself:\n${this.toString()}`)
  }

  #say(what: string): void {
    this.#parts.options.say?.(what)
  }
}
