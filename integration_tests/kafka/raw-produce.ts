// Sends a record batch as it stands: what no client would make, a broker stores none the less. Knows no case.

import { once } from 'node:events'
import { connect } from 'node:net'
import { int32 } from '../../src/kafka/log/testing/log.ts'

const PRODUCE = 0
const VERSION = 7
const CHECKSUM_AT = 17
const CHECKED_FROM = 21
const TIMEOUT_MS = 60_000
/** Castagnoli's polynomial, as batches have it. */
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0x82f63b78 : value >>> 1
  return value >>> 0
})

/** @param bootstrap of the partition's leader
 *  @param batch record format v2; its checksum is written here
 *  @returns the offset it has now; throws where the broker did not take it */
export async function rawProduce(bootstrap: string, topic: string, partition: number, batch: Buffer): Promise<bigint> {
  batch.writeUInt32BE(crc32c(batch.subarray(CHECKED_FROM)), CHECKSUM_AT)
  const [host, port] = bootstrap.split(',')[0]!.split(':')
  const socket = connect(Number(port), host)
  await once(socket, 'connect')
  const settings = [int16(PRODUCE), int16(VERSION), int32(1), text('raw'), int16(-1), int16(-1), int32(TIMEOUT_MS)]
  const place = [int32(1), text(topic), int32(1), int32(partition), int32(batch.length)]
  const head = Buffer.concat([...settings, ...place])
  socket.write(Buffer.concat([int32(head.length + batch.length), head]))
  socket.write(batch)
  try {
    return await answered(socket, topic)
  } finally {
    socket.destroy()
  }
}

async function answered(socket: AsyncIterable<unknown>, topic: string): Promise<bigint> {
  let answer: Buffer = Buffer.alloc(0)
  for await (const chunk of socket) {
    answer = Buffer.concat([answer, chunk as Buffer])
    if (answer.length < 4 || answer.length < 4 + answer.readInt32BE(0)) continue
    const at = 4 + 4 + 4 + 2 + Buffer.byteLength(topic) + 4 + 4
    const error = answer.readInt16BE(at)
    if (error !== 0) throw new Error(`the broker refused the batch: error ${error}`)
    return answer.readBigInt64BE(at + 2)
  }
  throw new Error('the broker closed the connection')
}

function crc32c(bytes: Buffer): number {
  let value = 0xffff_ffff
  for (const byte of bytes) value = TABLE[(value ^ byte) & 0xff]! ^ (value >>> 8)
  return (value ^ 0xffff_ffff) >>> 0
}

function int16(value: number): Buffer {
  return int32(value).subarray(2)
}

function text(value: string): Buffer {
  return Buffer.concat([int16(Buffer.byteLength(value)), Buffer.from(value)])
}
