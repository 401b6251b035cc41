// This process's membership in a consumer group, for as long as it runs: one session after another, until it is stopped or nothing
// helps, and another set of topics when that changes.

import { asConnectorError, ConnectorError } from '../../core/errors.ts'
import type { MemberEvents, PartitionPosition, TopicPartition } from '../types.ts'
import { beginningAt } from './connection.ts'
import { kafkaProblem, problemText } from './kafka-problem.ts'
import type { KafkaProblem } from './kafka-problem.ts'
import { Membership } from './membership.ts'
import { Session } from './session.ts'
import type { SessionEvents, SessionOptions } from './session.ts'
import { backoffMs, KAFKA_CLIENT } from '../../core/backoff.ts'

/** Which topics there are to read. */
export interface TopicFinder {
  /** None: there are none yet.
   *  @throws ConnectorError when they cannot be read; anything else, or when `signal` aborts: they could not be asked for now */
  find(signal: AbortSignal): Promise<readonly string[]>
  /** They are looked for again so often, where there are none yet, or they may change. */
  readonly refreshMs: number
  readonly mayChange: boolean
}

export type FetchOptions = Pick<
  SessionOptions,
  'maxWaitMs' | 'maxBytesPerPartition' | 'maxBytes' | 'metadataMaxAgeMs' | 'silenceMs'
>

type OpenSession = (
  ...given: ConstructorParameters<typeof Session>
) => Pick<Session, 'run' | 'pause' | 'resume' | 'halt' | 'commit'>

const openSession: OpenSession = (...given) => new Session(...given)

export interface GroupMemberOptions extends Omit<SessionOptions, 'topics' | keyof FetchOptions | keyof SessionEvents> {
  readonly topics: TopicFinder
  /** How long brokers may be out of reach before the member fails. */
  readonly brokerDeadlineMs: number
  /** Of every text that may hold what a broker sent. */
  scrub(text: string): string
  /** How records are fetched; the defaults are right for most. */
  readonly fetch?: Partial<FetchOptions>
  /** In place of a session with brokers: for tests. */
  readonly openSession?: OpenSession
}

const FETCH: FetchOptions = {
  // leaving the group waits for it
  maxWaitMs: 100,
  maxBytesPerPartition: 1024 * 1024,
  maxBytes: 10 * 1024 * 1024,
  metadataMaxAgeMs: 30_000,
  silenceMs: 10_000,
}
/** An outage causes the same message once a second. */
const SAME_MS = 30_000
const FIND_AGAIN_MS = 1000

/** One use. */
export class GroupMember {
  readonly #options: GroupMemberOptions
  readonly #events: MemberEvents
  readonly #membership: Membership
  readonly #loggedAt = new Map<string, number>()
  #restarts: Restarts
  #session: ReturnType<OpenSession> | undefined
  #sessions = 0
  #isHalted = false
  /** Other topics are about to be read. */
  #isSwitching = false
  /** Aborts when topics are to be looked for at once. */
  #early = new AbortController()
  #hasFailed = false
  #hasLeft = true
  #brokerError: string | undefined

  constructor(options: GroupMemberOptions, events: MemberEvents) {
    this.#options = options
    this.#events = {
      assigned: (partitions) => events.assigned(partitions),
      revoked: (signal) => events.revoked(signal),
      lost: (reason) => events.lost(options.scrub(reason)),
      batch: (batch) => events.batch(batch),
      failed: (error) => events.failed(error),
      log: (level, message) => events.log(level, options.scrub(message)),
    }
    this.#membership = new Membership(this.#events, options.clock, options.sessionTimeoutMs)
    this.#restarts = new Restarts(options.brokerDeadlineMs)
  }

  /** Id of the group's generation; undefined while not joined. For logs and readiness. */
  get generation(): string | undefined {
    return this.#membership.hasAssignment ? this.#membership.generation : undefined
  }

  /** Whether the group has no member of this one: it answered the leave, or was never asked to take one. */
  get hasLeft(): boolean {
    return this.#hasLeft
  }

  /** No further batch of it comes; one that is on its way is fetched again when it is resumed. Forgotten at the next
   *  `assigned`. */
  pause(partition: TopicPartition): void {
    this.#session?.pause(partition)
  }

  resume(partition: TopicPartition): void {
    this.#session?.resume(partition)
  }

  /** Fetches nothing more, in later generations either, but stays a member: heartbeats and commits go on. To stop in peace:
   *  halt, settle what is under way, commit, then abort `run`'s signal. Batches that are on their way may still come. */
  halt(): void {
    this.#isHalted = true
    this.#session?.halt()
  }

  /** Offsets to go on at. Only partitions of the current generation are sent; the others are left out in silence.
   *  @throws when the group did not take them: they are to be committed again later, if still owned */
  async commit(positions: readonly PartitionPosition[]): Promise<void> {
    try {
      await this.#session?.commit(positions)
    } catch (error) {
      const text = this.#options.scrub(problemText(this.#problem(error)))
      throw new Error(`The group did not take the offsets: ${text}`, { cause: error })
    }
  }

  /** Whether the group still counts on this member: the last good heartbeat (of a monotonic clock) is younger than the
   *  session timeout (decisions.md#a-member-that-slept-sends-nothing). Cheap: asked before every attempt.
   *  @param forMs whether the group surely does for this time, even if no heartbeat is answered any more; absent: now */
  isMember(forMs?: number): boolean {
    return this.#membership.isMember(forMs)
  }

  /** The partition's end, as it was a few seconds ago at most while its broker answers: the offset its next record gets, be it of
   *  an open transaction. undefined when it is not assigned. */
  end({ topic, partition }: TopicPartition): bigint | undefined {
    return this.#membership.find(topic, partition)?.high
  }

  /** Joins the group. Resolves when `signal` aborted and the group is left, or after `failed`. Never throws. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      let topics = await this.#find(signal)
      while (!signal.aborted && topics !== undefined) topics = await this.#read(topics, signal)
    } catch (error) {
      this.#fail(asConnectorError(error))
    }
  }

  /** @returns other topics to go on with; undefined: it is over */
  async #read(topics: readonly string[], signal: AbortSignal): Promise<readonly string[] | undefined> {
    const life = new AbortController()
    const end = (): void => life.abort()
    signal.addEventListener('abort', end, { once: true })
    this.#restarts = new Restarts(this.#options.brokerDeadlineMs)
    const running = this.#runSessions(topics, life.signal).finally(end)
    const others = await this.#watch(topics, life.signal).catch((error: unknown) =>
      this.#endReading(error, life.signal),
    )
    if (others) await this.#letGo()
    if (others || signal.aborted) end()
    await running
    this.#isSwitching = false
    signal.removeEventListener('abort', end)
    return others
  }

  async #letGo(): Promise<void> {
    this.#isSwitching = true
    this.#session?.halt()
    await this.#membership.revoke(AbortSignal.timeout(this.#options.rebalanceTimeoutMs))
  }

  /** A member until what is under way is settled and committed: until `signal`. */
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

  /** @returns why it ended; undefined: because of `signal` */
  async #runSession(topics: readonly string[], signal: AbortSignal): Promise<unknown> {
    try {
      const events: MemberEvents = { ...this.#events, log: (level, message) => this.#logOnce(level, message) }
      const open = this.#options.openSession ?? openSession
      this.#session = open({ ...this.#sessionOptions(), topics }, this.#membership, events)
      return await this.#session.run(signal)
    } catch (error) {
      // it takes no such options: another would not either
      return asConnectorError(error)
    } finally {
      this.#session = undefined
    }
  }

  /** @returns whether another session is to begin */
  async #mayGoOn(error: unknown, signal: AbortSignal): Promise<boolean> {
    const { clock, connection } = this.#options
    const problem = this.#problem(error)
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
    // one of a pattern that was deleted: until it is left, nothing else is read, and after a minute the member fails
    if (problem.kind === 'absent') this.#early.abort()
    this.#logOnce(this.#outageLevel, `The Kafka client is restarted: ${text.replace(/\.$/, '')}.`)
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

  #logOnce(level: 'info' | 'warn', message: string): void {
    const now = this.#options.clock.now()
    for (const [text, at] of this.#loggedAt) if (now - at > SAME_MS) this.#loggedAt.delete(text)
    if (this.#loggedAt.has(message)) return
    this.#loggedAt.set(message, now)
    this.#events.log(level, message)
  }

  /** An outage of brokers is reported by who watches them. */
  get #outageLevel(): 'info' | 'warn' {
    return this.#options.connection.watch?.isFailing === true ? 'info' : 'warn'
  }

  #sessionOptions(): Omit<SessionOptions, 'topics'> {
    const options = this.#options
    return {
      ...options,
      connection: beginningAt(options.connection, this.#sessions++),
      ...FETCH,
      ...options.fetch,
      isHalted: () => this.#isHalted || this.#isSwitching,
      onJoining: () => (this.#hasLeft = false),
      onLeft: () => (this.#hasLeft = true),
      onAssigned: () => this.#restarts.joined(options.clock.now()),
      onBrokerError: (error) => (this.#brokerError = error),
      onFailed: (error) => this.#fail(error),
    }
  }

  #problem(error: unknown): KafkaProblem {
    const { connection, group } = this.#options
    return kafkaProblem(error, { brokers: connection.brokers, group, brokerError: this.#brokerError })
  }

  /** Until there are other topics, or `signal`.
   *  @throws ConnectorError when they cannot be read together */
  async #watch(topics: readonly string[], signal: AbortSignal): Promise<readonly string[] | undefined> {
    const { clock, topics: finder } = this.#options
    if (!finder.mayChange) {
      await aborted(signal)
      return undefined
    }
    for (;;) {
      await clock.wait(finder.refreshMs, AbortSignal.any([signal, this.#early.signal]))
      if (signal.aborted) return undefined
      const isEarly = this.#early.signal.aborted
      if (isEarly) this.#early = new AbortController()
      const found = await finder.find(signal).catch((error: unknown) => {
        // one that is named may come back: how long is waited for that is decided where sessions end
        if (error instanceof ConnectorError && !isEarly) throw error
        return undefined
      })
      if (!found || found.length === 0 || this.#isHalted) continue
      const joined = found.filter((topic) => !topics.includes(topic))
      const gone = topics.filter((topic) => !found.includes(topic))
      if (joined.length > 0) this.#events.log('info', `New topics join: ${joined.join(', ')}.`)
      if (gone.length > 0) this.#events.log('warn', `Topics are gone: ${gone.join(', ')}.`)
      if (joined.length + gone.length > 0) return found
    }
  }

  /** Those that are to be read; waits for the first one of a pattern.
   *  @throws ConnectorError when a named one is not there */
  async #find(signal: AbortSignal): Promise<readonly string[] | undefined> {
    const { clock, topics: finder } = this.#options
    let isLogged = false
    for (const started = clock.now(); !signal.aborted;) {
      const found = await finder.find(signal).catch((error: unknown) => ({ error }))
      if (signal.aborted) break
      const isAnswered = !('error' in found)
      if (isAnswered && found.length > 0) return found
      const why = isAnswered ? undefined : this.#whyNot(found.error, clock.now() - started)
      if (!isLogged && why === undefined) this.#events.log('warn', 'No topic matches yet; looked for again and again.')
      else if (!isLogged) this.#events.log(this.#outageLevel, `The brokers cannot be asked for topics yet: ${why}.`)
      isLogged = true
      await clock.wait(isAnswered ? finder.refreshMs : FIND_AGAIN_MS, signal)
    }
    return undefined
  }

  /** @returns why topics cannot be asked for yet
   *  @throws ConnectorError when that is final, also a refused login: at the start it is a wrong configuration, not an outage */
  #whyNot(error: unknown, forMs: number): string {
    const { connection, brokerDeadlineMs } = this.#options
    const problem = this.#problem(error)
    if (problem.kind !== 'passing') throw problem.error
    if (forMs < brokerDeadlineMs) return problem.text
    throw new ConnectorError(
      'transient',
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

// How soon a client that crashed is replaced, and when that is enough. Times are milliseconds, monotonic.

/** So long a client must have lived in its group for its end to be a new trouble. */
const STEADY_MS = 30_000
/** A topic or a group that is being made. */
const SOON_MS = 10_000
/** Once joined, even a refused login may be a broker that is only starting
 *  (decisions.md#an-outage-under-a-minute-ends-nothing). */
const OUTAGE_MS = 60_000

export type RestartAdvice =
  | { readonly waitMs: number }
  | { readonly giveUp: 'final' | 'deadline'; readonly forMs: number }

export class Restarts {
  readonly #deadlineMs: number
  #troubleSince: number | undefined
  #tries = 0
  #joinedAt: number | undefined
  #wasJoined = false

  constructor(deadlineMs: number) {
    this.#deadlineMs = deadlineMs
  }

  joined(now: number): void {
    this.#joinedAt ??= now
    this.#wasJoined = true
  }

  ended(kind: KafkaProblem['kind'], now: number): RestartAdvice {
    if (this.#joinedAt !== undefined && now - this.#joinedAt > STEADY_MS) this.#reset()
    this.#joinedAt = undefined
    this.#troubleSince ??= now
    const forMs = now - this.#troubleSince
    if (forMs >= this.#patience(kind)) return { giveUp: kind === 'passing' ? 'deadline' : 'final', forMs }
    return { waitMs: backoffMs(KAFKA_CLIENT, ++this.#tries, 0) }
  }

  #patience(kind: KafkaProblem['kind']): number {
    if (kind === 'final') return 0
    if (kind === 'passing') return this.#deadlineMs
    return Math.min(this.#deadlineMs, this.#wasJoined ? OUTAGE_MS : kind === 'absent' ? SOON_MS : 0)
  }

  #reset(): void {
    this.#troubleSince = undefined
    this.#tries = 0
  }
}
