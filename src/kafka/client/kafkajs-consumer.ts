// A member of a consumer group by kafkajs: makes one client after another, until it is stopped or nothing helps. Knows
// nothing of what is read.

import { asConnectorError, ConnectorError } from '../../core/errors.ts'
import { beginningAt } from './connection.ts'
import { kafkaProblem, problemText } from './kafka-problem.ts'
import type { ProblemContext } from './kafka-problem.ts'
import { Membership } from './membership.ts'
import { Restarts } from './restarts.ts'
import { KafkajsSession } from './session.ts'
import type { SessionOptions } from './session.ts'
import type { GroupMember, MemberEvents, PartitionPosition, TopicPartition } from '../types.ts'

export interface KafkajsConsumerOptions extends Omit<
  SessionOptions,
  keyof FetchOptions | 'isHalted' | 'onJoining' | 'onLeft' | 'onAssigned' | 'onBrokerError' | 'onFailed'
> {
  /** How long brokers may be out of reach before the consumer fails. */
  readonly brokerDeadlineMs: number
  /** Of every text that may hold what a broker sent. */
  scrub(text: string): string
  /** Brokers say that a topic is not there: with each client that ends for it, until the consumer fails. */
  readonly onAbsent?: () => void
  /** How kafkajs fetches; the defaults are right for most. */
  readonly fetch?: Partial<FetchOptions>
}

export type FetchOptions = Pick<
  SessionOptions,
  'maxWaitMs' | 'maxBytesPerPartition' | 'maxBytes' | 'metadataMaxAgeMs' | 'silenceMs'
>

const FETCH: FetchOptions = {
  // leaving the group waits for it
  maxWaitMs: 100,
  maxBytesPerPartition: 1024 * 1024,
  maxBytes: 10 * 1024 * 1024,
  metadataMaxAgeMs: 30_000,
  silenceMs: 10_000,
}
/** An outage says the same once a second. */
const SAME_MS = 30_000

export function kafkajsConsumer(options: KafkajsConsumerOptions, events: MemberEvents): GroupMember {
  return new KafkajsConsumer(options, events)
}

class KafkajsConsumer implements GroupMember {
  readonly #options: KafkajsConsumerOptions
  readonly #events: MemberEvents
  readonly #membership: Membership
  readonly #restarts: Restarts
  readonly #saidAt = new Map<string, number>()
  #session: KafkajsSession | undefined
  #sessions = 0
  #isHalted = false
  #hasFailed = false
  hasLeft = true
  #brokerError: string | undefined

  constructor(options: KafkajsConsumerOptions, events: MemberEvents) {
    this.#options = options
    this.#events = {
      assigned: (partitions) => events.assigned(partitions),
      revoked: (signal) => events.revoked(signal),
      lost: (reason) => events.lost(options.scrub(reason)),
      batch: (batch) => events.batch(batch),
      failed: (error) => events.failed(error),
      log: (level, message) => this.#said(level, message, events),
    }
    this.#membership = new Membership(this.#events, options.clock, options.sessionTimeoutMs)
    this.#restarts = new Restarts(options.brokerDeadlineMs)
  }

  get generation(): string | undefined {
    return this.#membership.isTold ? this.#membership.generation : undefined
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const error = await this.#runSession(signal)
      if (error === undefined || this.#hasFailed || !(await this.#goOn(error, signal))) return
    }
  }

  /** @returns why it ended; undefined: because of `signal` */
  async #runSession(signal: AbortSignal): Promise<unknown> {
    try {
      this.#session = new KafkajsSession(this.#sessionOptions(), this.#membership, this.#events)
      return await this.#session.run(signal)
    } catch (error) {
      // it takes no such options: another would not either
      return asConnectorError(error)
    } finally {
      this.#session = undefined
    }
  }

  pause(partition: TopicPartition): void {
    this.#session?.pause(partition)
  }

  resume(partition: TopicPartition): void {
    this.#session?.resume(partition)
  }

  halt(): void {
    this.#isHalted = true
    this.#session?.halt()
  }

  async commit(positions: readonly PartitionPosition[]): Promise<void> {
    try {
      await this.#session?.commit(positions)
    } catch (error) {
      const text = problemText(kafkaProblem(error, this.#context()))
      throw new Error(`The group did not take the offsets: ${this.#options.scrub(text)}`, { cause: error })
    }
  }

  isMember(forMs?: number): boolean {
    return this.#membership.isMember(forMs)
  }

  end({ topic, partition }: TopicPartition): bigint | undefined {
    return this.#membership.find(topic, partition)?.high
  }

  /** @returns whether another client is to be made */
  async #goOn(error: unknown, signal: AbortSignal): Promise<boolean> {
    const { clock, connection } = this.#options
    const problem = kafkaProblem(error, this.#context())
    const advice = this.#restarts.ended(problem.kind, clock.now())
    const text = problemText(problem)
    if ('giveUp' in advice) {
      const seconds = Math.round(advice.forMs / 1000)
      const deadline = `Kafka: the brokers ${connection.brokers.join(', ')} could not be used for ${seconds} s: ${text}.`
      this.#fail(
        problem.kind === 'passing' ? new ConnectorError('transient', deadline, { cause: error }) : problem.error,
      )
      return false
    }
    if (problem.kind === 'absent') this.#options.onAbsent?.()
    // an outage of brokers is told by who watches them
    const level = connection.watch?.isFailing === true ? 'INFO' : 'WARN'
    this.#events.log(level, `The Kafka client is made anew: ${text.replace(/\.$/, '')}.`)
    await clock.wait(advice.waitMs, signal)
    return true
  }

  #fail(error: ConnectorError): void {
    if (this.#hasFailed) return
    this.#hasFailed = true
    this.#isHalted = true
    const { cause, track } = error
    this.#events.failed(new ConnectorError(error.kind, this.#options.scrub(error.message), { cause, track }))
  }

  #said(level: 'INFO' | 'WARN', message: string, events: MemberEvents): void {
    const now = this.#options.clock.now()
    for (const [text, at] of this.#saidAt) if (now - at > SAME_MS) this.#saidAt.delete(text)
    if (this.#saidAt.has(message)) return
    this.#saidAt.set(message, now)
    events.log(level, this.#options.scrub(message))
  }

  #sessionOptions(): SessionOptions {
    const { connection } = this.#options
    return {
      ...this.#options,
      connection: beginningAt(connection, this.#sessions++),
      ...FETCH,
      ...this.#options.fetch,
      startOf: (topic) => this.#options.startOf(topic),
      outOfRangeOf: (topic) => this.#options.outOfRangeOf(topic),
      isHalted: () => this.#isHalted,
      onJoining: () => (this.hasLeft = false),
      onLeft: () => (this.hasLeft = true),
      onAssigned: () => this.#restarts.joined(this.#options.clock.now()),
      onBrokerError: (error) => (this.#brokerError = error),
      onFailed: (error) => this.#fail(error),
    }
  }

  #context(): ProblemContext {
    const { connection, group } = this.#options
    return { brokers: connection.brokers, group, brokerError: this.#brokerError }
  }
}
