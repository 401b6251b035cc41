// The member of a consumer group that this process is. `run` looks for topics, then runs one session (a kafkajs client) after another for
// them until it is stopped or fails. Meanwhile it looks for topics again; when they change, partitions are revoked and all begins anew.

import type { LogFields } from '../../process/io.ts'
import { asConnectorError, ConnectorError } from '../../core/errors.ts'
import type { MemberEvents, PartitionPosition, TopicPartition } from '../types.ts'
import { rotateBrokers } from './connection.ts'
import { kafkaProblem, problemCode, problemText, type KafkaProblem } from './kafka-problem.ts'
import { Membership } from './membership.ts'
import { Session, type SessionOptions } from './session.ts'
import { Restarts } from './restarts.ts'

/** Finds the topics to read. */
export interface TopicFinder {
  /** @returns the topics; an empty list if none matches yet
   *  @throws ConnectorError if the topics cannot be read; any other error if brokers do not answer, or `signal` aborts */
  find(signal: AbortSignal): Promise<readonly string[]>
  /** How often to look again if no topic matches yet, or if `mayChange`. */
  readonly refreshMs: number
  /** Whether the set of topics may change later, as with a pattern. */
  readonly mayChange: boolean
}

export type FetchOptions = Pick<SessionOptions, 'maxBytesPerPartition' | 'maxBytes' | 'metadataMaxAgeMs' | 'silenceMs'>

type OpenSession = (
  ...given: ConstructorParameters<typeof Session>
) => Pick<Session, 'run' | 'pause' | 'resume' | 'halt' | 'commit'>

const openSession: OpenSession = (...given) => new Session(...given)

export interface GroupMemberOptions extends Omit<
  SessionOptions,
  'topics' | 'isHalted' | 'onBrokerError' | keyof FetchOptions
> {
  readonly topics: TopicFinder
  /** How long brokers may be unreachable before the member fails. */
  readonly brokerDeadlineMs: number
  /** Takes secrets out of a text. Applied to every one that may contain what a broker sent. */
  scrub(text: string): string
  /** Values that replace some of FETCH_DEFAULTS. */
  readonly fetch?: Partial<FetchOptions>
  /** Replaces the session in tests. */
  readonly openSession?: OpenSession
}

const FETCH_DEFAULTS: FetchOptions = {
  maxBytesPerPartition: 1024 * 1024,
  maxBytes: 10 * 1024 * 1024,
  metadataMaxAgeMs: 30_000,
  silenceMs: 10_000,
}
/** The same message is logged once in this time, since an outage causes it every second. */
const SAME_MESSAGE_MS = 30_000
/** How long to wait before brokers that could not be asked for topics are asked again. */
const FIND_AGAIN_MS = 1000

/** `run` may be called once; the other methods at any time. While no session runs, `pause`, `resume` and `commit` do nothing. */
export class GroupMember {
  readonly #options: GroupMemberOptions
  readonly #events: MemberEvents
  readonly #membership: Membership
  /** When each message was logged last, as far as that is less than SAME_MESSAGE_MS ago. */
  readonly #loggedAt = new Map<string, number>()
  /** Decides after each session whether another follows. */
  #restarts: Restarts
  #session: ReturnType<OpenSession> | undefined
  #sessionsOpened = 0
  /** Whether fetching has stopped for good. */
  #isHalted = false
  /** Whether the set of topics is about to change: the session ends, and none follows for the old set. */
  #isSwitching = false
  /** Aborted to look for topics at once, before `refreshMs` is over; replaced by a new one then. */
  #lookNow = new AbortController()
  #hasFailed = false
  /** The latest error that a broker answered with, as kafkajs words it. */
  #brokerError: string | undefined

  constructor(options: GroupMemberOptions, events: MemberEvents) {
    this.#options = options
    this.#events = {
      assigned: (partitions) => {
        events.assigned(partitions)
        this.#restarts.joined(options.clock.now())
      },
      revoked: (signal) => events.revoked(signal),
      lost: (reason) => events.lost(options.scrub(reason)),
      batch: (batch) => events.batch(batch),
      failed: (error) => events.failed(error),
      log: (level, message, fields) => events.log(level, options.scrub(message), fields),
    }
    this.#membership = new Membership(this.#events, options.clock, options)
    this.#restarts = new Restarts(options.brokerDeadlineMs)
  }

  /** Id of the current generation, for logs and readiness. `undefined` when not joined. */
  get generation(): string | undefined {
    return this.#membership.hasAssignment ? this.#membership.generation : undefined
  }

  /** Whether the group has no member of this process: leaving was confirmed, or it never joined. */
  get hasLeft(): boolean {
    return this.#membership.hasLeft
  }

  /** Stops batches of this partition; a batch on its way is fetched again after `resume`. The next `assigned` resets it. */
  pause(partition: TopicPartition): void {
    this.#session?.pause(partition)
  }

  resume(partition: TopicPartition): void {
    this.#session?.resume(partition)
  }

  /** Stops fetching for good, so that no more records come, but stays a member: heartbeats and commits go on. To stop gracefully: halt,
   *  settle what is in flight, commit, then abort `run`'s signal. */
  halt(): void {
    this.#isHalted = true
    this.#session?.halt()
  }

  /** @param positions the next offset to read of each partition; those of partitions that are no longer assigned are left out silently
   *  @throws if the group did not accept them: commit them again later, if still assigned */
  async commit(positions: readonly PartitionPosition[]): Promise<void> {
    try {
      await this.#session?.commit(positions)
    } catch (error) {
      const text = this.#options.scrub(problemText(this.#problem(error)))
      throw new Error(`The group did not take the offsets: ${text}`, { cause: error })
    }
  }

  /** Whether no other member can have been given the partitions: the last successful heartbeat is younger than the session timeout
   *  (decisions.md#a-member-that-slept-sends-nothing). Cheap, because it is called before every attempt to send records.
   *  @param forMs the time for which this has to stay true even if no further heartbeat is answered; default 0 */
  isMember(forMs?: number): boolean {
    return this.#membership.isMember(forMs)
  }

  /** The high watermark of the partition, at most seconds old while its broker answers; `undefined` when the partition is not assigned. */
  end({ topic, partition }: TopicPartition): bigint | undefined {
    return this.#membership.find(topic, partition)?.high
  }

  /** Joins the group. Resolves when `signal` aborted and the member left the group, or after `failed`. Never throws. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      let topics = await this.#firstTopics(signal)
      while (!signal.aborted && topics !== undefined) topics = await this.#read(topics, signal)
    } catch (error) {
      this.#fail(asConnectorError(error))
    }
  }

  /** Reads the topics until their set changes. @returns the new set; `undefined` when the run is over */
  async #read(topics: readonly string[], signal: AbortSignal): Promise<readonly string[] | undefined> {
    const setIsOver = new AbortController()
    const over = AbortSignal.any([signal, setIsOver.signal])
    this.#restarts = new Restarts(this.#options.brokerDeadlineMs)
    const running = this.#runSessions(topics, over).finally(() => setIsOver.abort())
    const newTopics = await this.#topicsChange(topics, over).catch((error: unknown) => this.#endReading(error, over))
    if (newTopics) {
      this.#isSwitching = true
      this.#session?.halt()
      await this.#membership.revoke(AbortSignal.timeout(this.#options.rebalanceTimeoutMs))
    }
    setIsOver.abort()
    await running
    this.#isSwitching = false
    return newTopics
  }

  /** Stops fetching, but stays a member until `signal` aborts, so that what is in flight can be settled and committed. */
  async #endReading(error: unknown, signal: AbortSignal): Promise<undefined> {
    this.halt()
    this.#fail(asConnectorError(error))
    await aborted(signal)
  }

  async #runSessions(topics: readonly string[], signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !this.#isSwitching) {
      const error = await this.#runSession(topics, signal)
      if (error === undefined || this.#hasFailed || !(await this.#mayGoOn(error, signal))) return
    }
  }

  /** @returns why it ended; `undefined` when `signal` aborted */
  async #runSession(topics: readonly string[], signal: AbortSignal): Promise<unknown> {
    try {
      const failed = (error: ConnectorError): void => this.#fail(error)
      const events: MemberEvents = { ...this.#events, failed, log: (...line) => this.#logOnce(...line) }
      const open = this.#options.openSession ?? openSession
      this.#session = open({ ...this.#sessionOptions(), topics }, this.#membership, events)
      return await this.#session.run(signal)
    } catch (error) {
      // the options are not accepted, so a retry cannot help
      return asConnectorError(error)
    } finally {
      this.#session = undefined
    }
  }

  /** Lets the member fail after a session that ended with an error, or waits before the next one. @returns whether to start that */
  async #mayGoOn(error: unknown, signal: AbortSignal): Promise<boolean> {
    const { clock } = this.#options
    const problem = this.#problem(error)
    const advice = this.#restarts.ended(problem.kind, clock.now())
    if (advice.kind === 'give up') {
      this.#fail(problem.kind === 'passing' ? this.#outOfTime(problem, advice.failedMs, error) : problem.error)
      return false
    }
    // maybe a topic that matched a pattern was deleted: until it is left out no topic is read, and after a minute the member would fail
    if (problem.kind === 'absent') this.#lookNow.abort()
    const text = problemText(problem).replace(/\.$/, '')
    this.#logOnce(this.#outageLevel, `The Kafka client is restarted: ${text}.`, { event: 'group.client-restarted' })
    await clock.wait(advice.waitMs, signal)
    return true
  }

  /** The error for a problem that might have passed, but has lasted for `failedMs`, which is too long. */
  #outOfTime(problem: Extract<KafkaProblem, { kind: 'passing' }>, failedMs: number, cause: unknown): ConnectorError {
    const { code, text, remedy } = problem
    const brokers = this.#options.connection.brokers.join(', ')
    const what =
      code === 'identity.unreachable' ? 'no login was possible for' : `the brokers ${brokers} could not be used for`
    const message = `Kafka: ${what} ${Math.round(failedMs / 1000)} s: ${text}.${remedy === undefined ? '' : ` ${remedy}`}`
    return new ConnectorError('transient', problemCode(problem), message, { cause })
  }

  #fail(error: ConnectorError): void {
    if (this.#hasFailed) return
    this.#hasFailed = true
    this.#isHalted = true
    this.#events.failed(error.scrubbed((text) => this.#options.scrub(text)))
  }

  #logOnce(level: 'info' | 'warn', message: string, fields?: LogFields): void {
    const now = this.#options.clock.now()
    for (const [text, at] of this.#loggedAt) if (now - at > SAME_MESSAGE_MS) this.#loggedAt.delete(text)
    if (this.#loggedAt.has(message)) return
    this.#loggedAt.set(message, now)
    this.#events.log(level, message, fields)
  }

  /** The level of messages that an outage may have caused: while the broker watch reports one, they need not warn too. */
  get #outageLevel(): 'info' | 'warn' {
    return this.#options.connection.watch?.isFailing === true ? 'info' : 'warn'
  }

  #sessionOptions(): Omit<SessionOptions, 'topics'> {
    const options = this.#options
    return {
      ...options,
      connection: rotateBrokers(options.connection, this.#sessionsOpened++),
      ...FETCH_DEFAULTS,
      ...options.fetch,
      isHalted: () => this.#isHalted || this.#isSwitching,
      onBrokerError: (error) => (this.#brokerError = error),
    }
  }

  #problem(error: unknown): KafkaProblem {
    const { connection, group } = this.#options
    return kafkaProblem(error, { brokers: connection.brokers, group, brokerError: this.#brokerError })
  }

  /** Waits until the set of topics changes. @returns the new set; `undefined` when `signal` aborted
   *  @throws ConnectorError if the new topics cannot be read together */
  async #topicsChange(topics: readonly string[], signal: AbortSignal): Promise<readonly string[] | undefined> {
    const { clock, topics: finder } = this.#options
    if (!finder.mayChange) {
      await aborted(signal)
      return undefined
    }
    for (;;) {
      await clock.wait(finder.refreshMs, AbortSignal.any([signal, this.#lookNow.signal]))
      if (signal.aborted) return undefined
      const isSessionInTrouble = this.#lookNow.signal.aborted
      if (isSessionInTrouble) this.#lookNow = new AbortController()
      const found = await finder.find(signal).catch((error: unknown) => {
        // in trouble, a named topic may be gone for a while; `Restarts` decides how long to wait for it
        if (error instanceof ConnectorError && !isSessionInTrouble) throw error
        return undefined
      })
      if (!found || found.length === 0 || this.#isHalted) continue
      const joined = found.filter((topic) => !topics.includes(topic))
      const gone = topics.filter((topic) => !found.includes(topic))
      if (joined.length > 0)
        this.#events.log('info', `New topics join: ${joined.join(', ')}.`, { event: 'topic.joined' })
      if (gone.length > 0) this.#events.log('warn', `Topics are gone: ${gone.join(', ')}.`, { event: 'topic.gone' })
      if (joined.length + gone.length > 0) return found
    }
  }

  /** Waits for topics to read. @returns them; `undefined` when `signal` aborted @throws ConnectorError if a named one does not exist */
  async #firstTopics(signal: AbortSignal): Promise<readonly string[] | undefined> {
    const { clock, topics: finder } = this.#options
    let isLogged = false
    for (const started = clock.now(); !signal.aborted;) {
      let trouble: string | undefined
      try {
        const found = await finder.find(signal)
        if (found.length > 0 && !signal.aborted) return found
      } catch (error) {
        if (!signal.aborted) trouble = this.#troubleOrThrow(error, clock.now() - started)
      }
      if (signal.aborted) break
      // a member that is to stop says nothing more of it
      isLogged ||= this.#isHalted
      if (!isLogged && trouble === undefined)
        this.#events.log('warn', 'No topic matches yet; looking again regularly.', { event: 'topic.none' })
      else if (!isLogged) this.#events.log(this.#outageLevel, `The brokers cannot be asked for topics yet: ${trouble}.`)
      isLogged = true
      await clock.wait(trouble === undefined ? finder.refreshMs : FIND_AGAIN_MS, signal)
    }
    return undefined
  }

  /** @param triedMs for how long the brokers have been asked for the first topics @returns why they did not answer, if they may do so later
   *  @throws ConnectorError otherwise: even a refused login, which at the start means a wrong configuration, not an outage */
  #troubleOrThrow(error: unknown, triedMs: number): string {
    const { connection, brokerDeadlineMs } = this.#options
    const problem = this.#problem(error)
    if (problem.kind !== 'passing') throw problem.error
    if (triedMs < brokerDeadlineMs) return problem.text
    throw new ConnectorError(
      'transient',
      problemCode(problem),
      `The brokers ${connection.brokers.join(', ')} could not be asked for topics in ${Math.round(brokerDeadlineMs / 1000)} s (kafka.broker_deadline_seconds): ${problem.text}. Start again when they can be reached.`,
      { cause: error },
    )
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
