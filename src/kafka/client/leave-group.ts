// Leaves a group when kafkajs cannot, and tracks the member id to leave with.
//
// kafkajs sends LeaveGroup only while its consumer runs: not while it joins, nor right after that. And a broker reads further
// requests on that connection only after it answered the join, for which other members may keep it waiting. So we send our own
// request on another connection: kafkajs connects to the coordinator to describe the group, and our request follows on that connection.

import { askCluster } from './admin.ts'
import type { KafkaConnection } from './connection.ts'
import { API, kafkaText } from './request-bytes.ts'

interface Member {
  readonly group: string
  readonly memberId: string
}

/** Brokers know it from Kafka 2.0 on. Later versions remove several members at once. */
const VERSION = 2
const SIZE_BYTES = 4
/** Place of the error code: behind size, correlation id and throttle time. */
const ERROR_AT = 12
/** NONE, and UNKNOWN_MEMBER_ID: it had left before. */
const LEFT = new Set([0, 25])
/** COORDINATOR_LOAD_IN_PROGRESS, COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR. */
const ELSEWHERE = new Set([14, 15, 16])

/** Leaves the group by a request of our own, and retries what may pass. Never throws. @param end aborts to stop waiting
 *  @returns whether the group no longer has the member */
export async function leaveGroup(connection: KafkaConnection, member: Member, end: AbortSignal): Promise<boolean> {
  const asked = await askCluster({ connection, group: member.group, end, insists: true }, async (admin) => {
    await admin.group(member.group)
    const answer = await admin.exchange(API.describeGroups, leaveRequest(connection.clientId, member))
    const error = answer.readInt16BE(ERROR_AT)
    if (ELSEWHERE.has(error)) throw new Error('the coordinator is another one, or is not ready yet')
    return LEFT.has(error)
  })
  return asked.kind === 'answered' && asked.answer
}

function leaveRequest(clientId: string, { group, memberId }: Member): Buffer {
  const head = Buffer.alloc(SIZE_BYTES + 8)
  head.writeInt16BE(API.leaveGroup, SIZE_BYTES)
  head.writeInt16BE(VERSION, SIZE_BYTES + 2)
  const request = Buffer.concat([head, kafkaText(clientId), kafkaText(group), kafkaText(memberId)])
  request.writeInt32BE(request.length - SIZE_BYTES)
  return request
}

/** The id of the member that a client has, or may have, in its group. */
export class GroupPlace {
  #memberId: string | undefined
  /** A join that shows no id is in flight. Its answer brings the id, which the next request shows. */
  #naming: PromiseWithResolvers<void> | undefined

  /** `undefined` when there is none, or it is not known. */
  get memberId(): string | undefined {
    return this.#memberId
  }

  /** A join is sent. @param memberId '' if it has none yet */
  joining(memberId: string): void {
    this.known(memberId)
    if (memberId === '') this.#naming = Promise.withResolvers()
  }

  /** @param memberId '' if the client is no member */
  known(memberId: string): void {
    this.#memberId = memberId === '' ? undefined : memberId
    this.unanswered()
  }

  /** No answer will come to a join that was in flight. */
  unanswered(): void {
    this.#naming?.resolve()
    this.#naming = undefined
  }

  /** Resolves when no id is to be expected. */
  async named(): Promise<void> {
    await this.#naming?.promise
  }
}
