// Batches that kafkajs is not to take apart itself: its decoder makes a dozen objects a record, and spends more time on them
// than all the rest of a consumer (bench/kafka). It has no hook for that, but codecs of its user's: a batch that is marked
// before kafkajs sees it says that it holds one record, packed with a codec that Kafka has not got. That one is ours: it
// reads the records, and gives kafkajs one in their place, with the last offset of them, by which they are found again.

import type { KafkaMessage } from 'kafkajs'
import { APPEND_TIME, BATCH, CODEC_MASK, CONTROL, MAGIC, TRANSACTIONAL, UNCOUNTED } from './log-batch.ts'
import type { LogBatch } from './log-record.ts'
import type { KafkaRecord } from '../types.ts'

/** What a batch's head said before it was marked. It is written into fields of the head that kafkajs reads past, for it copies
 *  what it is given. */
export interface MarkedBatch {
  readonly codec: number
  readonly count: number
  /** What is to be made of it. */
  readonly as: 'records' | 'nothing' | 'damaged'
}

/** What stands for the records of a batch. */
export interface ReadBatch {
  /** By offset. */
  readonly records: readonly KafkaRecord[]
  /** Of them all, unpacked. */
  readonly bytes: number
}

/** Kafka has none of this number. */
export const MARK = 7
/** The offset of what has none. */
export const NOWHERE = 0x7fff_ffff_ffff_ffffn
/** In place of the leader's epoch: a word of ours, then the codec and what is to be made of it. */
const WORD = 0x6d61_7200
const WORD_MASK = 0x7fff_ff00
const AS = { records: 0, nothing: 0x8, damaged: 0x10 } as const

/** By the memory of the records that stand for them. */
const read = new WeakMap<ArrayBufferLike, ReadBatch>()

/** @param at where the batch begins in the answer
 *  @param as nothing: of its records none are to be read; damaged: that cannot be found out */
export function mark(frame: Buffer, at: number, as: MarkedBatch['as']): void {
  const attributes = frame.readInt16BE(at + BATCH.attributes)
  const codec = as === 'damaged' ? 0 : attributes & CODEC_MASK
  frame.writeInt32BE(WORD | codec | AS[as], at + BATCH.leaderEpoch)
  frame.writeInt32BE(frame.readInt32BE(at + BATCH.count), at + BATCH.checksum)
  // kafkajs has its own view of what was rolled back, and finds fewer of the markers
  frame.writeInt16BE((attributes | MARK) & ~(TRANSACTIONAL | CONTROL), at + BATCH.attributes)
  frame.writeInt32BE(1, at + BATCH.count)
}

/** Makes a damaged batch of what has no possible place in the log, or is none. @param end at least a head behind `at` */
export function markNowhere(frame: Buffer, at: number, end: number): void {
  frame.fill(0, at, at + BATCH.records)
  // kafkajs drops what is before the offset that it asked for
  frame.writeBigInt64BE(NOWHERE, at + BATCH.firstOffset)
  frame.writeInt32BE(end - at - UNCOUNTED, at + BATCH.length)
  frame.writeInt8(MAGIC, at + BATCH.magic)
  mark(frame, at, 'damaged')
}

/** @param packed a batch's records as kafkajs gives them to a codec: behind their head
 *  @returns undefined: it was not marked */
export function markOf(packed: Buffer): MarkedBatch | undefined {
  if (packed.byteOffset < BATCH.records) return undefined
  const head = headOf(packed)
  const word = head.readInt32BE(BATCH.leaderEpoch)
  if ((word & WORD_MASK) !== WORD) return undefined
  return {
    codec: word & CODEC_MASK,
    count: head.readInt32BE(BATCH.checksum),
    as: (word & AS.damaged) !== 0 ? 'damaged' : (word & AS.nothing) !== 0 ? 'nothing' : 'records',
  }
}

/** @param packed a marked batch's records @param bytes the same, unpacked */
export function logBatchOf(packed: Buffer, bytes: Buffer): LogBatch {
  const head = headOf(packed)
  const isStamped = (head.readInt16BE(BATCH.attributes) & APPEND_TIME) !== 0
  return {
    bytes,
    firstOffset: head.readBigInt64BE(BATCH.firstOffset),
    firstTimestamp: head.readBigInt64BE(BATCH.firstTimestamp),
    appendTime: isStamped ? head.readBigInt64BE(BATCH.maxTimestamp) : undefined,
  }
}

function headOf({ buffer, byteOffset }: Buffer): Buffer {
  return Buffer.from(buffer, byteOffset - BATCH.records, BATCH.records)
}

/** @param standIn the value of the record that kafkajs is given for them */
export function keepRead(standIn: Buffer, batch: ReadBatch): void {
  read.set(standIn.buffer, batch)
}

/** @returns undefined: it is a record itself */
export function readBatchOf({ value }: Pick<KafkaMessage, 'value'>): ReadBatch | undefined {
  return value?.length === 1 ? read.get(value.buffer) : undefined
}
