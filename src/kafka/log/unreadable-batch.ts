// Batches that could not be unpacked, from where that is found out to where their topic and partition are known. kafkajs
// gives a codec the packed bytes and nothing else, and an error of a codec loses all that was fetched. So such a batch
// becomes as many records as it holds, marked: whoever reads them learns where reading ends, and all before them is read.

import type { KafkaMessage } from 'kafkajs'
import { ConnectorError } from '../../core/errors.ts'
import { BATCH, CODEC_MASK, MAGIC, UNCOUNTED } from './log-batch.ts'
import { standInRecords } from './stand-in.ts'
import type { TopicPartition } from '../types.ts'
import type { Codec, UnpackError } from './unpack-error.ts'

export interface UnreadableBatch {
  readonly codec: Codec | 'none' | `codec ${number}`
  readonly error: UnpackError
  /** Of its first and last record, as far as it says; undefined: it does not. */
  readonly offsets: { readonly first: bigint; readonly last: bigint } | undefined
}

/** What stands in front of the packed records, in the same memory. */
export interface BatchHead {
  readonly first: bigint
  readonly last: bigint
  /** Of records. */
  readonly count: number
  readonly codec: number
}

/** kafkajs takes no batch of more. */
const MOST_RECORDS = 200_000

/** By the memory of the records that stand for them. */
const found = new WeakMap<ArrayBufferLike, UnreadableBatch>()
let isAnyFound = false

/** @returns undefined: the bytes were not taken out of a record batch of Kafka 0.11 or later */
export function batchHead({ buffer, byteOffset, length }: Buffer): BatchHead | undefined {
  if (byteOffset < BATCH.records) return undefined
  const head = Buffer.from(buffer, byteOffset - BATCH.records, BATCH.records)
  if (head[BATCH.magic] !== MAGIC || head.readInt32BE(BATCH.length) !== length + BATCH.records - UNCOUNTED)
    return undefined
  const [first, behind] = [head.readBigInt64BE(BATCH.firstOffset), head.readInt32BE(BATCH.lastOffsetDelta)]
  if (behind < 0) return undefined
  const codec = head.readInt16BE(BATCH.attributes) & CODEC_MASK
  return { first, last: first + BigInt(behind), count: head.readInt32BE(BATCH.count), codec }
}

/** @returns records that all have the batch's last offset: kafkajs drops those below the one it asked for
 *  @throws the batch's error if there are too many of them */
export function standIn({ count, first, last }: BatchHead, batch: UnreadableBatch): Buffer {
  if (count > MOST_RECORDS) throw batch.error
  const records = standInRecords(count, Number(last - first))
  found.set(records.buffer, batch)
  isAnyFound = true
  return records
}

/** @returns undefined: nothing is wrong with it */
export function unreadableBatch({ value }: Pick<KafkaMessage, 'value'>): UnreadableBatch | undefined {
  return isAnyFound && value ? found.get(value.buffer) : undefined
}

/** For the user. @param next where reading stands */
export function unreadable({ topic, partition }: TopicPartition, batch: UnreadableBatch, next: bigint): ConnectorError {
  const { codec, error, offsets } = batch
  const what = offsets ? `the batch of the offsets ${offsets.first} to ${offsets.last}` : `what comes at offset ${next}`
  const where = `Topic ${JSON.stringify(topic)}, partition ${partition}: ${what}`
  const to = offsets ? `to ${offsets.last + 1n}` : 'to one behind it'
  const goOn = `To go on without it, set the group's offset of this partition ${to} while nothing runs (kafka-consumer-groups --reset-offsets).`
  const track = { name: topic }
  if (error.reason === 'tooLarge')
    return new ConnectorError(
      'config',
      `${where}${codec === 'none' ? '' : `, compressed with ${codec},`} is too large: ${error.message}. Let its producer make smaller batches (batch.size). ${goOn}`,
      { cause: error, track },
    )
  return new ConnectorError(
    'system',
    `${where} is damaged: ${codec === 'none' ? '' : `it should be compressed with ${codec}, but `}${error.message}. Look at that partition's log with another program too. ${goOn}`,
    { cause: error, track },
  )
}
