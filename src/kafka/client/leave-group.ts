// Leaves a group when kafkajs cannot (`leaveGroup`), and tracks the member id to leave with (`MemberIdTracker`).
//
// kafkajs sends LeaveGroup only while its consumer runs: not while it joins, nor right after that. And a broker answers a join only when
// other members have joined too, and reads no further request of that connection before. So we send our own request on another
// connection: a second client of kafkajs connects to the coordinator to describe the group, and our request follows there.

import { askCluster } from './admin.ts'
import type { KafkaConnection } from './connection.ts'
import { API, kafkaText } from './request-bytes.ts'

interface Member {
  readonly group: string
  readonly memberId: string
}

/** The version of LeaveGroup that is sent, which brokers know from Kafka 2.0 on. Later ones remove several members at once. */
const VERSION = 2
const SIZE_BYTES = 4
/** Place of the error code in the answer: behind size, correlation id and throttle time. */
const ERROR_AT = 12
/** Error codes of a member that has left: NONE, and UNKNOWN_MEMBER_ID when it had left before. */
const LEFT = new Set([0, 25])
/** Error codes that say to ask another broker, or later: COORDINATOR_LOAD_IN_PROGRESS, COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR. */
const NOT_HERE = new Set([14, 15, 16])

/** Leaves the group by a request of our own, and retries what may pass, even refusals. Never throws. @param end aborts to stop waiting
 *  @returns whether the group no longer has the member */
export async function leaveGroup(connection: KafkaConnection, member: Member, end: AbortSignal): Promise<boolean> {
  const asked = await askCluster({ connection, group: member.group, end, retriesRefusals: true }, async (admin) => {
    await admin.group(member.group)
    // over the connection by which the group was just described
    const answer = await admin.exchange(API.describeGroups, leaveRequest(connection.clientId, member))
    const error = answer.readInt16BE(ERROR_AT)
    if (NOT_HERE.has(error)) throw new Error('the coordinator is another one, or is not ready yet')
    return LEFT.has(error)
  })
  return asked.kind === 'answered' && asked.answer
}

function leaveRequest(clientId: string, { group, memberId }: Member): Buffer {
  // size, api, version, and the correlation id, which `exchange` sets
  const head = Buffer.alloc(SIZE_BYTES + 2 + 2 + 4)
  head.writeInt16BE(API.leaveGroup, SIZE_BYTES)
  head.writeInt16BE(VERSION, SIZE_BYTES + 2)
  const request = Buffer.concat([head, kafkaText(clientId), kafkaText(group), kafkaText(memberId)])
  request.writeInt32BE(request.length - SIZE_BYTES)
  return request
}

/** Tracks the id of a client in its group, as its requests show it. The first join shows none; its answer brings the id for the next. */
export class MemberIdTracker {
  #memberId: string | undefined
  /** Resolves when the id that a first join brings is known, or will not come. `undefined` when no such join is in flight. */
  #awaitedId: PromiseWithResolvers<void> | undefined

  /** `undefined` when the client is no member, or its id is not known yet. */
  get memberId(): string | undefined {
    return this.#memberId
  }

  /** To be called when a join is sent. @param memberId '' if it shows none */
  joinSent(memberId: string): void {
    this.learnt(memberId)
    if (memberId === '') this.#awaitedId = Promise.withResolvers()
  }

  /** To be called when a request shows the id, or the client has left. @param memberId '' if the client is no member */
  learnt(memberId: string): void {
    this.#memberId = memberId === '' ? undefined : memberId
    this.joinLost()
  }

  /** To be called when no answer will come to the join in flight. */
  joinLost(): void {
    this.#awaitedId?.resolve()
    this.#awaitedId = undefined
  }

  /** Resolves when the answer to a first join is no longer awaited. */
  async settled(): Promise<void> {
    await this.#awaitedId?.promise
  }
}
