// What a group says of itself, five times a second: who is a member and owns what, and what is committed. Decides nothing.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Group, KafkaClient } from '../kafka/client.ts'

/** Times are those of performance.now(): asked, and answered. */
export interface Sample {
  readonly group: Group
  readonly groupAskedAt: number
  readonly groupAnsweredAt: number
  /** By partition. */
  readonly committed: readonly (bigint | undefined)[]
  readonly committedAnsweredAt: number
}

const EVERY_MS = 200

/** From its making to its disposal. */
export class Watcher implements AsyncDisposable {
  readonly samples: Sample[] = []
  readonly #client: KafkaClient
  readonly #group: string
  readonly #topic: string
  readonly #over = new AbortController()
  readonly #watching: Promise<void>

  constructor(client: KafkaClient, group: string, topic: string) {
    this.#client = client
    this.#group = group
    this.#topic = topic
    this.#watching = this.#watch()
  }

  get last(): Sample | undefined {
    return this.samples.at(-1)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort()
    await this.#watching
  }

  async #watch(): Promise<void> {
    while (!this.#over.signal.aborted) {
      // a broker that is away answers nothing
      const sample = await this.#ask().catch(() => undefined)
      if (sample) this.samples.push(sample)
      await sleep(EVERY_MS, undefined, { signal: this.#over.signal }).catch(() => {})
    }
  }

  async #ask(): Promise<Sample> {
    const committed = await this.#client.committed(this.#group, this.#topic)
    const committedAnsweredAt = performance.now()
    const groupAskedAt = performance.now()
    const group = await this.#client.describeGroup(this.#group)
    return { group, groupAskedAt, groupAnsweredAt: performance.now(), committed, committedAnsweredAt }
  }
}

/** A member's number, by the client id it joins with. */
export function clientIdOf(member: number): string {
  return `member-${member}`
}

/** Who owns a topic's partitions: the members' numbers; undefined: nobody, as far as the group says. */
export function ownersOf({ state, members }: Group, topic: string, partitions: number): (number | undefined)[] {
  const owners = Array.from({ length: partitions }, (): number | undefined => undefined)
  if (state !== 'Stable') return owners
  for (const { clientId, assigned } of members)
    for (const partition of assigned[topic] ?? []) owners[partition] = memberOf(clientId)
  return owners
}

export function membersOf({ members }: Group): number[] {
  return members.map(({ clientId }) => memberOf(clientId)).toSorted((a, b) => a - b)
}

function memberOf(clientId: string): number {
  return Number(clientId.slice(clientId.lastIndexOf('-') + 1))
}
