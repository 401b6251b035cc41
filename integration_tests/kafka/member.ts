// A consumer under test, with everything it told written down in its order. Knows no case.

import { setTimeout as sleep } from 'node:timers/promises'
import type { ConnectorError } from '../../src/core/errors.ts'
import { GroupMember, type GroupMemberOptions } from '../../src/kafka/client/group-member.ts'
import type { FetchedBatch, PartitionPosition } from '../../src/kafka/types.ts'
import { systemClock } from '../../src/process/system-clock.ts'

export type Told =
  | { readonly kind: 'assigned'; readonly at: number; readonly positions: readonly PartitionPosition[] }
  | { readonly kind: 'revoked'; readonly at: number }
  | { readonly kind: 'let go'; readonly at: number }
  | { readonly kind: 'lost'; readonly at: number; readonly text: string }
  | { readonly kind: 'said'; readonly at: number; readonly text: string }
  | { readonly kind: 'failed'; readonly at: number; readonly error: ConnectorError }
  | { readonly kind: 'batch'; readonly at: number; readonly batch: FetchedBatch }

export interface MemberOptions extends Partial<Omit<GroupMemberOptions, 'topics'>> {
  readonly brokers: readonly string[]
  readonly group: string
  readonly topics: readonly string[]
  /** Fetches nothing of what it is assigned, until it is resumed. */
  readonly holds?: boolean
  /** What it does before it lets go. */
  readonly onRevoked?: (member: Member, signal: AbortSignal) => Promise<void>
}

const PATIENCE_MS = 90_000
const LOOK_MS = 10

/** Joins at once; disposed it stops. */
export class Member implements AsyncDisposable {
  readonly told: Told[] = []
  readonly consumer: GroupMember
  readonly ended: Promise<void>
  readonly #stop = new AbortController()

  constructor({ brokers, topics, onRevoked, holds = false, ...options }: MemberOptions) {
    const quick = { sessionTimeoutMs: 6000, rebalanceTimeoutMs: 12_000, heartbeatMs: 200, brokerDeadlineMs: 60_000 }
    const policies = { startOf: () => 'earliest' as const, outOfRangeOf: () => 'stop' as const }
    const connection = { brokers, clientId: 'test', tls: undefined, sasl: undefined, allowInsecureLogin: false }
    const rest = {
      clock: systemClock,
      scrub: (text: string) => text,
      fetch: { metadataMaxAgeMs: 1000 },
    }
    const finder = { find: async () => topics, refreshMs: 1000, mayChange: false }
    this.consumer = new GroupMember(
      { connection, topics: finder, ...quick, ...policies, ...rest, ...options },
      {
        assigned: (positions) => {
          this.#write({ kind: 'assigned', at: performance.now(), positions })
          if (holds) for (const position of positions) this.consumer.pause(position)
        },
        revoked: async (signal) => {
          this.#write({ kind: 'revoked', at: performance.now() })
          await onRevoked?.(this, signal)
          this.#write({ kind: 'let go', at: performance.now() })
        },
        lost: (text) => this.#write({ kind: 'lost', at: performance.now(), text }),
        batch: (batch) => this.#write({ kind: 'batch', at: performance.now(), batch }),
        failed: (error) => this.#write({ kind: 'failed', at: performance.now(), error }),
        log: (_level, text) => this.#write({ kind: 'said', at: performance.now(), text }),
      },
    )
    this.ended = this.consumer.run(this.#stop.signal)
  }

  /** Of one kind, in order. */
  of<K extends Told['kind']>(kind: K): Extract<Told, { kind: K }>[] {
    return this.told.filter((one): one is Extract<Told, { kind: K }> => one.kind === kind)
  }

  /** What happened to its membership, in order. */
  get story(): string[] {
    return this.told.filter(({ kind }) => kind !== 'said' && kind !== 'batch').map(({ kind }) => kind)
  }

  get batches(): FetchedBatch[] {
    return this.of('batch').map(({ batch }) => batch)
  }

  /** Values of all records, in order. */
  get values(): string[] {
    return this.batches.flatMap(({ records }) => records.map(({ value }) => String(value)))
  }

  /** Partitions of the last assignment. */
  get partitions(): number[] {
    return (this.of('assigned').at(-1)?.positions ?? []).map(({ partition }) => partition).sort((a, b) => a - b)
  }

  /** @throws with what was told, when it does not come true */
  async until(isTrue: (member: Member) => boolean, patienceMs = PATIENCE_MS): Promise<this> {
    const from = performance.now()
    while (!isTrue(this)) {
      if (performance.now() - from > patienceMs) throw new Error(`it never came; told was:\n${this.toString()}`)
      await sleep(LOOK_MS)
    }
    return this
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.ended
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  toString(): string {
    return this.told.map((one) => `${Math.round(one.at)} ${one.kind} ${detail(one)}`).join('\n')
  }

  #write(told: Told): void {
    this.told.push(told)
  }
}

function detail(told: Told): string {
  switch (told.kind) {
    case 'assigned':
      return told.positions.map(({ topic, partition, offset }) => `${topic}-${partition}@${offset}`).join(' ')
    case 'failed':
      return `${told.error.kind}: ${told.error.message}`
    case 'lost':
    case 'said':
      return told.text
    case 'batch':
      return `${told.batch.topic}-${told.batch.partition} ${told.batch.records.length} next ${told.batch.next} high ${told.batch.highWatermark}`
    case 'revoked':
    case 'let go':
      return ''
    default:
      return told satisfies never
  }
}
