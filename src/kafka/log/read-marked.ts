// The records of a marked batch, unpacked and read, and the one that kafkajs gets in their place. Knows no topic.

import { keepRead, logBatchOf, MARK, NOWHERE } from './marked-batches.ts'
import type { MarkedBatch, ReadBatch } from './marked-batches.ts'
import { readLogRecords } from './read-log-records.ts'
import { standInRecords } from './stand-in.ts'
import { CODECS, unpack } from './unpack.ts'
import { damaged, UnpackError } from './unpack-error.ts'
import { batchHead, standIn } from './unreadable-batch.ts'

const PLAIN = 0
/** Times a batch's own size. */
const MOST_HELD = 2

/** @param packed its records as kafkajs gives them to a codec, in the answer's own memory
 *  @param limit bytes, unpacked
 *  @returns one record with the batch's last offset; what a damaged batch becomes stands for that */
export async function readMarked(batch: MarkedBatch, packed: Buffer, limit: number): Promise<Buffer> {
  const { codec } = batch
  const { first, last } = batchHead(packed)!
  const lastOffsetDelta = Number(last - first)
  try {
    const read = await readBatch(batch, packed, lastOffsetDelta, limit)
    const inTheirPlace = standInRecords(1, lastOffsetDelta)
    keepRead(inTheirPlace, read)
    return inTheirPlace
  } catch (error) {
    if (!(error instanceof UnpackError)) throw error
    const name = codec === PLAIN ? 'none' : (CODECS[codec] ?? (`codec ${codec}` as const))
    const offsets = first === NOWHERE ? undefined : { first, last }
    return standIn({ first, last, count: 1, codec: MARK }, { codec: name, error, offsets })
  }
}

async function readBatch(
  { as, codec, count }: MarkedBatch,
  packed: Buffer,
  lastOffsetDelta: number,
  limit: number,
): Promise<ReadBatch> {
  if (as === 'damaged') throw damaged('it is no batch, or a part of one')
  // compaction leaves heads without records
  if (as === 'nothing' || (count === 0 && packed.length === 0)) return { records: [], bytes: 0 }
  const bytes = await unpacked(codec, packed, limit)
  return { records: readLogRecords(logBatchOf(packed, bytes), count, lastOffsetDelta), bytes: bytes.length }
}

function unpacked(codec: number, packed: Buffer, limit: number): Buffer | Promise<Buffer> {
  if (codec === PLAIN) return own(packed)
  const name = CODECS[codec]
  if (name === undefined) throw damaged('Kafka has no such codec')
  return unpack(name, packed, limit)
}

/** A record holds all that its batch lies in, as long as it waits; only its batch is counted. */
function own(packed: Buffer): Buffer {
  return packed.buffer.byteLength > MOST_HELD * packed.length ? Buffer.from(packed) : packed
}
