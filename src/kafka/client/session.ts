// One kafkajs client in the group, from start to end. Only a new one looks for a coordinator that moved while its broker was down.
//
// Before a JoinGroup request is sent, kafkajs's sockets (wire.ts) call `#join`, which lets the partitions go (handover.ts). kafkajs tells
// of the new generation by GROUP_JOIN, and `#joined` has the positions found from which fetches read. Whatever ends the session calls
// `#end`; the first call counts. From then on nothing is passed on, and `run` leaves the group, in less time where the client has failed.

import type { Consumer } from 'kafkajs'
import { asConnectorError, type ConnectorError } from '../../core/errors.ts'
import type { Clock } from '../../core/types.ts'
import { KafkaAdmin } from './admin.ts'
import { ClientWatchdog } from './client-watchdog.ts'
import { Positioner } from './positioner.ts'
import { CommitQueue } from './commits.ts'
import type { PositionPolicies } from './positions.ts'
import { rotateBrokers, kafkajsGroupClient, type GroupClientOptions } from './connection.ts'
import { EndOffsets } from './end-offsets.ts'
import { Handover, Heartbeats } from './handover.ts'
import { namingTopics } from './kafka-problem.ts'
import { MemberIdTracker, leaveGroup } from './leave-group.ts'
import type { Membership } from './membership.ts'
import { PartitionReader } from './partition-reader.ts'
import { TopicIdentity } from './topic-identity.ts'
import { asError, until, within } from '../../process/waiting.ts'
import { KafkajsWire } from './wire.ts'
import { FetchBudget } from '../log/fetch-budget.ts'
import type { MemberEvents, PartitionPosition, TopicPartition } from '../types.ts'

export interface SessionOptions extends GroupClientOptions, PositionPolicies {
  /** Whether fetching has stopped for good. */
  readonly isHalted: () => boolean
  /** Told of errors that brokers answer with, in kafkajs's words. */
  readonly onBrokerError: (error: string) => void
  /** Names, no patterns: kafkajs resolves a pattern only once. For other topics a new session is started. */
  readonly topics: readonly string[]
  /** A client without any answer for this long is replaced. */
  readonly silenceMs: number
  /** Counts what all sessions of the process fetch. Default: one of its own. */
  readonly budget?: FetchBudget | undefined
  readonly clock: Clock
}

/** How long a kafkajs client that crashes may take to finish its requests, before its connections are cut; and then again to emit CRASH. */
const CRASH_MS = 3000
/** How long leaving the group may take, and how long after a failure. */
const GOODBYE_MS = 4000
const SHORT_GOODBYE_MS = 1500
/** How often the session looks whether its client is alive, and for new ends and ids. */
const WATCH_MS = 1000
/** The time that a join may take besides the rebalance timeout, in which all members have to rejoin. */
const JOIN_MARGIN_MS = 15_000
/** A topic can be deleted and created again while a partition is held for so long, so its id is asked for before more of it is fetched. */
const LONG_HELD_MS = 1000

export class Session {
  readonly #options: SessionOptions & { readonly budget: FetchBudget }
  readonly #membership: Membership
  readonly #events: MemberEvents
  /** Aborted when the session ends. */
  readonly #life = new AbortController()
  readonly #ended = Promise.withResolvers<Error | undefined>()
  readonly #wire: KafkajsWire
  readonly #admin: KafkaAdmin
  readonly #endOffsets: EndOffsets
  readonly #identity: TopicIdentity
  readonly #consumer: Consumer
  readonly #heartbeats: Heartbeats
  readonly #handover: Handover
  readonly #commits: CommitQueue
  readonly #reader: PartitionReader
  readonly #positioner: Positioner
  readonly #watchdog: ClientWatchdog
  readonly #idTracker = new MemberIdTracker()
  /** Resolves when kafkajs does nothing more to leave the group: it has disconnected, or waits for a rejoin that is no longer sent. */
  readonly #kafkajsIsDone = Promise.withResolvers<void>()
  /** The generation of the latest SyncGroup request, and when that was sent. */
  #generation = 0
  #syncSentAt = -Infinity
  /** Whether kafkajs wants to join, or is waiting for the group to answer. */
  #isJoining = false
  #hasSentLeave = false

  constructor(options: SessionOptions, membership: Membership, events: MemberEvents) {
    // one budget for all sockets and the reader
    this.#options = { ...options, budget: options.budget ?? new FetchBudget() }
    this.#membership = membership
    this.#events = events
    const { clock, connection, heartbeatMs, rebalanceTimeoutMs, silenceMs } = options
    this.#watchdog = new ClientWatchdog(silenceMs, rebalanceTimeoutMs + JOIN_MARGIN_MS, clock.now())
    this.#heartbeats = new Heartbeats(clock, (at, isSteady) => this.#isAlive && membership.heard(at, isSteady))
    this.#wire = this.#openWire()
    this.#admin = new KafkaAdmin({ connection, log: (message) => this.#logClient(message) })
    let endsOpened = 0
    this.#endOffsets = new EndOffsets({
      membership,
      isHalted: options.isHalted,
      fell: (partition) => this.#positioner.recreated(partition),
      open: () => new KafkaAdmin({ connection: rotateBrokers(connection, endsOpened++), countsOpenTransactions: true }),
    })
    this.#identity = new TopicIdentity({
      membership,
      ids: (topics) => this.#admin.topicIds(topics),
      refreshMs: options.metadataMaxAgeMs,
      changed: (partition) => this.#positioner.recreated(partition),
    })
    this.#consumer = kafkajsGroupClient(options, this.#wire, {
      crashed: (message) => void this.#crashBegan(message),
      brokerError: (error) => options.onBrokerError(error),
      log: (message) => this.#logClient(message),
    })
    this.#commits = new CommitQueue(this.#consumer)
    const fail = (error: ConnectorError): void => this.#endFetching(error)
    const end = (error: unknown): void => this.#end(asConnectorError(error))
    this.#reader = new PartitionReader({ ...this.#options, controls: this.#consumer, membership, events, fail, end })
    this.#positioner = new Positioner({
      questions: this.#admin,
      policies: options,
      clock,
      signal: this.#life.signal,
      membership,
      commits: this.#commits,
      reader: this.#reader,
      log: (message) => events.log('warn', message, { event: 'topic.offset-reset' }),
      fail,
      end: (error) => void this.#endWith(error),
    })
    this.#handover = new Handover({
      clock,
      membership,
      heartbeatMs,
      beat: () => this.#heartbeats.beat(),
      pauseAll: () => this.#reader.letGo(membership.owned),
      commitsDone: () => this.#commits.done(),
    })
    this.#listen()
  }

  /** Resolves when everything is closed. @returns why it ended; `undefined` when `signal` aborted */
  async run(signal: AbortSignal): Promise<Error | undefined> {
    const stop = (): void => this.#end(undefined)
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    void this.#start()
    void this.#watchClient()
    const error = await this.#ended.promise
    signal.removeEventListener('abort', stop)
    await this.#leaveAndClose(error)
    return error
  }

  get #isAlive(): boolean {
    return !this.#life.signal.aborted
  }

  pause(partition: TopicPartition): void {
    this.#reader.pause(partition)
  }

  /** Fetches the partition again; if it was held for long, only once the id of its topic was asked for. */
  resume(partition: TopicPartition): void {
    const owned = this.#membership.find(partition.topic, partition.partition)
    if (owned && !owned.awaitsPosition && this.#options.clock.now() - owned.heldAt >= LONG_HELD_MS) {
      owned.awaitsPosition = true
      void this.#identity.check().then(() => this.#positioner.idChecked(owned))
    }
    this.#reader.resume(partition)
  }

  halt(): void {
    this.#reader.letGo(this.#membership.isAssigned ? this.#membership.owned : [])
  }

  async commit(positions: readonly PartitionPosition[]): Promise<void> {
    await this.#commits.commit(this.#membership.stillOwned(positions))
  }

  #openWire(): KafkajsWire {
    const { clock, budget, connection } = this.#options
    return new KafkajsWire({
      watch: connection.watch,
      join: (memberId) => this.#join(memberId),
      joinBroken: () => this.#joinBroken(),
      heartbeat: () => this.#heartbeats.sent(),
      sync: (generation, memberId) => this.#synchronise(generation, memberId),
      leave: () => (this.#hasSentLeave = true),
      reader: {
        // records that are handed on have to be settled before a revocation ends, which takes heartbeats of our own
        canTake: () => this.#heartbeats.canBeat,
        reading: (topic, partition) => (this.#isAlive ? this.#reader.reading(topic, partition) : undefined),
        fetched: (...given) => this.#safely(() => this.#reader.fetched(...given)),
        outOfRange: (owned) => this.#safely(() => this.#positioner.outOfRange(owned)),
        unknown: (at) => {
          if (this.#membership.reading(at.topic, at.partition)) this.#end(topicDeleted(at))
        },
      },
      now: () => clock.now(),
      budget,
    })
  }

  #listen(): void {
    const { clock } = this.#options
    const consumer = this.#consumer
    const { events } = consumer
    consumer.on(events.GROUP_JOIN, ({ payload }) => this.#joined(payload.memberAssignment))
    consumer.on(events.HEARTBEAT, () => this.#heartbeats.answered())
    consumer.on(events.COMMIT_OFFSETS, () => this.#commits.confirmed())
    consumer.on(events.CRASH, ({ payload }) => void this.#endWith(payload.error))
    consumer.on(events.REQUEST, () => this.#watchdog.heard(clock.now()))
    // while all partitions are paused, kafkajs loops without any request
    consumer.on(events.FETCH_START, () => this.#watchdog.heard(clock.now()))
  }

  async #start(): Promise<void> {
    const { topics } = this.#options
    try {
      await this.#consumer.connect()
      await this.#consumer.subscribe({ topics: [...topics] })
      await this.#consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        // called with placeholders of batches, which the wire took out (fetches.ts): only the function that sends heartbeats is used
        eachBatch: async (payload) => this.#heartbeats.use(() => payload.heartbeat()),
      })
    } catch (error) {
      await this.#endWith(asError(error))
    }
  }

  /** Ends the session with an error that `handOn` throws, which the socket would take for an answer that is not understood. */
  #safely(handOn: () => void): void {
    try {
      handOn()
    } catch (error) {
      this.#end(asConnectorError(error))
    }
  }

  /** Holds a JoinGroup request back until the partitions are let go. @param memberId '' if it shows none @returns whether it may be sent */
  #join(memberId: string): Promise<boolean> {
    const { clock } = this.#options
    this.#isJoining = true
    this.#watchdog.joinBegan(clock.now())
    if (!this.#isAlive) return Promise.resolve(this.#mayJoin(memberId))
    return this.#handover.letGo(memberId).then(
      () => {
        // again: letting go may have taken long, for which the group is not to blame
        this.#watchdog.joinBegan(clock.now())
        return this.#mayJoin(memberId)
      },
      (error: unknown) => {
        this.#end(asConnectorError(error))
        return false
      },
    )
  }

  /** Notes the id in a join request. @returns whether that may be sent: not after the end, when the next session may be a member already */
  #mayJoin(memberId: string): boolean {
    if (this.#isAlive) {
      this.#membership.hasLeft = false
      this.#idTracker.joinSent(memberId)
    } else {
      this.#idTracker.learnt(memberId)
      this.#kafkajsIsDone.resolve()
    }
    return this.#isAlive
  }

  #joinBroken(): void {
    this.#idTracker.joinLost()
    this.#watchdog.joinBroken(this.#options.clock.now())
  }

  /** Called when a SyncGroup request is sent, the last step of a join. */
  #synchronise(generation: number, memberId: string): void {
    this.#idTracker.learnt(memberId)
    this.#generation = generation
    this.#syncSentAt = this.#options.clock.now()
  }

  /** Begins a generation, of which the group has assigned these partitions, by topic. */
  #joined(assignment: Readonly<Record<string, number[]>>): void {
    this.#isJoining = false
    this.#watchdog.joinEnded(this.#options.clock.now())
    if (!this.#isAlive) return
    const partitions = Object.entries(assignment).flatMap(([topic, numbers]) =>
      numbers.map((partition) => ({ topic, partition })),
    )
    // an answer to SyncGroup proves the same as one to a heartbeat
    this.#membership.heard(this.#syncSentAt)
    const ticket = this.#membership.joined(`${this.#generation}`)
    // records of the generation before are dropped, and nothing is fetched before the positions are found
    this.#reader.letGo(partitions)
    void this.#positioner.begin(ticket, partitions)
  }

  async #watchClient(): Promise<void> {
    const { clock, silenceMs } = this.#options
    const { signal } = this.#life
    while (!signal.aborted) {
      await clock.wait(Math.min(WATCH_MS, silenceMs / 4), signal)
      const problem = this.#watchdog.problem(clock.now(), this.#wire.unansweredSince)
      if (problem !== undefined) this.#end(new Error(problem))
      this.#endOffsets.look(clock.now())
      this.#identity.look(clock.now())
    }
  }

  /** Ends the session after kafkajs logged that it gives up, and cuts its connections first if it does not end by itself. */
  async #crashBegan(message: string): Promise<void> {
    if (!this.#isAlive) return
    const { clock } = this.#options
    this.#membership.lost(message)
    await clock.wait(CRASH_MS, this.#life.signal)
    this.#wire[Symbol.dispose]()
    await clock.wait(CRASH_MS, this.#life.signal)
    this.#end(new Error(message))
  }

  /** Ends the session with an error of kafkajs, after the names of the topics that it is about were found. */
  async #endWith(error: Error): Promise<void> {
    if (this.#isAlive) this.#end(await namingTopics(error, this.#options.topics, this.#admin))
  }

  /** Ends fetching because of an error. The session stays a member until its owner stops it. */
  #endFetching(error: ConnectorError): void {
    this.halt()
    this.#events.failed(error)
  }

  /** Ends the session. @param error `undefined` when its owner stopped it */
  #end(error: Error | undefined): void {
    if (!this.#isAlive) return
    this.#life.abort()
    this.#reader[Symbol.dispose]()
    // an owner that stops it has settled everything, so nothing is reported as lost
    if (error === undefined) this.#membership.left()
    else this.#membership.lost(error.message)
    this.#ended.resolve(error)
  }

  /** Leaves the group if that is soon done, and closes everything. @param error why the session ended; `undefined` when stopped */
  async #leaveAndClose(error: Error | undefined): Promise<void> {
    const { clock } = this.#options
    await this.#membership.quiet().catch(() => undefined)
    const timeout = new AbortController()
    const goodbyeMs = error === undefined ? GOODBYE_MS : SHORT_GOODBYE_MS
    const closed = Promise.all([this.#admin[Symbol.asyncDispose](), this.#endOffsets[Symbol.asyncDispose]()])
    let hasLeft = false
    const leaving = this.#leaveGroup(goodbyeMs / 2, timeout.signal).then((left) => (hasLeft = left))
    await within(leaving, goodbyeMs, clock)
    timeout.abort()
    this.#cutConnections()
    if (hasLeft) this.#membership.hasLeft = true
    else if (error === undefined) this.#logStayed()
    await closed
  }

  /** Leaves the group by kafkajs, or else by a request of our own, so that other members need not wait for the session timeout. Not to be
   *  called in a handler of kafkajs, which would wait for itself.
   *  @param kafkajsMs how long kafkajs may take @returns whether the member has left */
  async #leaveGroup(kafkajsMs: number, end: AbortSignal): Promise<boolean> {
    const { clock, connection, group } = this.#options
    // while it joins, kafkajs would only close its connections, or wait for other members
    if (!this.#isJoining) {
      void this.#leaveByKafkajs()
      await within(this.#kafkajsIsDone.promise, kafkajsMs, clock)
    }
    // the answer to a first join, which may be on its way, brings the id to leave with
    await until(this.#idTracker.settled(), end).catch(() => undefined)
    if (end.aborted) return false
    const { memberId } = this.#idTracker
    if (memberId === undefined) return true
    this.#cutConnections()
    return leaveGroup(connection, { group, memberId }, end)
  }

  async #leaveByKafkajs(): Promise<void> {
    await this.#consumer.disconnect().catch(() => undefined)
    if (this.#hasSentLeave) this.#idTracker.learnt('')
    this.#kafkajsIsDone.resolve()
  }

  #cutConnections(): void {
    this.#wire[Symbol.dispose]()
    // otherwise kafkajs keeps reconnecting
    void this.#consumer.disconnect().catch(() => undefined)
  }

  #logStayed(): void {
    const { group, sessionTimeoutMs } = this.#options
    const seconds = Math.round(sessionTimeoutMs / 1000)
    const effect = `nobody reads the partitions of this member for up to ${seconds} s (kafka.session_timeout_seconds)`
    this.#log(`Group ${group} could not be left, because its coordinator does not answer: ${effect}.`)
  }

  #logClient(message: string): void {
    if (this.#isAlive) this.#log(`Kafka client: ${message}`)
  }

  /** Logs what an outage may have caused: while the broker watch reports one, that need not be a warning too. */
  #log(message: string): void {
    this.#events.log(this.#options.connection.watch?.isFailing === true ? 'info' : 'warn', message)
  }
}

/** The error that ends the session. The next session begins at the committed offsets, which brokers delete together with a topic. */
function topicDeleted({ topic, partition }: TopicPartition): Error {
  return new Error(
    `the brokers do not know partition ${partition} of topic ${topic} any more: it was deleted. If it was created again, it is read from \`start\` on`,
  )
}
