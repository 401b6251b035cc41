// The member of the group, as a run sees it: it runs and stops the member, commits what is settled from time to time, and tells its facts.

import type { Clock } from '../../core/types.ts'
import type { InputGroup } from '../../run/open-input.ts'
import type { GroupFacts, PartitionFacts, StoppedFacts } from '../../run/run-facts.ts'
import type { BrokerOutages } from '../client/broker-outages.ts'
import type { GroupMember } from '../client/group-member.ts'
import { within } from '../../process/waiting.ts'
import type { HeldToken } from '../../identity/held-token.ts'
import type { DeadLetterPolicy } from './dead-letter-policy.ts'
import type { FetchedAhead } from './fetched-ahead.ts'
import { tokensReady } from './open-logins.ts'
import type { KafkaSource } from './kafka-source.ts'

interface StreamGroupParts {
  readonly clock: Clock
  readonly source: KafkaSource
  readonly membership: Pick<GroupMember, 'generation' | 'isMember' | 'end' | 'run' | 'halt' | 'hasLeft'>
  readonly brokers: Pick<BrokerOutages, 'down'>
  /** The registry's outage, if there is one now. `undefined` when no topic needs the registry. */
  readonly registry: { readonly state: { readonly cause: string } | undefined } | undefined
  /** The sources that logins take their tokens from; absent when they take none. */
  readonly tokens?: readonly Pick<HeldToken, 'ready' | 'facts'>[] | undefined
  readonly policy: Pick<DeadLetterPolicy, 'failures'>
  readonly ahead: Pick<FetchedAhead, 'reasonOf'>
  /** How long the session must still last when a request begins, in milliseconds. */
  readonly lastMs: number
  readonly commitEveryMs: number
}

export class StreamGroup implements InputGroup {
  readonly #parts: StreamGroupParts
  #joined = false
  /** When `#joined` changed, on the clock of `facts`. */
  #since: number

  constructor(parts: StreamGroupParts) {
    this.#parts = parts
    this.#since = parts.clock.now()
  }

  async run(leave: AbortSignal): Promise<void> {
    const { source, membership, commitEveryMs, clock, tokens = [] } = this.#parts
    // a member without a token could not log in, and its heartbeats would wait for that
    await tokensReady(tokens, leave)
    const commits = commitSteadily(source, commitEveryMs, clock, leave)
    try {
      await membership.run(leave)
    } finally {
      await commits
    }
  }

  mayBegin(): boolean {
    return this.#parts.membership.isMember(this.#parts.lastMs)
  }

  halt(): void {
    this.#parts.membership.halt()
  }

  finish(signal: AbortSignal): Promise<void> {
    return this.#parts.source.finish(signal)
  }

  async commit(withinMs: number): Promise<void> {
    const { source, clock } = this.#parts
    source.end()
    await within(source.commit(), withinMs, clock)
  }

  /** What came of a stop, once the group is left. */
  stopped(): StoppedFacts {
    const { source, membership } = this.#parts
    return {
      settled: source.settledRecords,
      unsettled: source.unsettledRecords,
      uncommitted: source.uncommittedPartitions,
      hasLeft: membership.hasLeft,
    }
  }

  /** Remembers `joined` of the call before, to say since when it has been so. */
  facts(at: number): GroupFacts {
    const { source, membership, registry, brokers, policy, ahead, tokens } = this.#parts
    const { generation } = membership
    const joined = generation !== undefined && membership.isMember()
    if (joined !== this.#joined) this.#since = at
    this.#joined = joined
    const partitions = source.partitions.map((owned): PartitionFacts => {
      const { topic, partition } = owned.track
      const lag = between(owned.settledTo, membership.end(owned.track))
      return { topic, partition, lag, committedAt: owned.committedAt, held: ahead.reasonOf(owned) }
    })
    return {
      joined,
      since: this.#since,
      generation,
      rebalances: source.generations,
      commits: { ...source.commits },
      partitions,
      oldestAt: source.oldestAt,
      deadLetterFailures: policy.failures,
      schemasSince: source.schemasSince,
      schemasCause: registry?.state?.cause,
      brokersDown: brokers.down,
      tokens: tokens?.map(({ facts }) => facts),
    }
  }
}

/** How many offsets lie between. The end may be out of date, and then lower than what is settled: that counts as none. */
function between(settledTo: bigint, end: bigint | undefined): bigint | undefined {
  if (end === undefined) return undefined
  return end > settledTo ? end - settledTo : 0n
}

/** Settled records that are committed before their time comes, so that a kill while much is caught up with repeats
 *  few. */
export const MANY = 1000
/** The least time between two commits, however much is settled: each costs the brokers a write. */
const APART_MS = 100

interface Committed {
  /** Records settled since the last commit began. */
  readonly uncommitted: number
  /** Commits what is settled, nothing where nothing is. Never throws. */
  commit(): Promise<void>
}

/** Commits one time after another until `signal` aborts: every `everyMs`, or as soon as MANY records are settled. */
export async function commitSteadily(
  source: Committed,
  everyMs: number,
  clock: Pick<Clock, 'now' | 'wait'>,
  signal: AbortSignal,
): Promise<void> {
  for (let last = clock.now(); !signal.aborted;) {
    await clock.wait(Math.min(APART_MS, Math.max(1, last + everyMs - clock.now())), signal)
    const now = clock.now()
    if (signal.aborted || (source.uncommitted < MANY && now - last < everyMs)) continue
    last = now
    await source.commit()
  }
}
