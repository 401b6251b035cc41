// Gives kafkajs the codecs it lacks, for reading only, and bounds to the one it has. Decides what an unreadable batch
// becomes; knows no topic.

import kafkajs from 'kafkajs'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { isStandIn, MARK, standInFor } from '../log/packed-batch.ts'
import { LIMIT } from '../log/read-packed.ts'
import { CODECS, unpack } from '../log/unpack.ts'
import { damaged, UnpackError } from '../log/unpack-error.ts'
import type { Codec } from '../log/unpack-error.ts'
import { batchHead, standIn } from '../log/unreadable-batch.ts'

/** All that three bits can say, but none. */
const NUMBERS = [1, 2, 3, 4, 5, 6, 7]

interface KafkajsCodec {
  compress(encoder: { readonly buffer: Buffer }): Promise<Buffer>
  decompress(packed: Buffer): Promise<Buffer>
}

/** For all clients of this process; again, it changes nothing. */
export function registerCodecs(): void {
  const registry = kafkajs.CompressionCodecs as Record<number, () => KafkajsCodec>
  for (const number of NUMBERS) {
    const name = CODECS[number]
    const codec: KafkajsCodec = {
      compress: async ({ buffer }) => {
        if (name === 'gzip') return promisify(gzip)(buffer)
        throw new TypeError(`Nothing is compressed with ${name} here.`)
      },
      decompress: (packed) => readable(number, name, packed, LIMIT),
    }
    registry[number] = () => codec
  }
}

/** @param packed a view of what was fetched
 *  @returns the batch's records, or what stands for them
 *  @throws UnpackError where nothing can */
export async function readable(
  number: number,
  name: Codec | undefined,
  packed: Buffer,
  limit: number,
): Promise<Buffer> {
  if (number === MARK && isStandIn(packed)) {
    const record = standInFor(packed)
    if (!record) throw new Error('A batch of an earlier answer is asked for.')
    return record
  }
  const head = batchHead(packed)
  try {
    if (name === undefined) throw damaged('Kafka has no such codec')
    const records = await unpack(name, packed, limit)
    if (head?.codec === number) checkCount(records, head.count)
    return records
  } catch (error) {
    if (head?.codec !== number || !(error instanceof UnpackError)) throw error
    return standIn(head, { codec: name ?? `codec ${number}`, error, offsets: head })
  }
}

/** @throws UnpackError unless these are so many records */
function checkCount(records: Buffer, count: number): void {
  let at = 0
  for (let left = count; left > 0; left--) {
    let length = 0
    let shift = 1
    let byte: number
    do {
      if (at >= records.length || shift > 2 ** 35) throw damaged('it holds fewer records than it says')
      byte = records[at++]!
      length += (byte & 0x7f) * shift
      shift *= 0x80
    } while (byte >= 0x80)
    // zigzag: an odd one is negative
    if (length % 2 === 1) throw damaged('a record has no possible length')
    at += length / 2
  }
  if (at > records.length) throw damaged('it holds fewer records than it says')
}
