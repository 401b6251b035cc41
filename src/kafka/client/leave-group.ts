// Takes a member out of its group for a client that cannot. Decides nothing.
//
// kafkajs leaves only as a consumer that runs: not while it joins, and not in the moment behind that. And what its connection
// is asked then a broker reads when the join is answered, which others of the group may keep waiting. So the request goes by a
// connection of its own: kafkajs finds the coordinator for a question it does know, and the request follows that question.

import type { Socket } from 'node:net'
import type { Clock } from '../../core/types.ts'
import { closeKafkajs } from './close-kafkajs.ts'
import { kafkaProblem } from './kafka-problem.ts'
import { kafkajsClient } from './kafkajs-connection.ts'
import type { KafkaConnection } from './kafkajs-connection.ts'
import { KafkajsWire } from './kafkajs-wire.ts'
import { API } from './request-head.ts'
import { until } from './until.ts'

export interface GroupMember {
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
  member: GroupMember,
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
async function ask(connection: KafkaConnection, member: GroupMember, end: AbortSignal): Promise<number> {
  let coordinator: Socket | undefined
  const wire = new KafkajsWire({ describe: (socket) => (coordinator = socket) })
  const admin = kafkajsClient(connection, wire, { said: () => {} }).admin()
  try {
    await until(admin.connect(), end)
    // before it knows a broker kafkajs finds no coordinator, and rests before it tries again
    await until(admin.describeCluster(), end)
    await until(admin.describeGroups([member.group]), end)
    const answer = await until(exchange(coordinator!, leaveRequest(connection.clientId, member)), end)
    return answer.readInt16BE(ERROR_AT)
  } finally {
    if (end.aborted) wire[Symbol.dispose]()
    await closeKafkajs(admin, wire)
  }
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

function leaveRequest(clientId: string, { group, memberId }: GroupMember): Buffer {
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
