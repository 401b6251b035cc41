// Leaves a group when kafkajs cannot, and tracks the member id to leave with.
//
// kafkajs sends LeaveGroup only while its consumer runs: not while it joins, nor right after that. And a broker reads further
// requests on that connection only after it answered the join, for which other members may keep it waiting. So we send our own
// request on another connection: kafkajs connects to the coordinator to describe the group, and our request follows on the same socket.

import type { Socket } from 'node:net'
import type { Clock } from '../../core/types.ts'
import type { KafkaConnection } from './connection.ts'
import { kafkaProblem } from './kafka-problem.ts'
import { API } from './request-bytes.ts'
import { until } from './waiting.ts'
import { KafkaAdmin } from './admin.ts'

interface Member {
  readonly group: string
  readonly memberId: string
}

const ASK_AGAIN_MS = 100
/** From Kafka 2.0 on. Later versions remove several members at once. */
const VERSION = 2
/** kafkajs counts up from 0. */
const CORRELATION_ID = -1
const SIZE_BYTES = 4
/** After size, correlation id and throttle time. */
const ERROR_AT = 12
/** NONE, and UNKNOWN_MEMBER_ID: it had left before. */
const LEFT = new Set([0, 25])
/** COORDINATOR_LOAD_IN_PROGRESS, COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR. */
const ELSEWHERE = new Set([14, 15, 16])

/** Retries what may pass. Never throws. @param end aborts to stop waiting
 *  @returns whether the group no longer has the member */
export async function leaveGroup(
  connection: KafkaConnection,
  member: Member,
  clock: Pick<Clock, 'wait'>,
  end: AbortSignal,
): Promise<boolean> {
  while (!end.aborted) {
    try {
      const error = await ask(connection, member, end)
      if (LEFT.has(error)) return true
      if (!ELSEWHERE.has(error)) return false
    } catch (error) {
      if (kafkaProblem(error, { brokers: connection.brokers, group: member.group }).kind === 'final') return false
    }
    await clock.wait(ASK_AGAIN_MS, end)
  }
  return false
}

/** @returns the error code of the answer */
async function ask(connection: KafkaConnection, member: Member, end: AbortSignal): Promise<number> {
  let coordinator: Socket | undefined
  await using admin = new KafkaAdmin({ connection, end, coordinator: (socket) => (coordinator = socket) })
  await admin.group(member.group)
  const answer = await until(exchange(coordinator!, leaveRequest(connection.clientId, member)), end)
  return answer.readInt16BE(ERROR_AT)
}

/** The connection must be idle. @throws if it closes before the answer */
function exchange(socket: Socket, request: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let had: Buffer = Buffer.alloc(0)
    // not `on`: the wire replaced it to pass whole answers to kafkajs
    socket.addListener('data', (chunk: Buffer) => {
      had = Buffer.concat([had, chunk])
      if (had.length >= ERROR_AT + 2) resolve(had)
    })
    socket.once('close', () => reject(new Error('the connection closed')))
    socket.write(request)
  })
}

function leaveRequest(clientId: string, { group, memberId }: Member): Buffer {
  const head = Buffer.alloc(SIZE_BYTES + 8)
  head.writeInt16BE(API.leaveGroup, SIZE_BYTES)
  head.writeInt16BE(VERSION, SIZE_BYTES + 2)
  head.writeInt32BE(CORRELATION_ID, SIZE_BYTES + 4)
  const request = Buffer.concat([head, text(clientId), text(group), text(memberId)])
  request.writeInt32BE(request.length - SIZE_BYTES)
  return request
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value)
  const size = Buffer.alloc(2)
  size.writeInt16BE(bytes.length)
  return Buffer.concat([size, bytes])
}

/** The id of the member that a client has, or may have, in its group. */
export class GroupPlace {
  #memberId: string | undefined
  /** A join without an id is in flight: its answer brings the id, which the next request shows. */
  #naming: PromiseWithResolvers<void> | undefined

  /** Undefined if there is none, or it is not known. */
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
