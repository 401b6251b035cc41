// Takes a member out of its group for a client that cannot.
//
// kafkajs leaves only as a consumer that runs: not while it joins, and not in the moment behind that. And what its connection
// is asked then a broker reads when the join is answered, which others of the group may keep waiting. So the request goes by a
// connection of its own: kafkajs finds the coordinator for a question it does know, and the request follows that question.
// As which member a group may hold a place for a client, by the requests of that client.

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
/** Of brokers from 2.0 on; later ones leave for several at once. */
const VERSION = 2
/** kafkajs counts its requests up from 0. */
const CORRELATION_ID = -1
const SIZE_BYTES = 4
/** Behind size, correlation id and throttle time. */
const ERROR_AT = 12
/** NONE, and UNKNOWN_MEMBER_ID: it had been let go of before. */
const LEFT = new Set([0, 25])
/** COORDINATOR_LOAD_IN_PROGRESS, COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR. */
const ELSEWHERE = new Set([14, 15, 16])

/** Asks again what may pass. @param end aborts when it is to be waited for no longer
 *  @returns whether the group has no such member any more. Never throws. */
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

/** Nothing else is under way on that connection. @throws when it ends first */
function exchange(socket: Socket, request: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let had: Buffer = Buffer.alloc(0)
    // `on` is the client's, who is given whole answers
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

export class GroupPlace {
  #memberId: string | undefined
  /** A join as nobody is under way: its answer brings an id, and the next request shows it. */
  #naming: PromiseWithResolvers<void> | undefined

  /** Undefined: none that is known. */
  get memberId(): string | undefined {
    return this.#memberId
  }

  /** A join goes out. @param memberId '' : as nobody yet */
  joining(memberId: string): void {
    this.known(memberId)
    if (memberId === '') this.#naming = Promise.withResolvers()
  }

  /** @param memberId '' : the client is nobody in its group */
  known(memberId: string): void {
    this.#memberId = memberId === '' ? undefined : memberId
    this.unanswered()
  }

  /** No answer comes any more to a join as nobody, if one was under way. */
  unanswered(): void {
    this.#naming?.resolve()
    this.#naming = undefined
  }

  /** Resolves when no id is on its way. */
  async named(): Promise<void> {
    await this.#naming?.promise
  }
}
